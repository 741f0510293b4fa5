package io.perflow.physics;

import io.perflow.physics.Readings.Misfit;
import io.perflow.physics.Readings.Reading;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Distances of fields from readings, H x - y. */
final class Misfits {
  private Misfits() {}

  /** The distance of the mean of fields [batch, …] for each quantity with readings. */
  static List<Misfit> of(Readings readings, Tensor fields) {
    List<Reading> all = readings.all();
    double[] x = fields.toDoubles();
    int size = x.length / fields.dim(0);
    int cells = readings.problem().grid().cells();
    double[] errors = all.stream().mapToDouble(r -> read(r, x, size, cells) - r.value()).toArray();
    List<Misfit> result = new ArrayList<>();
    for (Quantity quantity : readings.problem().quantities()) {
      int count = 0;
      int noisy = 0;
      double squares = 0;
      double inSigmas = 0;
      double max = 0;
      for (int i = 0; i < errors.length; i++) {
        if (readings.quantity(all.get(i)).equals(quantity)) {
          count++;
          squares += errors[i] * errors[i];
          max = Math.max(max, Math.abs(errors[i]));
          if (all.get(i).sigma() > 0) {
            noisy++;
            inSigmas += Math.pow(errors[i] / all.get(i).sigma(), 2);
          }
        }
      }
      if (count > 0) {
        double rms = Math.sqrt(squares / count);
        result.add(new Misfit(quantity, count, rms, max, Math.sqrt(inSigmas / noisy)));
      }
    }
    return result;
  }

  // a row of H times the mean over the batch, whose fields have this size
  private static double read(Reading reading, double[] x, int size, int points) {
    int[] cells = reading.cells();
    double[] weights = reading.weights();
    double sum = 0;
    for (int field = 0; field < x.length; field += size) {
      int start = field + reading.channel() * points;
      for (int i = 0; i < cells.length; i++) {
        sum += weights[i] * x[start + cells[i]];
      }
    }
    return sum / (x.length / size);
  }
}
