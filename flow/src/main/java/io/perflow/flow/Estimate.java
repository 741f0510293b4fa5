package io.perflow.flow;

import io.perflow.physics.Quantity;
import java.util.Arrays;
import java.util.Locale;

/** An ensemble's estimate of one quantity at one place. */
public final class Estimate {
  private final Quantity quantity;
  private final double[] sorted;

  Estimate(Quantity quantity, double[] samples) {
    this.quantity = quantity;
    sorted = samples.clone();
    Arrays.sort(sorted);
  }

  /** Computes an estimate from samples, whose spread is scaled to the given standard deviation. */
  static Estimate of(Quantity quantity, double[] samples, double deviation) {
    Estimate plain = new Estimate(quantity, samples);
    double own = plain.deviation();
    if (own == 0) {
      return plain;
    }
    double mean = plain.mean();
    double factor = deviation / own;
    return new Estimate(
        quantity, Arrays.stream(samples).map(x -> mean + factor * (x - mean)).toArray());
  }

  /** Returns the quantity, with its unit. */
  public Quantity quantity() {
    return quantity;
  }

  /** Returns the mean of the samples. */
  public double mean() {
    return Arrays.stream(sorted).average().orElseThrow();
  }

  /** Returns the standard deviation of the samples (divided by their number). */
  public double deviation() {
    double mean = mean();
    return Math.sqrt(
        Arrays.stream(sorted).map(x -> (x - mean) * (x - mean)).average().orElseThrow());
  }

  /** Returns the quantile for a probability, linear between the sorted samples. */
  public double quantile(double probability) {
    return Ensemble.quantile(sorted, probability);
  }

  /** Returns the samples, from the smallest to the largest. */
  public double[] samples() {
    return sorted.clone();
  }

  /** Returns a text such as {@code T = 301.2 ± 0.4 K}. */
  @Override
  public String toString() {
    String unit = quantity.unit().isEmpty() ? "" : " " + quantity.unit();
    return String.format(
        Locale.ROOT, "%s = %.4g ± %.2g%s", quantity.name(), mean(), deviation(), unit);
  }
}
