package io.perflow.nn;

import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/**
 * A named slot for a tensor. It is the only mutable part of a model; only an optimizer or loading
 * changes it.
 *
 * <p>Its tensor lies row-major and outlives every {@link Scope}. An optimizer changes the numbers
 * in place, so the tensor that a tape watches stays the one that {@link #value} returns.
 */
public final class Parameter {
  private final String name;
  private Tensor value;

  /** Creates a slot with its initial value, which is removed from all open scopes. */
  public Parameter(String name, Tensor value) {
    this.name = name;
    this.value = owned(value);
  }

  private static Tensor owned(Tensor tensor) {
    return Scope.detach(tensor.contiguous());
  }

  /** Returns the name within its layer, such as {@code weight}. */
  public String name() {
    return name;
  }

  /** Returns the current value. */
  public Tensor value() {
    return value;
  }

  /** Returns the shape of the value. */
  public Shape shape() {
    return value.shape();
  }

  /** Returns the number of elements. */
  public int size() {
    return value.size();
  }

  /**
   * Overwrites the numbers in place; type and device stay.
   *
   * @throws io.perflow.tensor.ShapeException when the shapes differ
   */
  public void assign(Tensor source) {
    Check.sameShape("assign", "value for parameter " + name, source, value.shape());
    try (Scope _ = Scope.open()) {
      Tensor fitting = source.to(value.type()).to(value.device()).contiguous();
      value.device().backend().memory().assign(value, fitting);
    }
  }

  /**
   * Puts another tensor of the same shape into the slot and returns the previous one; for averages
   * of parameters and for gradient checks.
   *
   * @throws io.perflow.tensor.ShapeException when the shapes differ
   */
  public Tensor exchange(Tensor other) {
    Check.sameShape("exchange", "value for parameter " + name, other, value.shape());
    Tensor before = value;
    value = other;
    return before;
  }

  void to(DataType type) {
    value = owned(value.to(type));
  }

  void to(Device device) {
    value = owned(value.to(device));
  }

  @Override
  public String toString() {
    return name + " " + value.type() + " " + value.shape();
  }
}
