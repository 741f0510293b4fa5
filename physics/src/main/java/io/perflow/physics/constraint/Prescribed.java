package io.perflow.physics.constraint;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A constraint that prescribes values at some places: x = b where a mask is 1.
 *
 * <p>The projection overwrites them and sets velocities to 0 there, so that the residual of a
 * projected field is 0 exactly, not up to round-off. The residual x - b has the shape of the field
 * and is 0 where nothing is prescribed; its mean square counts the prescribed places alone.
 */
public abstract sealed class Prescribed implements AffineConstraint permits Dirichlet, Measured {

  /** The places where values are known: 0 or 1 for every place of a field of this shape. */
  @FunctionalInterface
  interface Region {
    /**
     * Returns the mask, in double precision on the CPU, of four axes that broadcast to the field's.
     */
    Tensor mask(Shape field);
  }

  private final Region region;
  private final Constant values;
  private final Map<Shape, Pins> pins = new ConcurrentHashMap<>();

  Prescribed(Region region, Tensor values) {
    this.region = region;
    this.values = Constant.of(values);
  }

  final Region region() {
    return region;
  }

  /** Returns the prescribed values, of four axes that broadcast to a field's. */
  final Tensor values() {
    return values.exact();
  }

  /** Returns the places and values for fields of this shape. */
  final Pins on(Shape field) {
    Pins found = pins.computeIfAbsent(field.with(0, 1), any -> resolve(field));
    Broadcasting.check(name(), "mask", found.mask().exact().shape(), field);
    Broadcasting.check(name(), "values", found.values().exact().shape(), field);
    return found;
  }

  private Pins resolve(Shape field) {
    Tensor mask = region.mask(field);
    Broadcasting.check(name(), "mask", mask.shape(), field);
    return Pins.of(mask, values, field);
  }

  @Override
  public Tensor residual(Tensor x) {
    Pins p = on(Broadcasting.field(name(), x));
    return p.select(x.sub(p.values().like(x)));
  }

  @Override
  public Tensor meanSquare(Tensor x, Tensor g) {
    Tensor squares = g.square().sum(1, 2, 3);
    return squares.div(on(x.shape()).count().like(x));
  }

  /** Returns x where values are prescribed, otherwise 0. */
  @Override
  public Tensor linear(Tensor x) {
    return on(Broadcasting.field(name(), x)).select(x);
  }

  @Override
  public Tensor adjoint(Tensor r, Shape field) {
    return on(field).select(r);
  }
}
