package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.Dirichlet;
import io.perflow.physics.constraint.Mass;
import io.perflow.physics.constraint.Projector;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MultistepTest {
  private static final double MEAN = 0.7;
  private static final double START = 1.7;

  /**
   * The velocity of the exact flow from standard normal noise to normal data: the expected end
   * point is D = m + t c (x - t m) / ((1 - t)² + t² c).
   */
  private static VelocityField towardsNormal(double variance) {
    return (x, t) -> {
      double slope = t * variance / ((1 - t) * (1 - t) + t * t * variance);
      return x.add(-t * MEAN).mul(slope).add(MEAN).sub(x).div(1 - t);
    };
  }

  // the exact path is t m + √((1 - t)² + t² c) x₀
  private static double error(OdeSolver solver, double variance) {
    Tensor start = Tensor.of(new double[] {START}, 1, 1, 1, 1);
    double end = solver.integrate(towardsNormal(variance), start, OdeSolver.Retraction.NONE).item();
    return Math.abs(end - (MEAN + Math.sqrt(variance) * START));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.01, 0.1, 1, 2})
  void twiceTheStepsGiveAQuarterOfTheError(double variance) {
    double coarse = error(OdeSolver.multistep(160), variance);
    double fine = error(OdeSolver.multistep(320), variance);
    assertEquals(4, coarse / fine, 0.5, "%s, then %s".formatted(coarse, fine));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.01, 0.1, 0.3, 1, 2, 4})
  void tenStepsAreCloserToNormalDataThanFiftyOfEuler(double variance) {
    double ten = error(OdeSolver.multistep(10), variance);
    double fifty = error(OdeSolver.euler(50), variance);
    assertTrue(ten < 0.03, "10 steps are off by " + ten);
    assertTrue(ten < fifty, "10 steps are off by %s, Euler's by %s".formatted(ten, fifty));
  }

  @Test
  void aFixedEndPointIsReachedExactly() {
    Tensor start = Tensor.of(new double[] {START}, 1, 1, 1, 1);
    VelocityField straight = (x, t) -> x.neg().add(MEAN).div(1 - t);
    for (int steps = 1; steps < 20; steps++) {
      Tensor end = OdeSolver.multistep(steps).integrate(straight, start, OdeSolver.Retraction.NONE);
      assertEquals(MEAN, end.item(), 1e-14);
    }
  }

  /**
   * An end point that moves linearly in time is extrapolated without error after the first step.
   */
  @Test
  void anEndPointThatMovesLinearlyIsFollowedExactly() {
    // x = k (1 - t) log(1 - t) + k t + x₀ (1 - t) solves dx/dt = (k t - x) / (1 - t)
    double k = 3;
    double u = Math.pow(0.75, 1.5); // where the first of four steps ends
    double first = k * u * Math.log(u) + k * (1 - u) + START * u;
    VelocityField field = (x, t) -> x.neg().add(k * t).div(1 - t);
    List<Double> times = new ArrayList<>();
    OdeSolver.Retraction exactStart =
        (t, x) -> {
          times.add(t);
          double left = 1 - t;
          if (times.size() == 1) {
            return x.mul(0).add(first);
          }
          double exact = (left == 0 ? 0 : k * left * Math.log(left)) + k * t + START * left;
          assertEquals(exact, x.item(), 1e-13, "t = " + t);
          return x;
        };
    Tensor start = Tensor.of(new double[] {START}, 1, 1, 1, 1);
    OdeSolver.multistep(4).integrate(field, start, exactStart);
    double[] expected = {1 - u, 1 - Math.pow(0.5, 1.5), 0.875, 1};
    assertArrayEquals(expected, times.stream().mapToDouble(Double::doubleValue).toArray(), 1e-15);
  }

  @Test
  void oneStepIsEulers() {
    Tensor start = Rng.of(1).normal(Device.cpu(), Shape.of(2, 1, 4, 4), DataType.F64);
    VelocityField field = (x, t) -> x.square().add(t - 1);
    Tensor euler = OdeSolver.euler(1).integrate(field, start, OdeSolver.Retraction.NONE);
    Tensor own = OdeSolver.multistep(1).integrate(field, start, OdeSolver.Retraction.NONE);
    assertArrayEquals(euler.toDoubles(), own.toDoubles(), 1e-14);
  }

  /** A field with its own projection, which checks every state that it receives. */
  private record Watched(Projector projector, Projector asked, List<Tensor> states)
      implements VelocityField {
    @Override
    public Tensor at(Tensor x, double t) {
      return drift(x, t).velocity(x);
    }

    @Override
    public Drift drift(Tensor x, double t) {
      for (Constraint constraint : asked.constraints()) {
        double error = constraint.meanSquare(x).max(false).item();
        assertTrue(error < 1e-28, "%s is off by %s at t = %s".formatted(constraint, error, t));
      }
      states.add(x);
      Tensor clean = x.mul(3).sin().add(t * t);
      return new Drift(projector, clean, x, 1 / (1 - t));
    }
  }

  private static final Projector WALLS_AND_MASS =
      Projector.onto(Dirichlet.ring(0), Mass.over(2, 3).value(0.2));

  private static double[] ends(Projector projector, int steps) {
    Tensor noise = Rng.of(1).normal(Device.cpu(), Shape.of(2, 1, 8, 8), DataType.F64);
    Watched field = new Watched(projector, WALLS_AND_MASS, new ArrayList<>());
    Tensor end =
        OdeSolver.multistep(steps)
            .integrate(field, WALLS_AND_MASS.project(noise), OdeSolver.Retraction.NONE);
    assertEquals(steps, field.states.size(), "evaluations");
    for (Constraint constraint : WALLS_AND_MASS.constraints()) {
      assertEquals(0, constraint.meanSquare(end).max(false).item(), 1e-28);
    }
    return end.toDoubles();
  }

  @Test
  void affineConstraintsHoldAtEveryStage() {
    for (int steps : new int[] {1, 2, 3, 10, 100}) {
      ends(WALLS_AND_MASS, steps);
    }
    assertThrows(AssertionError.class, () -> ends(Projector.none(), 3));
  }

  @Test
  void pathsAreDeterministic() {
    assertArrayEquals(ends(WALLS_AND_MASS, 10), ends(WALLS_AND_MASS, 10));
  }

  /** A turn along a circle: tangents leave it, retractions lead back, and the order stays. */
  @Test
  void retractionsKeepPathsOnACurvedManifold() {
    Tensor start = Tensor.of(new double[] {1, 0}, 1, 1, 1, 2);
    Tensor turn = Tensor.of(new double[] {0, 1, -1, 0}, 2, 2); // (a, b) to (-b, a)
    VelocityField field = (x, t) -> x.reshape(1, 2).matmul(turn).reshape(1, 1, 1, 2).mul(1 + t);
    OdeSolver.Retraction circle = (_, x) -> x.div(x.square().sum().sqrt());
    double[] error = new double[2];
    for (int i = 0; i < 2; i++) {
      double[] end = OdeSolver.multistep(40 << i).integrate(field, start, circle).toDoubles();
      assertEquals(1, Math.hypot(end[0], end[1]), 1e-14);
      error[i] = Math.abs(Math.atan2(end[1], end[0]) - 1.5); // the angle is t + t²/2
    }
    assertEquals(4, error[0] / error[1], 0.5, "%s, then %s".formatted(error[0], error[1]));
  }
}
