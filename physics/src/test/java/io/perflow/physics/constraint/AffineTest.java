package io.perflow.physics.constraint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
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

class AffineTest {
  private static final Shape FIELD = Shape.of(2, 1, 40, 40);

  private static void message(String part, Runnable run) {
    var thrown = assertThrows(IllegalArgumentException.class, run::run);
    assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
  }

  // Neighbours along a row differ by p: as many equations as pairs.
  private static SparseMatrix differences(int height, int width) {
    SparseMatrix.Builder matrix = SparseMatrix.of(height * (width - 1), height * width);
    for (int row = 0; row < matrix.build().rows(); row++) {
      int at = row / (width - 1) * width + row % (width - 1);
      matrix.add(row, at, -1).add(row, at + 1, 1);
    }
    return matrix.build();
  }

  @Test
  void manyEquationsAreIteratedOn() {
    SparseMatrix matrix = differences(40, 40);
    Affine slope =
        Affine.of("slope", matrix, Tensor.of(new double[matrix.rows()], matrix.rows()).add(0.1));
    Tensor x = Laws.normal(Rng.of(1), FIELD, DataType.F64);
    Tensor y = Projector.onto(slope).project(x);
    // rows become straight lines that keep their mean
    Close.assertClose("means", x.mean(3), y.mean(3), 1e-9);
    assertEquals(0, slope.meanSquare(y).max(false).item(), 1e-22);
  }

  @Test
  void functionsDoAsAMatrixDoes() {
    SparseMatrix matrix = differences(6, 5);
    Tensor p = Laws.normal(Rng.of(2), Shape.of(2, matrix.rows()), DataType.F64);
    Affine sparse = Affine.of("slope", matrix, p);
    Affine free =
        Affine.of(
            "slope",
            x -> x.slice(3, 1, 5).sub(x.slice(3, 0, 4)).reshape(x.dim(0), -1),
            r -> {
              Tensor steps = r.reshape(r.dim(0), 1, 6, 4);
              return steps.pad(3, 1, 0).sub(steps.pad(3, 0, 1));
            },
            p);
    Tensor x = Laws.normal(Rng.of(3), Shape.of(2, 1, 6, 5), DataType.F64);
    Close.assertClose("residual", sparse.residual(x), free.residual(x), 1e-14);
    Close.assertClose(
        "projection", Projector.onto(sparse).project(x), Projector.onto(free).project(x), 1e-12);
  }

  @Test
  void linearConditionsOfUsersStayLinearInUnitsOfANetwork() {
    ColumnSum physical = new ColumnSum(3, 1200);
    Normalization units =
        new Normalization(List.of(300.0), List.of(2.0)).then(Normalization.identity(1));
    Constraint own = physical.normalized(units).normalized(Normalization.identity(1));
    assertInstanceOf(AffineConstraint.class, own);
    assertEquals("sum of column 3", own.name());
    Shape field = Shape.of(2, 1, 4, 5);
    // bounds are combined with linear conditions only
    Projector p = Projector.onto(own, Bounds.between(290, 310).normalized(units));
    assertFalse(Projector.onto(own).curved());
    Tensor x = p.project(Laws.normal(Rng.of(5), field, DataType.F64));
    assertEquals(0, physical.meanSquare(units.denormalize(x)).max(false).item(), 1e-18);
  }

  @Test
  void badInputIsRefused() {
    SparseMatrix matrix = SparseMatrix.of(1, 4).add(0, 1, 2).build();
    Tensor one = Tensor.ones(1);
    Tensor x = Tensor.zeros(3, 1, 2, 2);
    message("outside 1 x 4", () -> SparseMatrix.of(1, 4).add(0, 4, 1));
    message("finite", () -> SparseMatrix.of(1, 4).add(0, 0, Double.NaN));
    message("rows of p", () -> Affine.of("probe", matrix, Tensor.ones(2)));
    message("columns", () -> Affine.of("probe", matrix, one).residual(Tensor.zeros(1, 1, 3, 2)));
    message("2 samples", () -> Affine.of("probe", matrix, Tensor.ones(2, 1)).residual(x));
    message(
        "row 0 of the matrix is zero", () -> Affine.of("no", SparseMatrix.of(1, 4).build(), one));
    Affine wrong =
        Affine.of(
            "mean",
            f -> f.mean(1, 2, 3).unsqueeze(1),
            r -> r.reshape(-1, 1, 1, 1).expand(Shape.of(r.dim(0), 1, 2, 2)),
            one);
    message("is not the transpose of the first", () -> Projector.onto(wrong).project(x));
  }
}
