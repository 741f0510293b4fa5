package io.perflow.physics.constraint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
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

/** Means over a domain; {@link Manifold} puts them under the laws of all projectors. */
class MassWithinTest {
  private static final Tensor CORNER = Tensor.of(new double[] {1, 1, 0, 1, 0, 0}, 2, 3);
  private static final Tensor X = Tensor.of(new double[] {1, 2, 3, 4, 5, 6}, 1, 1, 2, 3);

  @Test
  void placesOutsideDoNotCountAndDoNotMove() {
    Mass mass = Mass.mean(10).within(CORNER);
    assertArrayEquals(new double[] {7.0 / 3 - 10}, mass.residual(X).toDoubles(), 1e-14);
    double shift = 10 - 7.0 / 3;
    assertArrayEquals(
        new double[] {1 + shift, 2 + shift, 3, 4 + shift, 5, 6},
        Projector.onto(mass).project(X).toDoubles(),
        1e-13);
  }

  @Test
  void rowsWithoutAPlaceAreFree() {
    Tensor top = Tensor.of(new double[] {1, 1, 0, 0, 0, 0}, 2, 3);
    Mass rows = Mass.over(3).within(top).value(4);
    assertArrayEquals(new double[] {1.5 - 4, 0}, rows.residual(X).toDoubles(), 1e-14);
    assertArrayEquals(
        new double[] {3.5, 4.5, 3, 4, 5, 6}, Projector.onto(rows).project(X).toDoubles(), 1e-13);
  }

  @Test
  void theWholeGridIsADomain() {
    Tensor x = Laws.normal(Rng.of(1), Shape.of(2, 3, 4, 5), DataType.F64);
    Mass whole = Mass.over(2, 3).channels(2, 0).value(0.5);
    Mass within = whole.within(Tensor.ones(3, 4, 5));
    Close.assertClose("residual", whole.residual(x), within.residual(x), 1e-13);
    Tensor r = Laws.normal(Rng.of(2), Shape.of(2, 2, 1, 1), DataType.F64);
    Close.assertClose("adjoint", whole.adjoint(r, x.shape()), within.adjoint(r, x.shape()), 1e-13);
    Close.assertClose(
        "inverse", whole.precondition(r, x.shape()), within.precondition(r, x.shape()), 1e-13);
    Close.assertClose(
        "nearest", Projector.onto(whole).project(x), Projector.onto(within).project(x), 1e-13);
  }

  /** Two readings of one mean cannot both hold; the mean does. */
  @Test
  void meansHoldWhereReadingsAreFitted() {
    Mass mass = Mass.mean(10).within(CORNER);
    Tensor known = Tensor.of(new double[] {1, 1, 0, 1, 0, 1}, 2, 3);
    Tensor fitted = Projector.fitting(mass, Measured.of(known, X)).project(X.mul(0));
    double shift = 10 - 7.0 / 3;
    assertArrayEquals(
        new double[] {1 + shift, 2 + shift, 0, 4 + shift, 0, 6}, fitted.toDoubles(), 1e-9);
    Mass rows = Mass.over(3).value(1);
    Tensor both = Projector.fitting(mass, rows, Measured.of(known, X)).project(X);
    assertEquals(0, mass.residual(both).abs().max(false).item(), 1e-12);
    assertEquals(0, rows.residual(both).abs().max(false).item(), 1e-12);
  }

  @Test
  void unitsAndMessages() {
    Mass mass = Mass.mean(10).within(CORNER);
    Normalization units = new Normalization(List.of(4.0), List.of(2.0));
    Tensor there = Projector.onto(mass.normalized(units)).project(units.normalize(X));
    Close.assertClose("units", Projector.onto(mass).project(X), units.denormalize(there), 1e-13);
    message("0 everywhere", () -> Mass.mean(1).within(Tensor.zeros(2, 3)));
    message("1 in the domain", () -> Mass.mean(1).within(Tensor.ones(2, 3).mul(0.5)));
    message("the same for all", () -> Mass.mean(1).within(Tensor.ones(2, 1, 2, 3)));
    message("height 2 and 4 differ", () -> mass.residual(Tensor.zeros(1, 1, 4, 3)));
    assertEquals("mass", mass.name());
  }

  private static void message(String part, Runnable run) {
    var thrown = assertThrows(IllegalArgumentException.class, run::run);
    assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
  }
}
