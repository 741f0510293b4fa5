package io.perflow.physics.equation;

import io.perflow.autograd.Jvp;
import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Map;
import java.util.function.UnaryOperator;

/** An equation written in Java as a function of tensors. */
record TapedEquation(
    Shape shape, int causes, UnaryOperator<Tensor> restriction, UnaryOperator<Tensor> solver)
    implements Equation {

  @Override
  public Map<String, Object> parameters() {
    return Map.of(); // a file cannot hold a function
  }

  @Override
  public Tensor cause(Tensor fields) {
    Tensor found = restriction.apply(fields.to(DataType.F64));
    Check.sameShape("equation", "causes", found, Shape.of(fields.dim(0), causes));
    return found;
  }

  @Override
  public Tensor fields(Tensor given) {
    Tensor found = solver.apply(given.to(DataType.F64));
    Check.sameShape("equation", "fields", found, shape.with(0, given.dim(0)));
    return found;
  }

  // The Jacobian of a batch of equal causes has a block for each, so one product gives all of them.
  @Override
  public Tensor tangent(Tensor cause, Tensor directions) {
    try (Scope scope = Scope.open()) {
      Tensor repeated = cause.expand(directions.shape()).contiguous();
      return scope.keep(Jvp.of(this::fields, repeated, directions.to(DataType.F64)).tangent());
    }
  }
}
