package io.perflow.physics.constraint;

import io.perflow.physics.Normalization;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The prescribed values of several constraints, joined to one. */
record AllPins(List<Prescribed> parts, Map<Shape, Pins> cache) implements AffineConstraint {

  AllPins(List<Prescribed> parts) {
    this(List.copyOf(parts), new ConcurrentHashMap<>());
  }

  /** Returns the places and values for fields of this shape. */
  Pins on(Shape field) {
    Pins pins = cache.computeIfAbsent(field.with(0, 1), _ -> Pins.union(parts, field));
    Broadcasting.check(name(), "mask", pins.mask().exact().shape(), field);
    return pins;
  }

  @Override
  public String name() {
    return Conflict.names(parts);
  }

  @Override
  public Tensor residual(Tensor x) {
    Pins pins = on(x.shape());
    Broadcasting.check(name(), "values", pins.values().exact().shape(), x.shape());
    return pins.select(x.sub(pins.values().like(x)));
  }

  @Override
  public Tensor linear(Tensor x) {
    return on(x.shape()).select(x);
  }

  @Override
  public Tensor adjoint(Tensor r, Shape field) {
    return on(field).select(r);
  }

  @Override
  public AllPins normalized(Normalization units) {
    return new AllPins(parts.stream().map(p -> (Prescribed) p.normalized(units)).toList());
  }
}
