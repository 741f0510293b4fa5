package io.perflow.physics.prior;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.tensor.Check;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * The places and the precision of sensors, without their readings: the rows of H in y = H x +
 * noise, and the standard deviation of each reading's noise in normalized units. A row picks the
 * value at one grid point, or a weighted sum of the values at several points of one channel.
 */
public final class Sensing {
  private final Problem problem;
  private final int[] starts; // of each row in entries and weights, and the end
  private final int[] entries; // channel · cells + cell
  private final double[] weights;
  private final double[] sigmas;

  private Sensing(Problem problem, int[] starts, int[] entries, double[] weights, double[] sigmas) {
    this.problem = problem;
    this.starts = starts;
    this.entries = entries;
    this.weights = weights;
    this.sigmas = sigmas;
    for (double sigma : sigmas) {
      Check.that(
          sigma >= 0 && Double.isFinite(sigma),
          "sensing",
          "sigma is %s: it must be 0 (exact) or a positive number",
          sigma);
    }
  }

  /**
   * Returns the sensors of a mask, all of one precision; rows are in the order of channels, then of
   * grid points.
   *
   * @param planes [1, planes, height, width] of 0 and 1
   * @param sigma standard deviation of the noise, 0 for exact readings
   */
  public static Sensing of(Problem problem, Tensor planes, double sigma) {
    Check.that(planes.dim(0) == 1, "sensing", "%d masks: give one", planes.dim(0));
    float[] mask = problem.expand(planes).toFloats();
    int count = 0;
    for (float m : mask) {
      count += m == 0 ? 0 : 1;
    }
    int[] entries = new int[count];
    int next = 0;
    for (int i = 0; i < mask.length; i++) {
      if (mask[i] != 0) {
        entries[next++] = i;
      }
    }
    return at(problem, entries, sigma);
  }

  /** Returns single grid points, each given as channel · cells + cell. */
  public static Sensing at(Problem problem, int[] entries, double sigma) {
    int length = problem.batch(1).size();
    for (int entry : entries) {
      Check.that(
          entry >= 0 && entry < length,
          "sensing",
          "there is no entry %d: a field has %d, counted from 0",
          entry,
          length);
    }
    int[] starts = new int[entries.length + 1];
    Arrays.setAll(starts, i -> i);
    double[] weights = new double[entries.length];
    Arrays.fill(weights, 1);
    double[] sigmas = new double[entries.length];
    Arrays.fill(sigmas, sigma);
    return new Sensing(problem, starts, entries.clone(), weights, sigmas);
  }

  /** Returns the rows of a user's readings, in their order. */
  public static Sensing of(Readings readings, Normalization units) {
    List<Readings.Reading> all = readings.all();
    int cells = readings.problem().grid().cells();
    int[] starts = new int[all.size() + 1];
    for (int i = 0; i < all.size(); i++) {
      starts[i + 1] = starts[i] + all.get(i).cells().length;
    }
    int[] entries = new int[starts[all.size()]];
    double[] weights = new double[entries.length];
    double[] sigmas = new double[all.size()];
    for (int i = 0; i < all.size(); i++) {
      Readings.Reading reading = all.get(i);
      int[] read = reading.cells();
      for (int j = 0; j < read.length; j++) {
        entries[starts[i] + j] = reading.channel() * cells + read[j];
      }
      System.arraycopy(reading.weights(), 0, weights, starts[i], read.length);
      sigmas[i] = reading.sigma() / units.scale().get(reading.channel());
    }
    return new Sensing(readings.problem(), starts, entries, weights, sigmas);
  }

  /**
   * Returns the values of readings in normalized units, [1, readings], in the order of the rows.
   */
  public static Tensor values(Readings readings, Normalization units) {
    double[] values = new double[readings.size()];
    for (int i = 0; i < values.length; i++) {
      Readings.Reading reading = readings.all().get(i);
      int c = reading.channel();
      values[i] = (reading.value() - units.mean().get(c)) / units.scale().get(c);
    }
    return Tensor.of(values, 1, values.length);
  }

