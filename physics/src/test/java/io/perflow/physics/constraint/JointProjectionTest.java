package io.perflow.physics.constraint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Close;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several constraints at once: large systems, contradictions and least squares. */
class JointProjectionTest {
  private static final DivergenceFree LAW = DivergenceFree.spectral();

  private static Tensor random(String name, Shape shape) {
    return Laws.normal(Rng.of(1).split(name), shape, DataType.F64);
  }

  private static void message(String part, Runnable run) {
    var thrown = assertThrows(IllegalArgumentException.class, run::run);
    assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
  }

  /** The closed form in words: overwrite, then add one constant to what is not the boundary. */
  @Test
  void boundaryAndMassMoveTheInteriorAlone() {
    Tensor x = random("x", Shape.of(1, 1, 6, 6));
    Projector p = Projector.onto(Dirichlet.ring().value(0.5), Mass.over(2, 3).value(0.25));
    double[] moved = p.project(x).sub(x).toDoubles();
    double interior = 0;
    for (double value : x.slice(2, 1, 5).slice(3, 1, 5).toDoubles()) {
      interior += value;
    }
    double constant = (0.25 * 36 - 0.5 * 20 - interior) / 16;
    for (int i = 1; i < 5; i++) {
      for (int j = 1; j < 5; j++) {
        assertEquals(constant, moved[i * 6 + j], 1e-14);
      }
    }
  }

  @Test
  void manySensorsInAFlowAreIteratedOn() {
    // 0.3 * 2 * 64 * 64 rows per frame: too many to factor
    Shape field = Shape.of(1, 2, 64, 64);
    Measured sensors = Manifold.sensors(Rng.of(3), field, 0.3);
    Projector p = Projector.onto(LAW, sensors);
    Tensor x = random("x", field);
    Laws.satisfied(p, x);
    Laws.idempotent(p, x);
    // nearest: the change is orthogonal to every tangent
    Tensor at = p.project(x);
    Tensor v = p.tangent(random("v", field), at);
    double cosine = at.sub(x).mul(v).sum().item() / v.square().sum().item();
    assertEquals(0, cosine, 1e-12);
  }

  @Test
  void factorsAndIterationsAgree() {
    Shape field = Shape.of(2, 4, 12, 10);
    AllPins pins = new AllPins(List.of(Manifold.sensors(Rng.of(4), field.with(0, 1), 0.15)));
    Rows rows = new Rows(List.of(pins), field);
    Leray base = new Leray(LAW);
    Tensor r = rows.linear(base.linear(random("x", field)));
    Tensor byFrame = FrameCorrection.of(base, pins.on(field), field, 500).of(r, 1e-13);
    Tensor dense = new DenseCorrection(base, rows, rows.active()).of(r, 1e-13);
    Close.assertClose("dense", byFrame, dense, 1e-11);
    for (boolean leastSquares : new boolean[] {false, true}) {
      Tensor iterated = new IterativeCorrection(base, rows, leastSquares).of(r, 1e-13);
      Close.assertClose("iterated", byFrame, iterated, 1e-10);
    }
  }

  /** Sizes on both sides of the limits at which the linear algebra changes its method. */
  @ParameterizedTest
  @ValueSource(ints = {1, 59, 61, 1010})
  void factorsOfEverySizeSolve(int size) {
    double[] a = random("a", Shape.of(size, size)).toDoubles();
    double[] solution = random("solution", Shape.of(size)).toDoubles();
    for (int i = 0; i < size; i++) {
      for (int j = 0; j < i; j++) {
        a[i * size + j] = a[j * size + i];
      }
      a[i * size + i] += 3 * size;
    }
    double[] r = new double[size];
    for (int i = 0; i < size; i++) {
      for (int j = 0; j < size; j++) {
        r[i] += a[i * size + j] * solution[j];
      }
    }
    assertArrayEquals(solution, DenseSolver.of(a, size).solve(r), 1e-11);
  }

