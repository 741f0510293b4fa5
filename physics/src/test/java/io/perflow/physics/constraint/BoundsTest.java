package io.perflow.physics.constraint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Close;
import io.perflow.physics.Normalization;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

class BoundsTest {
  private static Tensor field(double... values) {
    return Tensor.of(values, 1, 2, 1, values.length / 2);
  }

  private static void refused(String message, Runnable run) {
    var thrown = assertThrows(IllegalArgumentException.class, run::run);
    assertEquals(message, thrown.getMessage());
  }

  @Test
  void theResidualIsTheDistanceOutsideWithItsSign() {
    Tensor x = field(2, 5, 13, -1, 0, 7);
    Bounds a = Bounds.between(3, 12).channels(0);
    assertArrayEquals(new double[] {-1, 0, 1}, a.residual(x).toDoubles());
    assertArrayEquals(
        new double[] {-1, 0, 0}, Bounds.atLeast(0).channels(1).residual(x).toDoubles());
    assertEquals(2 / 3.0, a.meanSquare(x).item(), 1e-15);
    assertEquals(0, Bounds.between(-1, 13).meanSquare(x).item());
  }

  @Test
  void unitsMoveAndStretchBounds() {
    Normalization units = new Normalization(List.of(7.0, 0.5), List.of(4.0, 0.25));
    Tensor x = Laws.normal(Rng.of(1), Shape.of(2, 2, 3, 4), DataType.F64).mul(5).add(7);
    for (Bounds bounds :
        List.of(Bounds.between(3, 12), Bounds.atLeast(6).channels(1), Bounds.atMost(6))) {
      Tensor there = units.normalize(Projector.onto(bounds).project(x));
      Projector normalized = Projector.onto(bounds.normalized(units));
      Close.assertClose("units", there, normalized.project(units.normalize(x)), 1e-13);
    }
    Certificate found =
        Certificate.of(
            Tensor.of(new double[] {15, 5}, 1, 2, 1, 1),
            List.of(Bounds.between(3, 12).channels(0)),
            units);
    assertEquals(3, found.worst().getFirst().physical().max(), 1e-15);
    assertEquals(0.75, found.worst().getFirst().normalized().max(), 1e-15);
  }

  /** By hand: 4 and 2 lose one each, 0 would become negative. */
  @Test
  void aMeanIsSharedByTheValuesThatCanMove() {
    Tensor x = Tensor.of(new double[] {4, 2, 0, -1}, 1, 1, 2, 2);
    Tensor y = Projector.onto(Bounds.atLeast(0), Mass.mean(1)).project(x);
    assertArrayEquals(new double[] {3, 1, 0, 0}, y.toDoubles(), 1e-15);
  }

  /** Means of quantities that differ by many orders of magnitude are met to the same digits. */
  @Test
  void smallQuantitiesCountAsMuchAsLargeOnes() {
    Tensor scale = Tensor.of(new double[] {1e3, 1e-6}, 1, 2, 1, 1);
    Tensor x = Laws.normal(Rng.of(1), Shape.of(3, 2, 20, 20), DataType.F64).mul(scale);
    Tensor y =
        Projector.onto(
                Bounds.between(0, 2e3), Mass.mean(900).channels(0), Mass.mean(1e-6).channels(1))
            .project(x);
    double[] means = y.mean(2, 3).div(scale.reshape(1, 2)).toDoubles();
    assertArrayEquals(new double[] {0.9, 1, 0.9, 1, 0.9, 1}, means, 2e-14);
  }

  @Test
  void aMeanAtTheEdgeOfWhatIsPossibleIsPossible() {
    Tensor x = Laws.normal(Rng.of(1), Shape.of(1, 1, 5, 5), DataType.F64);
    Tensor y = Projector.onto(Bounds.between(0.1, 0.3), Mass.mean(0.3)).project(x);
    Close.assertClose("all at the bound", Tensor.full(y.device(), y.shape(), y.type(), 0.3), y, 0);
  }

  @Test
  void boundsAreConvexAndNotFlat() {
    Projector p = Projector.onto(Bounds.atLeast(0), Mass.mean(1));
    assertTrue(p.convex() && p.curved());
    assertTrue(Projector.onto(Mass.mean(1)).convex());
    assertFalse(Projector.onto(KineticEnergy.of(1)).convex());
  }

