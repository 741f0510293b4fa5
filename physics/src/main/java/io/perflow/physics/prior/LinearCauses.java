package io.perflow.physics.prior;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.equation.Equation;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.Optional;

/**
 * The first quantities of a problem, from which all others follow by a {@linkplain Equation#linear
 * linear} equation. If these are Gaussian, all quantities are, so a prior of the causes suffices:
 * it is smaller than a prior of all quantities, and the effect follows exactly from the cause.
 *
 * @param problem the problem of all quantities
 * @param equation the equation from which the other quantities follow
 * @param normalization the normalization of all quantities
 */
record LinearCauses(Problem problem, Equation equation, Normalization normalization) {
  // Part of the standard deviation; single precision and the conditioning of an equation leave
  // about 1e-6.
  private static final double TOLERANCE = 1e-3;

  /** Returns the causes of a problem, if it states a linear equation. */
  static Optional<LinearCauses> of(Problem problem, Normalization normalization) {
    return problem
        .equation()
        .filter(Equation::linear)
        .map(equation -> new LinearCauses(problem, equation, normalization));
  }

  private int quantities() {
    return equation.causes() / (problem.grid().cells() * problem.frameCount());
  }

  /** Returns the problem of the causes alone. */
  Problem causes() {
    return problem.first(quantities());
  }

  /** Returns the causes of normalized fields, in the same units. */
  Tensor select(Tensor fields) {
    return fields.slice(1, 0, quantities() * problem.frameCount());
  }

  /** Returns the normalized fields of normalized causes. */
  Tensor fields(Tensor causes) {
    try (Scope scope = Scope.open()) {
      return scope.keep(normalization.normalize(equation.fields(physical(causes))));
    }
  }

  /** Maps changes of normalized causes to changes of normalized fields. */
  Tensor changes(Tensor causes) {
    try (Scope scope = Scope.open()) {
      Tensor zero = causes.slice(0, 0, 1).zerosLike();
      return scope.keep(fields(causes).sub(fields(zero)));
    }
  }

  /** Returns whether normalized fields satisfy the equation up to rounding. */
  boolean hold(Tensor fields) {
    try (Scope _ = Scope.open()) {
      Tensor given = fields.to(DataType.F64);
      return fields(select(given)).sub(given).abs().max(false).item() <= TOLERANCE;
    }
  }

  // [batch, causes], F64
  private Tensor physical(Tensor causes) {
    int own = causes.dim(1);
    Normalization some =
        new Normalization(
            normalization.mean().subList(0, own), normalization.scale().subList(0, own));
    Tensor fields = some.denormalize(causes.to(DataType.F64)).contiguous();
    return fields.reshape(fields.dim(0), equation.causes());
  }
}
