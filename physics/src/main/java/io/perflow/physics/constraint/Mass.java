package io.perflow.physics.constraint;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.tensor.Check;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The conservation of mass: the mean over the height, the width or both is m0, for every channel
 * and every remaining row or column.
 *
 * <pre>{@code
 * Mass burgers = Mass.over(-1);                  // u(time, space): mean 0 at every time
 * Mass perSample = Mass.over(-2, -1).values(m0); // m0 of shape [batch, 1, 1, 1]
 * Mass lake = Mass.mean(0.2).within(water);      // water: [height, width], 1 in the domain
 * }</pre>
 *
 * <p>The residual is mean - m0, of shape [batch, channels, height or 1, width or 1]. The projection
 * adds the same number to all values of a mean, and within a domain to those alone. In F32, means
 * of unit-variance fields come out with mean squares below 1e-14.
 */
public final class Mass implements AffineConstraint {
  private final int[] axes; // some of 2 and 3
  private final int[] channels; // empty for all channels
  private final Constant wanted; // of four axes, broadcast to the means
  private final boolean zero; // all prescribed means are zero
  private final Domain domain; // null for the whole grid

  private Mass(int[] axes, int[] channels, Tensor wanted, Domain domain) {
    this.axes = axes;
    this.channels = channels;
    this.domain = domain;
    this.wanted = Constant.of(wanted);
    this.zero = Arrays.stream(wanted.toDoubles()).allMatch(m0 -> m0 == 0);
  }

  /**
   * Prescribes means of 0 over axes of the field [batch, channels, height, width].
   *
   * @param axes 2 or -2 for the height, 3 or -1 for the width, or both
   */
  public static Mass over(int... axes) {
    int[] counted = Check.axes("mass", Shape.of(1, 1, 1, 1), axes);
    Check.that(
        axes.length > 0 && counted[0] >= 2,
        "mass",
        "means are over the height (2 or -2), the width (3 or -1) or both, not over axes %s",
        Arrays.toString(axes));
    return new Mass(counted, new int[0], Tensor.of(new double[1], 1, 1, 1, 1), null);
  }

  /** Prescribes the mean over the whole grid, the same for every channel. */
  public static Mass mean(double m0) {
    return over(2, 3).value(m0);
  }

  /** Returns a copy for these channels only; the others are free. */
  public Mass channels(int... channels) {
    return new Mass(axes, Channels.distinct(name(), channels), wanted.exact(), domain);
  }

  /** Returns a copy with mean m0. */
  public Mass value(double m0) {
    return values(Tensor.of(new double[] {m0}, 1));
  }

  /**
   * Returns a copy with different means for samples, channels or rows.
   *
   * @param m0 the means, of a shape that broadcasts to that of the residual: [batch, 1, 1, 1] for
   *     one number per sample
   */
  public Mass values(Tensor m0) {
    Tensor numbers = Broadcasting.fourAxes(name(), "m0", m0);
    for (int axis : axes) {
      Check.that(
          numbers.dim(axis) == 1,
          name(),
          "m0 %s has %d values along axis %d, over which the mean is taken",
          m0.shape(),
          numbers.dim(axis),
          axis);
    }
    return new Mass(axes, channels, numbers, domain);
  }

  /**
   * Returns a copy for the places of a domain only. Values outside it do not count and are not
   * changed. A row or column without a place in the domain has no mean and is free.
   *
   * @param mask the mask, 1 in the domain, otherwise 0; of shape [height, width] or [channels,
   *     height, width], extents of 1 standing for all
   * @throws IllegalArgumentException when the mask is not of 0 and 1, or is 0 everywhere
   */
  public Mass within(Tensor mask) {
    return new Mass(axes, channels, wanted.exact(), Domain.of(name(), mask, axes));
  }

  @Override
  public String name() {
    return "mass";
  }

  @Override
  public Optional<String> text(Problem problem) {
    return everywhere() && wanted.exact().size() == 1
        ? Optional.of(ConstraintText.mass(axes, channels, wanted.exact().item(), problem))
        : Optional.empty();
  }

  /** Returns the axes of the means: 2, 3 or both. */
  int[] axes() {
    return axes.clone();
  }

  /** Returns whether the means are over the whole grid. */
  boolean whole() {
    return axes.length == 2 && everywhere();
  }

  /** Returns whether the means are over all places and not only over those of a domain. */
  boolean everywhere() {
    return domain == null;
  }

  /** Returns the constrained channels of a field of this shape. */
  int[] channels(Shape field) {
    return Channels.of(name(), channels, field);
  }

  @Override
  public Tensor residual(Tensor x) {
    Shape field = Broadcasting.field(name(), x);
    Broadcasting.check(name(), "m0", wanted.exact().shape(), means(field));
    if (zero) {
      return linear(x);
    }
    // The mean of x - m0 is resolved far better than the difference of two numbers near m0.
    Tensor m0 = wanted.like(x);
    Tensor all =
        channels.length == 0 ? m0 : spread(m0.expand(m0.shape().with(1, channels.length)), field);
    return linear(x.sub(all));
  }

  // The shape of the residual.
  private Shape means(Shape field) {
    int[] means = field.toArray();
    for (int axis : axes) {
      means[axis] = 1;
    }
    means[1] = channels(field).length;
    return Shape.of(means);
  }

  /** Returns the means, of shape [batch, constrained channels, height or 1, width or 1]. */
  @Override
  public Tensor linear(Tensor x) {
    Shape field = Broadcasting.field(name(), x);
    Tensor means = domain == null ? x.mean(true, axes) : domain.means(x);
    int[] chosen = channels(field);
    return channels.length == 0 ? means : means.gather(1, chosen);
  }

  @Override
  public Tensor adjoint(Tensor r, Shape field) {
    Tensor all = spread(r, field);
    return domain == null
        ? all.mul(1.0 / count(field)).expand(field)
        : domain.transposedMeans(all, field);
  }

  /** Returns (AAᵀ)⁻¹ r itself, because the means are of different values. */
  @Override
  public Tensor precondition(Tensor r, Shape field) {
    if (domain == null) {
      return r.mul(count(field));
    }
    Tensor counts = domain.counts(field, r);
    return r.mul(channels.length == 0 ? counts : counts.gather(1, channels));
  }

  /**
   * Returns one number for each mean as a tensor that broadcasts to the field; 0 for free channels.
   */
  Tensor spread(Tensor r, Shape field) {
    return channels.length == 0 ? r : r.scatterAdd(1, field.dim(1), channels);
  }

  /** Returns the number of values in each mean. */
  int count(Shape field) {
    int count = 1;
    for (int axis : axes) {
      count *= field.dim(axis);
    }
    return count;
  }

  /** Returns the prescribed means for fields of this shape, in double precision. */
  Tensor wanted(Shape field) {
    Shape means = means(field).with(0, wanted.exact().dim(0));
    Broadcasting.check(name(), "m0", wanted.exact().shape(), means);
    return wanted.exact().expand(means);
  }

  /** Returns the means (m0 - mean) / scale. */
  @Override
  public Mass normalized(Normalization units) {
    int[] chosen = channels(Shape.of(1, units.channels(), 1, 1));
    List<Double> mean = Arrays.stream(chosen).mapToObj(units.mean()::get).toList();
    List<Double> scale = Arrays.stream(chosen).mapToObj(units.scale()::get).toList();
    try (Scope _ = Scope.open()) {
      return new Mass(
          axes,
          channels,
          Broadcasting.normalize(wanted.exact(), new Normalization(mean, scale)),
          domain);
    }
  }
}