  @Test
  void readingsAreFittedFirst() {
    Tensor mask = Tensor.of(new double[] {1, 1, 0, 0}, 2, 2);
    Measured noisy = Measured.of(mask, Tensor.of(new double[] {-0.1, 0.4, 0, 0}, 2, 2));
    Tensor x = Tensor.of(new double[] {1, 1, -1, 2}, 1, 1, 2, 2);
    Projector p = Projector.fitting(noisy, Bounds.atLeast(0));
    assertArrayEquals(new double[] {0, 0.4, 0, 2}, p.project(x).toDoubles());
    Projector withMean = Projector.fitting(noisy, Bounds.atLeast(0), Mass.mean(0.3));
    Tensor y = withMean.project(x);
    assertEquals(0.3, y.mean().item(), 1e-15);
    assertEquals(0, Bounds.atLeast(0).meanSquare(y).item());
  }

  // ---- what cannot be

  @Test
  void boundsThatAreNone() {
    refused(
        "[bounds] the lower bound 12.0 is above the upper bound 3.0; swap them",
        () -> Bounds.between(12, 3));
    refused(
        "[bounds] -Infinity..Infinity: one side must be a finite number, the other may be open",
        () -> Bounds.between(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY));
    refused(
        "[bounds] NaN..1.0: one side must be a finite number, the other may be open",
        () -> Bounds.between(Double.NaN, 1));
    refused(
        "[bounds] Infinity..Infinity: one side must be a finite number, the other may be open",
        () -> Bounds.atLeast(Double.POSITIVE_INFINITY));
    refused(
        "[bounds] channels [1, 1] must differ and not be negative",
        () -> Bounds.atLeast(0).channels(1, 1));
    refused(
        "[bounds] channel 2 is outside field [1, 2, 1, 1] with 2 channels",
        () -> Bounds.atLeast(0).channels(2).residual(field(1, 2)));
  }

  @Test
  void emptySetsNameTheNumbers() {
    Tensor x = Tensor.zeros(1, 2, 2, 2);
    refused(
        "[projector] bounds and bounds contradict each other: channel 1 is to be at least 5.0 and"
            + " at most 3.0; drop one of them",
        () -> Projector.onto(Bounds.atLeast(5), Bounds.atMost(3).channels(1)).project(x));
    refused(
        "[projector] boundary and bounds contradict each other: at [sample, channel, row, column]"
            + " [0, 1, 0, 0] one wants 13.0, the other 3.0..12.0; drop one of them",
        () -> Projector.onto(Dirichlet.ring(1).value(13), Bounds.between(3, 12)).project(x));
    refused(
        "[projector] sensors and bounds contradict each other: at [sample, channel, row, column]"
            + " [0, 0, 0, 0] one wants -1.0, the other 0.0..; drop one of them, or fit the readings"
            + " by least squares (--fit-sensors, Projector.fitting)",
        () ->
            Projector.onto(
                    Measured.of(Tensor.ones(1, 1), Tensor.of(new double[] {-1}, 1)),
                    Bounds.atLeast(0))
                .project(x));
    refused(
        "[projector] mass and bounds contradict each other: at [sample, channel, row, column] [0,"
            + " 1, 0, 0] the mean is to be 0.5, and the bounds allow 0.0..0.25; widen them or drop"
            + " one",
        () ->
            Projector.onto(
                    Bounds.between(0, 0.5),
                    Dirichlet.on(Tensor.of(new double[] {1, 0}, 1, 2), Tensor.zeros(1)),
                    Mass.mean(0.5).channels(1))
                .project(x.slice(2, 0, 1)));
  }

  @Test
  void equationsThatNoFieldWithinBoundsSatisfies() {
    Tensor x = Laws.normal(Rng.of(1), Shape.of(2, 2, 4, 4), DataType.F64);
    Projector p =
        Projector.onto(
            Bounds.between(0, 1), Mass.mean(0.5).channels(0), Mass.mean(1.5).channels(1));
    refused(
        "[projector] bounds and mass and mass contradict each other: the nearest field misses mass"
            + " of sample 0 by 0.500 (root mean square); drop one of them",
        () -> p.project(x));
    SparseMatrix.Builder rows = SparseMatrix.of(2, 32).add(0, 0, 1).add(0, 1, 1).add(1, 1, 1);
    Affine sums =
        Affine.of("sums", rows.add(1, 2, -1).build(), Tensor.of(new double[] {2.5, 0}, 2));
    var thrown =
        assertThrows(
            IllegalArgumentException.class,
            () -> Projector.onto(sums, Bounds.between(0, 1)).project(x));
    assertTrue(
        thrown.getMessage().startsWith("[projector] sums and bounds contradict each other"),
        thrown.getMessage());
  }

  @Test
  void curvedConstraintsAreNotCombinedWithBounds() {
    refused(
        "[projector] bounds and kinetic energy cannot be combined: within bounds only affine"
            + " constraints have one nearest field; drop one of them",
        () -> Projector.onto(Bounds.atLeast(0), KineticEnergy.of(1)));
  }
}
