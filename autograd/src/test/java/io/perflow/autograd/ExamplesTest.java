package io.perflow.autograd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Samples;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import org.junit.jupiter.api.Test;

/** The programs in the documentation of this package run. */
class ExamplesTest {
  @Test
  void linearRegressionOfThePackagePage() {
    Tensor x = Samples.of(1, 50, 3);
    Tensor truth = Tensor.of(new double[] {1, -2, 0.5}, 3, 1);
    Tensor y = x.matmul(truth);
    Tensor w = Tensor.of(new double[3], 3, 1);
    for (int step = 0; step < 200; step++) {
      try (Scope scope = Scope.open();
          Tape tape = Tape.watching(w)) {
        Gradients g = tape.gradients(x.matmul(w).sub(y).square().mean());
        w = scope.keep(w.sub(g.of(w).mul(0.5)));
      }
    }
    assertEquals(0, Samples.relativeError(w, truth), 1e-9);
  }

  @Test
  void hessianTimesAVectorOfTheTapePage() {
    Tensor x = Samples.of(2, 4);
    Tensor v = Samples.of(3, 4);
    try (Tape outer = Tape.watching(x)) {
      Tensor slope;
      try (Tape inner = Tape.watching(x)) {
        slope = inner.gradients(x.square().square().sum()).of(x);
      }
      Tensor hv = outer.gradients(slope.mul(v).sum()).of(x);
      assertEquals(0, Samples.relativeError(hv, x.square().mul(12).mul(v)), 1e-14);
    }
  }

  @Test
  void gradCheckOfItsOwnPage() {
    Tensor a = Samples.of(4, 2, 3);
    Tensor b = Samples.of(5, 3, 2);
    GradCheck.require(in -> in[0].matmul(in[1]).silu(), a, b);
    assertTrue(GradCheck.run(in -> in[0].matmul(in[1]).silu(), a, b).passed());
  }

  @Test
  void productsOfTheJacobianPage() {
    Tensor x = Samples.of(6, 3);
    Tensor v = Samples.of(7, 3);
    try (Jacobian j = Jacobian.of(Tensor::exp, x)) {
      Tensor y = j.value();
      assertEquals(0, Samples.relativeError(j.times(v), y.mul(v)), 1e-14);
      assertEquals(0, Samples.relativeError(j.transposedTimes(v), y.mul(v)), 1e-14);
    }
  }
}
