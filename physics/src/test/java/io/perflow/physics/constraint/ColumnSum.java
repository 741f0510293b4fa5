package io.perflow.physics.constraint;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/** A linear constraint as a user would write one: the sum of channel 0 over a column. */
record ColumnSum(int at, double sum) implements AffineConstraint {
  @Override
  public String name() {
    return "sum of column " + at;
  }

  @Override
  public Tensor linear(Tensor x) {
    return x.slice(1, 0, 1).slice(3, at, at + 1).sum(1, 2, 3).reshape(x.dim(0), 1);
  }

  @Override
  public Tensor adjoint(Tensor r, Shape field) {
    double[] column = new double[field.size() / field.dim(0)];
    for (int row = 0; row < field.dim(2); row++) {
      column[row * field.dim(3) + at] = 1;
    }
    Tensor mask = Tensor.of(column, field.with(0, 1).toArray());
    return mask.to(r.type()).to(r.device()).mul(r.reshape(field.dim(0), 1, 1, 1));
  }

  @Override
  public Tensor residual(Tensor x) {
    return linear(x).sub(sum);
  }
}