  /** Returns the problem whose fields are read. */
  public Problem problem() {
    return problem;
  }

  /** Returns the number of readings. */
  public int size() {
    return sigmas.length;
  }

  /** Returns the standard deviation of the noise of a reading. */
  public double sigma(int row) {
    return sigmas[row];
  }

  /** Returns the channel of a reading. */
  public int channel(int row) {
    return entries[starts[row]] / problem.grid().cells();
  }

  /**
   * Returns the entries of a field, counted over channels, rows and columns, on which a reading
   * depends.
   */
  public int[] entries(int row) {
    return Arrays.copyOfRange(entries, starts[row], starts[row + 1]);
  }

  /** Returns the weights of a reading's {@link #entries(int)}. */
  public double[] weights(int row) {
    return Arrays.copyOfRange(weights, starts[row], starts[row + 1]);
  }

  /** Returns the readings whose numbers are given, in that order. */
  public Sensing select(int... rows) {
    int[] newStarts = new int[rows.length + 1];
    for (int i = 0; i < rows.length; i++) {
      newStarts[i + 1] = newStarts[i] + starts[rows[i] + 1] - starts[rows[i]];
    }
    int[] newEntries = new int[newStarts[rows.length]];
    double[] newWeights = new double[newEntries.length];
    double[] newSigmas = new double[rows.length];
    for (int i = 0; i < rows.length; i++) {
      int from = starts[rows[i]];
      int count = starts[rows[i] + 1] - from;
      System.arraycopy(entries, from, newEntries, newStarts[i], count);
      System.arraycopy(weights, from, newWeights, newStarts[i], count);
      newSigmas[i] = sigmas[rows[i]];
    }
    return new Sensing(problem, newStarts, newEntries, newWeights, newSigmas);
  }

  /** Returns a copy with noise of at least this standard deviation. */
  public Sensing noise(double sigma) {
    double[] more = Arrays.stream(sigmas).map(s -> Math.max(s, sigma)).toArray();
    return new Sensing(problem, starts, entries, weights, more);
  }

  /** Returns H x for fields [batch, channels, height, width]: [batch, readings], F64. */
  public Tensor read(Tensor fields) {
    problem.check("sensing", fields);
    double[] x = fields.toDoubles();
    int length = problem.batch(1).size();
    int batch = fields.dim(0);
    double[] out = new double[batch * size()];
    for (int b = 0; b < batch; b++) {
      for (int i = 0; i < size(); i++) {
        double sum = 0;
        for (int e = starts[i]; e < starts[i + 1]; e++) {
          sum += weights[e] * x[b * length + entries[e]];
        }
        out[b * size() + i] = sum;
      }
    }
    return Tensor.of(out, batch, size());
  }

  /** Returns Hᵀ r for numbers [batch, readings]: fields [batch, channels, height, width], F64. */
  public Tensor spread(Tensor numbers) {
    Check.rank("sensing", "numbers", numbers, 2);
    Check.size("sensing", "readings", numbers, numbers.dim(1), size());
    double[] r = numbers.toDoubles();
    int batch = numbers.dim(0);
    int length = problem.batch(1).size();
    double[] out = new double[batch * length];
    for (int b = 0; b < batch; b++) {
      for (int i = 0; i < size(); i++) {
        for (int e = starts[i]; e < starts[i + 1]; e++) {
          out[b * length + entries[e]] += weights[e] * r[b * size() + i];
        }
      }
    }
    return Tensor.of(out, problem.batch(batch).toArray());
  }

  /** Returns whether all rows are different grid points, so that H Hᵀ is the identity. */
  boolean separate() {
    return entries.length == size() && Arrays.stream(entries).distinct().count() == size();
  }

  int[] entries() {
    return entries.clone();
  }

  int start(int row) {
    return starts[row];
  }

  int entry(int index) {
    return entries[index];
  }

  double weight(int index) {
    return weights[index];
  }
}
