package io.perflow.physics;

import io.perflow.tensor.Check;
import io.perflow.tensor.Tensor;
import java.util.List;

/**
 * The mean, variance and range of every channel of many fields, accumulated field by field.
 *
 * <p>Means and sums of squares about them are kept in double and joined by the update of Chan,
 * Golub and LeVeque (1983), which loses no digits where the mean is large. The last bits of the
 * result depend on the order of the fields: add them in the same order to get the same bits.
 */
public final class Moments {
  private final double[] mean;
  private final double[] squares; // sum of (x - mean)²
  private final double[] least;
  private final double[] greatest;
  private long count; // numbers per channel

  /** Starts without any fields. */
  public Moments(int channels) {
    mean = new double[channels];
    squares = new double[channels];
    least = new double[channels];
    greatest = new double[channels];
  }

  /** Returns the moments of all fields of a tensor [samples, channels, height, width]. */
  public static Moments of(Tensor fields) {
    Check.rank("moments", "fields", fields, 4);
    Moments moments = new Moments(fields.dim(1));
    for (int i = 0; i < fields.dim(0); i++) {
      moments.add(fields.select(0, i).toDoubles());
    }
    return moments;
  }

  /** Adds a field, channel after channel. */
  public void add(double[] field) {
    int cells = field.length / mean.length;
    Check.that(
        cells > 0 && cells * mean.length == field.length,
        "moments",
        "a field of %d numbers cannot have %d channels",
        field.length,
        mean.length);
    for (int c = 0; c < mean.length; c++) {
      addChannel(c, field, c * cells, cells);
    }
    count += cells;
  }

  private void addChannel(int c, double[] field, int from, int cells) {
    double low = count == 0 ? field[from] : least[c];
    double high = count == 0 ? field[from] : greatest[c];
    double sum = 0;
    for (int i = from; i < from + cells; i++) {
      sum += field[i];
      low = Math.min(low, field[i]);
      high = Math.max(high, field[i]);
    }
    double own = sum / cells;
    double about = 0;
    for (int i = from; i < from + cells; i++) {
      about += (field[i] - own) * (field[i] - own);
    }
    double shift = own - mean[c];
    double together = (double) count + cells;
    mean[c] += shift * (cells / together);
    squares[c] += about + shift * shift * (count / together * cells);
    least[c] = low;
    greatest[c] = high;
  }

  /** Returns the number of channels. */
  public int channels() {
    return mean.length;
  }

  /** Returns the mean of a channel. */
  public double mean(int channel) {
    return mean[channel];
  }

  /** Returns the standard deviation of a channel about its mean. */
  public double deviation(int channel) {
    return deviation(List.of(channel), mean[channel]);
  }

  /** Returns the smallest number of a channel. */
  public double least(int channel) {
    return least[channel];
  }

  /** Returns the largest number of a channel. */
  public double greatest(int channel) {
    return greatest[channel];
  }

  /** Returns the mean of several channels together. */
  double mean(List<Integer> channels) {
    return channels.stream().mapToDouble(c -> mean[c]).sum() / channels.size();
  }

  /** Returns the root mean square of several channels together about a centre. */
  double deviation(List<Integer> channels, double centre) {
    Check.that(count > 0, "moments", "no field was added");
    double sum = 0;
    for (int c : channels) {
      double shift = mean[c] - centre;
      sum += squares[c] / count + shift * shift;
    }
    return Math.sqrt(sum / channels.size());
  }
}
