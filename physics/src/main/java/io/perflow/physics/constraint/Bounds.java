package io.perflow.physics.constraint;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.Optional;

/**
 * Bounds on values: l ≤ x ≤ u for every value of some channels, where either side may be open.
 *
 * <pre>{@code
 * Bounds conductivity = Bounds.between(3, 12).channels(0);
 * Bounds pressure = Bounds.atLeast(0).channels(1);
 * }</pre>
 *
 * <p>The residual is the signed distance of each value outside its bounds, of shape [batch, bounded
 * channels, height, width]; it is 0 inside. The admissible fields form a convex set, not a
 * manifold: {@link Projector#onto} finds the nearest of them, also among those that satisfy further
 * affine constraints.
 */
public final class Bounds implements Constraint {
  private final int[] channels; // empty for all channels
  private final Constant lower; // [1, bounded channels or 1, 1, 1]; an open side is infinite
  private final Constant upper;

  private Bounds(int[] channels, double[] lower, double[] upper) {
    this.channels = channels;
    this.lower = Constant.of(Tensor.of(lower, 1, lower.length, 1, 1));
    this.upper = Constant.of(Tensor.of(upper, 1, upper.length, 1, 1));
  }

  /** Returns bounds from {@code lower} to {@code upper}, for all channels. */
  public static Bounds between(double lower, double upper) {
    boolean numbers = lower < Double.POSITIVE_INFINITY && upper > Double.NEGATIVE_INFINITY;
    Check.that(
        numbers && Double.isFinite(lower) | Double.isFinite(upper),
        "bounds",
        "%s..%s: one side must be a finite number, the other may be open",
        lower,
        upper);
    Check.that(
        lower <= upper,
        "bounds",
        "the lower bound %s is above the upper bound %s; swap them",
        lower,
        upper);
    return new Bounds(new int[0], new double[] {lower}, new double[] {upper});
  }

  /** Returns a lower bound for all channels. */
  public static Bounds atLeast(double lower) {
    return between(lower, Double.POSITIVE_INFINITY);
  }

  /** Returns an upper bound for all channels. */
  public static Bounds atMost(double upper) {
    return between(Double.NEGATIVE_INFINITY, upper);
  }

  /** Returns a copy for these channels only; the others are free. */
  public Bounds channels(int... channels) {
    return new Bounds(
        Channels.distinct(name(), channels), lower.exact().toDoubles(), upper.exact().toDoubles());
  }

  @Override
  public String name() {
    return "bounds";
  }

  @Override
  public Optional<String> text(Problem problem) {
    return lower.exact().size() == 1
        ? Optional.of(
            ConstraintText.bounds(channels, lower.exact().item(), upper.exact().item(), problem))
        : Optional.empty();
  }

  /**
   * Returns the lower bound of each channel of a field of this shape; negative infinity without
   * one.
   */
  double[] lower(Shape field) {
    return perChannel(lower, Double.NEGATIVE_INFINITY, field);
  }

  /** Returns the upper bound of each channel likewise. */
  double[] upper(Shape field) {
    return perChannel(upper, Double.POSITIVE_INFINITY, field);
  }

  private double[] perChannel(Constant bound, double open, Shape field) {
    double[] all = new double[field.dim(1)];
    Arrays.fill(all, open);
    int[] chosen = Channels.of(name(), channels, field);
    double[] numbers = bound.exact().toDoubles();
    for (int i = 0; i < chosen.length; i++) {
      all[chosen[i]] = numbers[numbers.length == 1 ? 0 : i];
    }
    return all;
  }

  @Override
  public Tensor residual(Tensor x) {
    int[] chosen = Channels.of(name(), channels, Broadcasting.field(name(), x));
    Tensor values = channels.length == 0 ? x : x.gather(1, chosen);
    return values.sub(values.maximum(lower.like(x)).minimum(upper.like(x)));
  }

  /** Returns the bounds (l - mean) / scale and (u - mean) / scale. */
  @Override
  public Bounds normalized(Normalization units) {
    Shape field = Shape.of(1, units.channels(), 1, 1);
    int[] chosen = Channels.of(name(), channels, field);
    double[] low = lower(field);
    double[] high = upper(field);
    double[] normalizedLow = new double[chosen.length];
    double[] normalizedHigh = new double[chosen.length];
    for (int i = 0; i < chosen.length; i++) {
      double mean = units.mean().get(chosen[i]);
      double scale = units.scale().get(chosen[i]);
      normalizedLow[i] = (low[chosen[i]] - mean) / scale;
      normalizedHigh[i] = (high[chosen[i]] - mean) / scale;
    }
    return new Bounds(channels, normalizedLow, normalizedHigh);
  }
}
