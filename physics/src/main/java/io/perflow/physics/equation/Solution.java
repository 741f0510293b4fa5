package io.perflow.physics.equation;

import io.perflow.physics.constraint.Constraint;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;

/**
 * The condition that a field solves an equation: x - F(cause of x) = 0. It only measures; nothing
 * is projected onto it.
 *
 * @param equation the equation, in physical units
 */
public record Solution(Equation equation) implements Constraint {
  @Override
  public String name() {
    return "equation";
  }

  /** Returns the residual in F64, in the shape of the fields. */
  @Override
  public Tensor residual(Tensor x) {
    Tensor fields = x.to(DataType.F64);
    return fields.sub(equation.fields(equation.cause(fields)));
  }
}
