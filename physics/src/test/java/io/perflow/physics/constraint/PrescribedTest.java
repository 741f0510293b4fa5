package io.perflow.physics.constraint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import org.junit.jupiter.api.Test;

/** Boundary values, sensors and masses. */
class PrescribedTest {

  private static Tensor random(int... shape) {
    return Laws.normal(Rng.of(1), Shape.of(shape), DataType.F64);
  }

  private static void message(String part, Runnable run) {
    var thrown = assertThrows(IllegalArgumentException.class, run::run);
    assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
  }

  @Test
  void theRingIsTheRimOfTheNamedChannels() {
    Tensor x = random(1, 2, 3, 4);
    double[] before = x.toDoubles();
    double[] after = Projector.onto(Dirichlet.ring(1).value(5)).project(x).toDoubles();
    for (int i = 0; i < 12; i++) {
      assertEquals(before[i], after[i], "channel 0 is free");
      boolean inside = i == 5 || i == 6;
      assertEquals(inside ? before[12 + i] : 5, after[12 + i], "channel 1, place " + i);
    }
  }

  @Test
  void masksOfFewerAxesStandForAll() {
    Tensor mask = Tensor.of(new double[] {1, 0, 0, 1}, 2, 2);
    Tensor values = Tensor.of(new double[] {7, Double.NaN, Double.NaN, 8}, 2, 2);
    Tensor x = Projector.onto(Dirichlet.on(mask, values)).project(Tensor.zeros(2, 2, 2, 2));
    for (int plane = 0; plane < 4; plane++) {
      double[] part = x.reshape(4, 2, 2).select(0, plane).toDoubles();
      assertArrayEquals(new double[] {7, 0, 0, 8}, part);
    }
  }

  @Test
  void theMeanSquareCountsPrescribedPlacesOnly() {
    Tensor mask = Tensor.of(new double[] {1, 0, 0, 0, 1, 1, 1, 1}, 2, 1, 2, 2);
    Measured sensors = Measured.of(mask, Tensor.of(new double[] {0}, 1));
    double[] squares = sensors.meanSquare(Tensor.ones(2, 1, 2, 2).mul(3)).toDoubles();
    assertArrayEquals(new double[] {9, 9}, squares);
    Measured none = Measured.of(mask.mul(0), mask);
    assertArrayEquals(new double[2], none.meanSquare(Tensor.ones(2, 1, 2, 2)).toDoubles());
  }

  @Test
  void badMasksAreRefused() {
    Tensor x = Tensor.zeros(2, 2, 4, 4);
    Tensor zero = Tensor.zeros(1);
    message("height 5 and 4 differ", () -> Dirichlet.on(Tensor.ones(5, 4), zero).residual(x));
    message(
        "batch 3 and 2 differ",
        () -> Projector.onto(Measured.of(Tensor.ones(3, 1, 4, 4), zero)).project(x));
    message("0.5", () -> Dirichlet.on(Tensor.ones(4, 4).mul(0.5), zero));
    message("finite", () -> Measured.of(Tensor.ones(4, 4), zero.add(Double.NaN)));
    message("finite", () -> Dirichlet.ring().value(Double.POSITIVE_INFINITY));
    message("channel 2", () -> Projector.onto(Dirichlet.ring(2)).project(x));
    message("4 axes", () -> Projector.onto(Dirichlet.ring()).project(Tensor.zeros(4, 4)));
  }

  /** The floor for means of 128 values in single precision, with room for summation orders. */
  @Test
  void rowMeansAreRoundOffInSinglePrecision() {
    Mass mass = Mass.over(-1).value(0.3);
    Tensor x = Laws.normal(Rng.of(2), Shape.of(4, 1, 128, 128), DataType.F32);
    Tensor projected = Projector.onto(mass).project(x);
    double error = mass.meanSquare(projected.to(DataType.F64)).max(false).item();
    assertTrue(error <= 1e-15, "mean square " + error);
  }

  @Test
  void everySampleHasItsOwnMass() {
    Tensor m0 = Tensor.of(new double[] {1, -2}, 2, 1, 1, 1);
    Tensor x = Projector.onto(Mass.over(2, 3).channels(1).values(m0)).project(random(2, 3, 4, 5));
    double[] means = x.mean(2, 3).toDoubles();
    double[] free = random(2, 3, 4, 5).mean(2, 3).toDoubles();
    double[] expected = {free[0], 1, free[2], free[3], -2, free[5]};
    assertArrayEquals(expected, means, 1e-15);
  }

  @Test
  void badMassesAreRefused() {
    Tensor x = Tensor.zeros(2, 2, 4, 4);
    message("axes [1]", () -> Mass.over(1));
    message("axes []", () -> Mass.over());
    message("differ", () -> Mass.over(2).channels(0, 0));
    message("channel 2", () -> Mass.over(2).channels(2).residual(x));
    message("over which the mean is taken", () -> Mass.over(3).values(Tensor.zeros(1, 1, 4, 4)));
    message("batch 3 and 2", () -> Mass.over(3).values(Tensor.zeros(3, 1, 1, 1)).residual(x));
    message("finite", () -> Mass.over(3).value(Double.NaN));
  }
}
