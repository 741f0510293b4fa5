package io.perflow.flow;

import io.perflow.tensor.Check;
import io.perflow.tensor.NonFinite;
import io.perflow.tensor.Tensor;
import java.util.Arrays;

/**
 * Samples of one field for one set of observations. Their mean is the reconstruction, and their
 * spread is its uncertainty.
 *
 * @param samples [K, channels, height, width]
 */
public record Ensemble(Tensor samples) {

  /** Checks that there is at least one field and that all numbers are finite. */
  public Ensemble {
    Check.rank("ensemble", "samples", samples, 4);
    Check.that(samples.dim(0) > 0, "ensemble", "no samples: at least one is needed");
    NonFinite.in(samples)
        .ifPresent(
            found ->
                Check.that(
                    false,
                    "ensemble",
                    "samples %s hold %s: the readings lie too far outside the training data, or"
                        + " the model is damaged",
                    samples.shape(),
                    found));
  }

  /** Returns the number of samples. */
  public int size() {
    return samples.dim(0);
  }

  /** Returns the mean of the samples, [1, channels, height, width]. */
  public Tensor mean() {
    return samples.mean(true, 0);
  }

  /** Returns the entry-wise standard deviation (divided by K), [1, channels, height, width]. */
  public Tensor deviation() {
    return samples.sub(mean()).square().mean(true, 0).sqrt();
  }

  /**
   * Returns the entry-wise quantile for a probability, [1, channels, height, width], linear between
   * the sorted samples.
   */
  public Tensor quantile(double probability) {
    double[] all = samples.toDoubles();
    int k = size();
    int n = all.length / k;
    double[] result = new double[n];
    double[] column = new double[k];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < k; j++) {
        column[j] = all[j * n + i];
      }
      Arrays.sort(column);
      result[i] = quantile(column, probability);
    }
    return Tensor.of(result, 1, samples.dim(1), samples.dim(2), samples.dim(3)).to(samples.type());
  }

  /** Returns the quantile of sorted numbers. */
  static double quantile(double[] sorted, double probability) {
    if (!(probability >= 0 && probability <= 1)) {
      throw new IllegalArgumentException(
          "[quantile] probability %s must lie in [0, 1]".formatted(probability));
    }
    double place = probability * (sorted.length - 1);
    int below = (int) Math.floor(place);
    int above = Math.min(sorted.length - 1, below + 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  }
}
