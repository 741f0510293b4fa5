package io.perflow.flow.baseline;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The schedule of the noise that a diffusion adds to a field over T steps (Ho et al., Denoising
 * diffusion probabilistic models, 2020): x after step i is √ᾱ_i x₁ + √(1 - ᾱ_i) ε, where ᾱ_i is the
 * product of 1 - β over the steps up to i. Steps count from 0.
 */
public final class NoiseSchedule {
  private final String name;
  private final double[] kept;

  private NoiseSchedule(String name, double[] betas) {
    this.name = name;
    kept = new double[betas.length];
    double product = 1;
    for (int i = 0; i < betas.length; i++) {
      product *= 1 - betas[i];
      kept[i] = product;
    }
  }

  /**
   * Returns a schedule whose β grows linearly from 1e-4 to 0.02 for 1000 steps, and in proportion
   * for other numbers of steps.
   */
  public static NoiseSchedule linear(int steps) {
    double scale = 1000.0 / checked(steps);
    double[] betas =
        IntStream.range(0, steps)
            .mapToDouble(i -> scale * (1e-4 + (0.02 - 1e-4) * i / Math.max(1, steps - 1)))
            .map(beta -> Math.min(beta, 0.999))
            .toArray();
    return new NoiseSchedule("linear", betas);
  }

  /**
   * Returns a schedule whose ᾱ follows a squared cosine (Nichol and Dhariwal, 2021), with s = 0.008
   * and β at most 0.999.
   */
  public static NoiseSchedule cosine(int steps) {
    double[] betas =
        IntStream.range(0, checked(steps))
            .mapToDouble(i -> 1 - cosine(i + 1, steps) / cosine(i, steps))
            .map(beta -> Math.min(beta, 0.999))
            .toArray();
    return new NoiseSchedule("cosine", betas);
  }

  /** Returns a schedule by its name: linear or cosine. */
  public static NoiseSchedule of(String name, int steps) {
    return switch (name) {
      case "linear" -> linear(steps);
      case "cosine" -> cosine(steps);
      default ->
          throw new IllegalArgumentException(
              "noise schedule '%s' is unknown: choose linear or cosine".formatted(name));
    };
  }

  private static double cosine(int i, int steps) {
    double cos = Math.cos(((double) i / steps + 0.008) / 1.008 * Math.PI / 2);
    return cos * cos;
  }

  private static int checked(int steps) {
    if (steps < 1) {
      throw new IllegalArgumentException("[noise schedule] %d steps: at least 1".formatted(steps));
    }
    return steps;
  }

  /** Returns its name. */
  public String name() {
    return name;
  }

  /** Returns T, the number of steps. */
  public int steps() {
    return kept.length;
  }

  /** Returns ᾱ after a step; 1 for step -1, the field itself. */
  public double kept(int step) {
    return step < 0 ? 1 : kept[step];
  }

  /**
   * Returns the steps that an ancestral sampler with fewer steps visits: evenly spaced from the
   * last to the first, both included (Nichol and Dhariwal, 2021).
   */
  public int[] spaced(int count) {
    checkCount(count);
    double stride = count == 1 ? 0 : (steps() - 1.0) / (count - 1);
    return IntStream.range(0, count).map(i -> steps() - 1 - (int) Math.round(i * stride)).toArray();
  }

  /**
   * Divides the steps into equal parts and returns the last step of each, the latest first (Song et
   * al., Denoising diffusion implicit models, 2021).
   */
  public int[] strided(int count) {
    checkCount(count);
    return IntStream.range(0, count)
        .map(i -> (int) ((long) steps() * (count - i) / count) - 1)
        .toArray();
  }

  private void checkCount(int count) {
    if (count < 1 || count > steps()) {
      throw new IllegalArgumentException(
          "[noise schedule] %d of %d steps cannot be visited".formatted(count, steps()));
    }
  }

  @Override
  public String toString() {
    return "%s %d, signal left %s"
        .formatted(name, steps(), Arrays.toString(new double[] {kept[0], kept[steps() - 1]}));
  }
}
