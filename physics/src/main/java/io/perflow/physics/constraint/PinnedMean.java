package io.perflow.physics.constraint;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Advance;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A projector onto the nearest field with prescribed values and prescribed means: it overwrites the
 * prescribed values and then moves the remaining values of each mean by the same number.
 *
 * <p>With n values in a mean, f of them free, and y the overwritten field, that number is (m0 -
 * mean(y)) n / f. Overwriting after correcting the mean would destroy the mean, and correcting the
 * mean after overwriting would move the prescribed values.
 */
final class PinnedMean extends OrthogonalProjector {
  private static final Tensor ONE = Scope.detach(Tensor.of(new double[] {1}, 1));

  private final List<Prescribed> prescribed;
  private final Mass mass; // null when means are free
  private final Map<Shape, Resolved> resolved = new ConcurrentHashMap<>();

  /**
   * The pins (null for none), 1 at free places, otherwise 0 (null for 1 everywhere), and n / f at
   * free places of constrained channels, otherwise 0 (null for 1 everywhere).
   */
  private record Resolved(Pins pins, Constant free, Constant share) {}

  PinnedMean(List<Prescribed> prescribed, Mass mass) {
    super(all(prescribed, mass));
    this.prescribed = prescribed;
    this.mass = mass;
  }

  private static List<Constraint> all(List<Prescribed> prescribed, Mass mass) {
    List<Constraint> all = new ArrayList<>(prescribed);
    if (mass != null) {
      all.add(mass);
    }
    return all;
  }

  @Override
  Tensor nearest(Tensor x) {
    Resolved r = on(x.shape());
    if (r.pins != null) {
      Broadcasting.check(name(), "values", r.pins.values().exact().shape(), x.shape());
    }
    Tensor y = r.pins == null ? x : r.pins.overwrite(x);
    return mass == null ? y : move(y, mass.residual(y), r);
  }

  @Override
  Tensor linear(Tensor v) {
    return step(number(v, 0), v, null, 1);
  }

  // In one pass, prescribed places do not change, and the mean of the others is removed.
  @Override
  Tensor step(Tensor x, Tensor to, Tensor from, double weight) {
    Resolved r = on(to.shape());
    int[] axes = mass == null ? new int[0] : mass.axes();
    return new Advance(weight, axes)
        .apply(
            x,
            to,
            from == null ? number(to, 0) : from,
            r.free == null ? number(to, 1) : r.free.like(to),
            r.share == null ? number(to, 1) : r.share.like(to));
  }

  private static Tensor number(Tensor like, double value) {
    return Tensor.full(like.device(), Shape.of(), like.type(), value);
  }

  @Override
  boolean uniform() {
    return prescribed.isEmpty() && (mass == null || mass.whole());
  }

  @Override
  boolean common(Shape field) {
    Resolved r = on(field);
    return r.pins == null || r.pins.mask().exact().dim(0) == 1;
  }

  private Tensor move(Tensor y, Tensor excess, Resolved r) {
    Tensor shift = mass.spread(excess, y.shape());
    return y.sub(r.share == null ? shift : shift.mul(r.share.like(y)));
  }

  private Resolved on(Shape field) {
    Resolved found = resolved.computeIfAbsent(field.with(0, 1), _ -> resolve(field));
    if (found.pins != null) {
      Broadcasting.check(name(), "mask", found.pins.mask().exact().shape(), field);
    }
    return found;
  }

  private Resolved resolve(Shape field) {
    if (prescribed.isEmpty()) {
      boolean all = mass == null || mass.channels(field).length == field.dim(1);
      return new Resolved(null, null, all ? null : Constant.of(chosen(field)));
    }
    Pins pins = Pins.union(prescribed, field);
    Constant free = Constant.of(pins.mask().exact().eq(0));
    return new Resolved(pins, free, mass == null ? null : Constant.of(share(pins, field)));
  }

  // 1 for the means of constrained channels, otherwise 0.
  private Tensor chosen(Shape field) {
    return mass.spread(mass.linear(ONE.expand(field.with(0, 1))), field);
  }

  // [batch or 1, channels, height, width]
  private Tensor share(Pins pins, Shape field) {
    Tensor mask = pins.mask().exact();
    Tensor free = mask.expand(field.with(0, mask.dim(0))).eq(0);
    Tensor fraction = free.mean(true, mass.axes());
    requirePossible(pins, fraction, field);
    return free.mul(chosen(field)).div(fraction.eq(0).where(ONE, fraction));
  }

  // Where every value of a mean is prescribed, nothing can be moved, so the mean must already be
  // right.
  private void requirePossible(Pins pins, Tensor fraction, Shape field) {
    Tensor values = pins.values().exact();
    int batch = Math.max(fraction.dim(0), values.dim(0));
    Tensor means = mass.linear(values.expand(field.with(0, batch)));
    Tensor wanted = mass.wanted(field);
    Shape shape = Shape.broadcast(name(), means.shape(), wanted.shape());
    double[] has = means.expand(shape).toDoubles();
    double[] wants = wanted.expand(shape).toDoubles();
    double[] freedom =
        mass.linear(fraction.expand(field.with(0, fraction.dim(0)))).expand(shape).toDoubles();
    for (int i = 0; i < has.length; i++) {
      if (freedom[i] == 0 && Pins.differ(has[i], wants[i])) {
        throw Conflict.ofMean(prescribed, has[i], mass, wants[i], i, shape);
      }
    }
  }
}
