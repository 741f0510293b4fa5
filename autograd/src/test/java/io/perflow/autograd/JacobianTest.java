package io.perflow.autograd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Samples;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Images;
import io.perflow.tensor.Norms;
import io.perflow.tensor.Pool2dSpec;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Recorder;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class JacobianTest {
  private static final Tensor FILTER = Samples.of(1, 4, 2, 3, 3);

  // (1, 2, 4, 4) to (1, 4, 2, 2), through most that a network is made of
  private static Tensor network(Tensor x) {
    Tensor h = Images.conv2d(x, FILTER, null, Conv2dSpec.of(1, 1));
    h = Norms.groupNormSilu(h, 2, null, null, 1e-3);
    h = Fourier.irfft(Fourier.rfft(h, 2).mul(0.5), 4, 4).add(h.softmax());
    return Images.maxPool2d(h, Pool2dSpec.of(2));
  }

  private static final Tensor X = Samples.of(2, 1, 2, 4, 4);

  private static Tensor difference(Tensor v) {
    double eps = 1e-6;
    Tensor right = network(X.addScaled(v, eps));
    return right.sub(network(X.addScaled(v, -eps))).mul(0.5 / eps);
  }

  @Test
  void forwardModeAgreesWithDifferences() {
    Tensor v = Samples.of(3, 1, 2, 4, 4);
    Jvp jvp = Jvp.of(JacobianTest::network, X, v);
    assertArrayEquals(network(X).toDoubles(), jvp.value().toDoubles());
    assertEquals(Shape.of(1, 4, 2, 2), jvp.tangent().shape());
    assertEquals(0, Samples.relativeError(jvp.tangent(), difference(v)), 1e-7);
  }

  @Test
  void productsCanBeRepeatedAndAreAdjoint() {
    try (Jacobian j = Jacobian.of(JacobianTest::network, X)) {
      for (int k = 0; k < 3; k++) {
        Tensor v = Samples.of(10 + k, 1, 2, 4, 4);
        Tensor u = Samples.of(20 + k, 1, 4, 2, 2);
        Tensor jv = j.times(v);
        Tensor ju = j.transposedTimes(u);
        assertEquals(0, Samples.relativeError(jv, difference(v)), 1e-7);
        assertEquals(Samples.dot(jv, u), Samples.dot(v, ju), 1e-12);
      }
    }
  }

  @Test
  void productsSurviveTheScopesTheyWereRecordedIn() {
    Tensor v = Samples.of(3, 1, 2, 4, 4);
    Tensor expected = Jvp.of(JacobianTest::network, X, v).tangent();
    try (Scope _ = Scope.open()) {
      Jacobian j;
      try (Scope _ = Scope.open()) {
        j = Jacobian.of(JacobianTest::network, X);
      }
      try (Scope _ = Scope.open()) {
        j.times(v);
      }
      assertArrayEquals(expected.toDoubles(), j.times(v).toDoubles());
      j.close();
    }
  }

  @Test
  void aConstantHasAZeroJacobian() {
    Tensor c = Samples.of(4, 3);
    try (Jacobian j = Jacobian.of(_ -> c, X)) {
      assertArrayEquals(new double[3], j.times(X).toDoubles());
      assertArrayEquals(new double[32], j.transposedTimes(c).toDoubles());
    }
    try (Jacobian j = Jacobian.of(x -> x.greater(0), X)) {
      assertArrayEquals(new double[32], j.times(X).toDoubles());
      assertArrayEquals(new double[32], j.transposedTimes(X).toDoubles());
    }
  }

  @Test
  void theIdentityHasTheIdentity() {
    Tensor v = Samples.of(5, 1, 2, 4, 4);
    try (Jacobian j = Jacobian.of(x -> x, X)) {
      assertArrayEquals(v.toDoubles(), j.times(v).toDoubles());
      assertArrayEquals(v.toDoubles(), j.transposedTimes(v).toDoubles());
    }
  }

  @Test
  void productsAreDifferentiable() {
    Tensor v = Samples.of(6, 3);
    GradCheck.require(
        in -> Jvp.of(x -> x.exp().mul(x.sum()), in[0], in[1]).tangent(), Samples.of(7, 3), v);
    GradCheck.require(
        in -> {
          try (Jacobian j = Jacobian.of(x -> x.exp().mul(x.sum()), in[0])) {
            return j.transposedTimes(j.times(in[1])); // a Gauss-Newton product
          }
        },
        Samples.of(7, 3),
        v);
  }

  @Test
  void refusesWrongShapesAndUseAfterClose() {
    Jacobian j = Jacobian.of(x -> x.sum(0), X);
    assertThrows(ShapeException.class, () -> j.times(Samples.of(1, 3)));
    assertThrows(ShapeException.class, () -> j.transposedTimes(X));
    j.close();
    j.close();
    var e = assertThrows(IllegalStateException.class, () -> j.times(X));
    assertTrue(e.getMessage().contains("closed"), e.getMessage());
  }

  @Test
  void belongsToItsThread() {
    try (Jacobian j = Jacobian.of(Tensor::exp, X)) {
      assertThrows(
          CompletionException.class, () -> CompletableFuture.runAsync(() -> j.times(X)).join());
    }
  }

  @Test
  void aFailingFunctionLeavesTheThreadClean() {
    assertThrows(ShapeException.class, () -> Jacobian.of(x -> x.exp().add(Samples.of(1, 7)), X));
    assertNull(Recorder.current());
  }
}
