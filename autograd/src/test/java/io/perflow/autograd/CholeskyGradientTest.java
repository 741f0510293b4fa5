package io.perflow.autograd;

import io.perflow.tensor.Cholesky;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import org.junit.jupiter.api.Test;

/** Solutions of linear systems are differentiable with respect to their right-hand sides. */
class CholeskyGradientTest {
  @Test
  void ofEachSolve() {
    int n = 7;
    Tensor g = Rng.of(1).normal(Device.cpu(), Shape.of(n, n), DataType.F64);
    double[] a = g.matmul(g.transpose()).toDoubles();
    for (int i = 0; i < n; i++) {
      a[i * n + i] += 1;
    }
    Cholesky factor = Cholesky.of(Tensor.of(a, n, n));
    Tensor b = Rng.of(2).normal(Device.cpu(), Shape.of(n, 3), DataType.F64);
    GradCheck.require(in -> factor.solve(in[0]), b);
    GradCheck.require(in -> factor.lower(in[0]), b);
    GradCheck.require(in -> factor.upper(in[0]), b);
    GradCheck.require(in -> factor.solve(in[0].square()).square(), b);
  }
}
