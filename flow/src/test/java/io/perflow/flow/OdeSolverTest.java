package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.Tensor;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

class OdeSolverTest {
  // dx/dt = x cos(5 t) + t, with a solution known by much finer steps
  private static final VelocityField FIELD = (x, t) -> x.mul(Math.cos(5 * t)).add(t);

  private static double end(OdeSolver solver) {
    Tensor start = Tensor.of(new double[] {1.5}, 1, 1, 1, 1);
    return solver.integrate(FIELD, start, OdeSolver.Retraction.NONE).item();
  }

  private static void assertOrder(int order, IntFunction<OdeSolver> method) {
    double exact = end(OdeSolver.rk4(4000));
    double coarse = Math.abs(end(method.apply(40)) - exact);
    double fine = Math.abs(end(method.apply(80)) - exact);
    assertEquals(order, Math.log(coarse / fine) / Math.log(2), 0.15, method.apply(40).describe());
  }

  @Test
  void everyMethodHasItsOrder() {
    assertOrder(1, OdeSolver::euler);
    assertOrder(2, OdeSolver::midpoint);
    assertOrder(2, OdeSolver::heun);
    assertOrder(2, OdeSolver::multistep);
    assertOrder(4, OdeSolver::rk4);
  }

  @Test
  void dormandPrinceKeepsItsTolerance() {
    double exact = end(OdeSolver.rk4(4000));
    double loose = Math.abs(end(OdeSolver.dormandPrince(1e-3)) - exact);
    double tight = Math.abs(end(OdeSolver.dormandPrince(1e-9)) - exact);
    assertTrue(loose < 1e-2, "loose " + loose);
    assertTrue(tight < 1e-8, "tight " + tight);
  }

  @Test
  void theStartIsNotTouched() {
    Tensor start = Tensor.of(new double[] {1.5}, 1, 1, 1, 1);
    for (String method : List.of("euler", "multistep", "dopri5")) {
      OdeSolver.of(method, 3).integrate(FIELD, start, OdeSolver.Retraction.NONE);
      assertEquals(1.5, start.item(), method);
    }
  }

  @Test
  void retractionsReplaceStates() {
    Tensor start = Tensor.of(new double[] {1.5}, 1, 1, 1, 1);
    for (String method : List.of("heun", "multistep", "dopri5")) {
      Tensor end = OdeSolver.of(method, 3).integrate(FIELD, start, (t, x) -> x.mul(0).add(t));
      assertEquals(1, end.item(), method);
    }
  }

  @Test
  void namesAreCheckedAndStepsAreCounted() {
    assertEquals("heun-7", OdeSolver.of("heun", 7).describe());
    assertEquals("multistep-7", OdeSolver.of("multistep", 7).describe());
    IllegalArgumentException unknown =
        assertThrows(IllegalArgumentException.class, () -> OdeSolver.of("ode45", 3));
    assertTrue(unknown.getMessage().contains("euler, midpoint, heun, rk4, multistep, dopri5"));
    assertThrows(IllegalArgumentException.class, () -> OdeSolver.euler(0));
    assertThrows(IllegalArgumentException.class, () -> OdeSolver.multistep(0));
  }
}