  /** The Leray projector by the general machinery, with the Poisson solver as preconditioner. */
  @Test
  void theMachineryRediscoversLeray() {
    Shape field = Shape.of(2, 2, 16, 12);
    Rows rows = new Rows(List.of(LAW), field);
    PinnedMean nothing = new PinnedMean(List.of(), null);
    Tensor x = random("x", field);
    Tensor gradient = new IterativeCorrection(nothing, rows, false).of(rows.linear(x), 1e-13);
    Close.assertClose("Leray", new Leray(LAW).linear(x), x.sub(gradient), 1e-12);
  }

  @Test
  void sensorsOfAFlowStoredInSinglePrecisionFit() {
    Shape field = Shape.of(1, 2, 16, 16);
    Tensor flow = Projector.onto(LAW).project(random("flow", field));
    // nine of ten places: far more equations than freedom, true to seven digits
    Tensor mask = Manifold.mask(Rng.of(5), field, 0.9);
    Projector p = Projector.onto(LAW, Measured.of(mask, flow.to(DataType.F32)));
    Tensor x = p.project(random("x", field));
    Close.assertClose("the flow itself", flow, x, 1e-5);
    assertTrue(LAW.meanSquare(x).item() < 1e-24);
  }

  @Test
  void contradictionsAreNamed() {
    Shape field = Shape.of(2, 2, 8, 8);
    Tensor x = random("x", field);
    Tensor all = Tensor.ones(8, 8);
    Measured ones = Measured.of(all, all);
    message(
        "boundary and sensors contradict each other: at [sample, channel, row, column] [0, 0, 0,"
            + " 0]",
        () -> Projector.onto(Dirichlet.ring(), ones).project(x));
    message(
        "sensors and mass contradict each other",
        () -> Projector.onto(ones, Mass.over(3).value(2)).project(x));
    message(
        "divergence-free and sensors contradict each other",
        () -> Projector.onto(LAW, Measured.of(all, random("noise", field))).project(x));
    message(
        "mass and mass contradict each other",
        () -> Projector.onto(Mass.over(2), Mass.over(3).value(1)).project(x));
    SparseMatrix twice = SparseMatrix.of(2, 128).add(0, 3, 1).add(1, 3, 2).build();
    Affine affine = Affine.of("probes", twice, Tensor.of(new double[] {1, 3}, 2));
    message("probes contradict", () -> Projector.onto(affine).project(x));
  }

  @Test
  void noisyReadingsAreFittedAsWellAsTheFlowAllows() {
    Shape field = Shape.of(2, 2, 8, 8);
    Tensor noisy = random("noise", field);
    Projector p = Projector.fitting(LAW, Measured.of(Tensor.ones(8, 8), noisy));
    // with a sensor everywhere the best fit is the nearest flow
    Tensor expected = Projector.onto(LAW).project(noisy);
    Close.assertClose("best fit", expected, p.project(random("x", field)), 1e-10);
    Laws.selfAdjoint(p, noisy, random("v", field), random("w", field));

    Tensor rim = Dirichlet.ring().residual(Tensor.ones(8, 8, 1, 1).reshape(1, 1, 8, 8));
    Projector walls = Projector.fitting(Dirichlet.ring(), Measured.of(rim, rim));
    Tensor x = walls.project(noisy);
    assertEquals(0, Dirichlet.ring().meanSquare(x).max(false).item(), "walls come first");
    Close.assertClose(
        "inside", noisy.slice(2, 1, 7).slice(3, 1, 7), x.slice(2, 1, 7).slice(3, 1, 7), 1e-14);
  }

  @Test
  void aFieldThatIsNotFiniteIsRefused() {
    Shape field = Shape.of(1, 2, 8, 8);
    Projector p = Projector.onto(LAW, Manifold.sensors(Rng.of(6), field, 0.1));
    message("not finite", () -> p.project(random("x", field).add(Double.NaN)));
  }
}
