package io.perflow.physics.solver;

import io.perflow.physics.equation.Equation;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/** An equation on a square in which the first of two fields determines the second. */
interface TwoFields extends Equation {
  /** Returns the number of points along each axis. */
  int size();

  @Override
  default Shape shape() {
    return Shape.of(1, 2, size(), size());
  }

  @Override
  default int causes() {
    return size() * size();
  }

  /** Returns the first field. */
  @Override
  default Tensor cause(Tensor fields) {
    return fields.select(1, 0).reshape(fields.dim(0), causes()).to(DataType.F64);
  }
}
