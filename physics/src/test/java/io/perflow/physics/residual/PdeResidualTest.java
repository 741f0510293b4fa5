package io.perflow.physics.residual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.autograd.GradCheck;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PdeResidualTest {
  static List<String> names() {
    return PdeResidual.all().stream().map(PdeResidual::name).toList();
  }

  @ParameterizedTest
  @MethodSource("names")
  void gradientsAreRight(String name) {
    PdeResidual pde = PdeResidual.of(name);
    assertEquals(name, pde.name());
    Shape shape = Shape.of(2, name.startsWith("burgers") ? 1 : 2, 5, 6);
    Tensor field = Rng.of(4).normal(Device.cpu(), shape, DataType.F64);
    GradCheck.require(in -> pde.residual(in[0]), field);
  }

  @ParameterizedTest
  @MethodSource("names")
  void singlePrecisionStaysSingle(String name) {
    Tensor field = Tensor.ones(1, name.startsWith("burgers") ? 1 : 2, 4, 4);
    assertSame(DataType.F32, PdeResidual.of(name).residual(field).type());
  }

  @Test
  void correctedBurgersIsOfSecondOrder() {
    assertSecondOrder("burgers-corrected", PdeResidualTest::burgers);
  }

  @Test
  void correctedPoissonIsOfSecondOrder() {
    assertSecondOrder("poisson-corrected", n -> poisson(n, 1.0 / (n - 1)));
  }

  @Test
  void correctedDarcyIsOfSecondOrder() {
    assertSecondOrder("darcy-corrected", n -> darcy(n, 0, 1.0 / (n - 1)));
    assertSecondOrder("darcy-cells-corrected", n -> darcy(n, 0.5 / n, 1.0 / n));
  }

  @Test
  void correctedDivergenceIsOfSecondOrder() {
    assertSecondOrder("ns-corrected", PdeResidualTest::flow);
  }

  @Test
  void publishedDarcyStaysAtOneOnSolutions() {
    Tensor residual = PdeResidual.of("darcy-published").residual(darcy(65, 0, 1.0 / 64));
    double[] inside = Stencil.interior(Stencil.interior(residual)).toDoubles();
    for (double r : inside) {
      assertEquals(1, r, 1e-3);
    }
  }

  @Test
  void binaryPermeabilityLeavesNoResidualWhereFluxesBalance() {
    // -(a p')' = 1 in one dimension, solved by hand on five nodes with a = 12, 12, 3, 3, 3:
    // faces 12, 7.5, 3, 3; p = 0, p1, p2, p3, 0 with h = 1/4
    double[] faces = {12, 7.5, 3, 3};
    double h2 = 1.0 / 16;
    // flux through face j is f0 - j h², and the jumps of p sum to zero
    double weights = 0;
    double shift = 0;
    for (int j = 0; j < 4; j++) {
      weights += 1 / faces[j];
      shift += j * h2 / faces[j];
    }
    double[] p = new double[5];
    for (int j = 0; j < 4; j++) {
      p[j + 1] = p[j] + (shift / weights - j * h2) / faces[j];
    }
    double[] a = {12, 12, 3, 3, 3};
    Tensor field =
        Tensor.concat(1, sample(5, 5, (i, j) -> a[(int) i]), sample(5, 5, (i, j) -> p[(int) i]));
    for (double r : PdeResidual.of("darcy-corrected").residual(field).toDoubles()) {
      assertEquals(0, r, 1e-13);
    }
  }

  @Test
  void componentsOfAFlowFollowEachOther() {
    Tensor flow = flow(8);
    Tensor still = flow.zerosLike();
    Tensor[] planes = {
      still.slice(1, 0, 1), flow.slice(1, 0, 1), still.slice(1, 1, 2), flow.slice(1, 1, 2)
    };
    Tensor residual = PdeResidual.of("ns-corrected").residual(Tensor.concat(1, planes).mul(2));
    assertEquals(Shape.of(1, 2, 8, 8), residual.shape());
    assertEquals(0, residual.select(1, 0).abs().max(false).item());
    assertTrue(residual.select(1, 1).abs().max(false).item() > 0.1);
  }

  @Test
  void badFieldsAreNamed() {
    PdeResidual darcy = PdeResidual.of("darcy-corrected");
    assertMessage("[darcy-corrected] channels", () -> darcy.residual(Tensor.ones(1, 1, 8, 8)));
    assertMessage("3 points", () -> darcy.residual(Tensor.ones(1, 2, 2, 8)));
    PdeResidual ns = PdeResidual.of("ns-corrected");
    assertMessage("pairs u, v", () -> ns.residual(Tensor.ones(1, 3, 8, 8)));
    String message =
        assertThrows(IllegalArgumentException.class, () -> PdeResidual.of("heat")).getMessage();
    assertTrue(message.contains("unknown residual 'heat'; known: burgers-published"), message);
  }

  private static void assertMessage(String part, Runnable action) {
    String message = assertThrows(ShapeException.class, action::run).getMessage();
    assertTrue(message.contains(part), message);
  }

  // ---- exact solutions

  private interface Solution {
    Tensor on(int points);
  }

  private static void assertSecondOrder(String name, Solution solution) {
    PdeResidual pde = PdeResidual.of(name);
    double coarse = Math.sqrt(pde.meanSquare(solution.on(33)).item());
    double fine = Math.sqrt(pde.meanSquare(solution.on(65)).item());
    double finest = Math.sqrt(pde.meanSquare(solution.on(129)).item());
    assertEquals(2, Math.log(coarse / fine) / Math.log(2), 0.15, name);
    assertEquals(2, Math.log(fine / finest) / Math.log(2), 0.1, name);
  }

  private static Tensor sample(int rows, int columns, DoubleBinaryOperator f) {
    double[] values = new double[rows * columns];
    for (int i = 0; i < values.length; i++) {
      values[i] = f.applyAsDouble(i / columns, i % columns);
    }
    return Tensor.of(values, 1, 1, rows, columns);
  }

  /**
   * Cole and Hopf: u = -2ν φ_x / φ with φ = 2 + exp(-4π²ν t) cos 2πx, which solves φ_t = ν φ_xx.
   */
  private static Tensor burgers(int n) {
    double nu = 0.01;
    return sample(
        n,
        n,
        (i, j) -> {
          double decay = Math.exp(-4 * Math.PI * Math.PI * nu * i / (n - 1));
          double angle = 2 * Math.PI * j / n;
          return 4 * Math.PI * nu * decay * Math.sin(angle) / (2 + decay * Math.cos(angle));
        });
  }

  private static Tensor poisson(int n, double h) {
    DoubleBinaryOperator u = (i, j) -> Math.sin(Math.PI * i * h) * Math.sin(2 * Math.PI * j * h);
    Tensor solution = sample(n, n, u);
    return Tensor.concat(1, solution.mul(-5 * Math.PI * Math.PI), solution);
  }

  /** a = 1/(1 + r²) and p = -r²/4 - r⁴/8: the flux a p' is -r/2, whose divergence is -1. */
  private static Tensor darcy(int n, double first, double h) {
    DoubleBinaryOperator r2 =
        (i, j) -> Math.pow(first + i * h - 0.3, 2) + Math.pow(first + j * h - 0.6, 2);
    Tensor a = sample(n, n, (i, j) -> 1 / (1 + r2.applyAsDouble(i, j)));
    Tensor p =
        sample(
            n,
            n,
            (i, j) -> {
              double q = r2.applyAsDouble(i, j);
              return -q / 4 - q * q / 8;
            });
    return Tensor.concat(1, a, p);
  }

  /** The curl of ψ = sin(2πx) sin(4πy + 1), x along the rows. */
  private static Tensor flow(int n) {
    double w = 2 * Math.PI;
    Tensor u = sample(n, n, (i, j) -> 2 * w * Math.sin(w * i / n) * Math.cos(2 * w * j / n + 1));
    Tensor v = sample(n, n, (i, j) -> -w * Math.cos(w * i / n) * Math.sin(2 * w * j / n + 1));
    return Tensor.concat(1, u, v);
  }
}
