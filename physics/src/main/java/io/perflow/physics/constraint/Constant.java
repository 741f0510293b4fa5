package io.perflow.physics.constraint;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The numbers of a constraint, kept in double precision and converted to the type and the device of
 * the field that they are applied to.
 */
final class Constant {
  private record Kind(DataType type, Device device) {}

  private final Tensor exact;
  private final Map<Kind, Tensor> versions = new ConcurrentHashMap<>();

  private Constant(Tensor exact) {
    this.exact = exact;
  }

  /** Returns a copy of a tensor's numbers that outlives every scope. */
  static Constant of(Tensor tensor) {
    return new Constant(Scope.detach(Tensor.of(tensor.toDoubles(), tensor.shape().toArray())));
  }

  /** Returns the numbers themselves, F64 on the CPU. */
  Tensor exact() {
    return exact;
  }

  /** Returns the numbers for an operation with this tensor. */
  Tensor like(Tensor field) {
    return versions.computeIfAbsent(
        new Kind(field.type(), field.device()),
        kind -> Scope.detach(exact.to(kind.type()).to(kind.device())));
  }
}
