package io.perflow.physics.constraint;

import io.perflow.fixtures.Close;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.ejml.dense.row.factory.LinearSolverFactory_DDRM;

/**
 * Every affine projection against its definition: the matrix A of all constraints written out, and
 * x - A⁺(A x - p) with the pseudo-inverse from a singular value decomposition.
 */
class PseudoInverseTest {

  @Property(tries = 80)
  void isTheNearestPoint(
      @ForAll Manifold manifold,
      @ForAll @IntRange(min = 1, max = 2) int frames,
      @ForAll @IntRange(min = 4, max = 7) int height,
      @ForAll @IntRange(min = 4, max = 7) int width,
      @ForAll long seed) {
    int unit = manifold.needsEvenGrid() ? 2 : 1;
    Shape field = Shape.of(2, 2 * frames, height / unit * unit, width / unit * unit);
    Rng rng = Rng.of(seed);
    Projector p = manifold.projector(field, rng.split("constraint"));
    Assume.that(!p.curved());
    Tensor x = Laws.normal(rng.split("x"), field, DataType.F64);
    Tensor projected = p.project(x);
    for (int sample = 0; sample < field.dim(0); sample++) {
      Tensor one = x.slice(0, sample, sample + 1); // a scale where the nearest field is 0
      Tensor expected = nearest(p.constraints(), x, sample).add(one);
      Close.assertClose(
          "nearest", expected, projected.slice(0, sample, sample + 1).add(one), 1e-10);
    }
  }

  // Columns of A are what unit fields change in the residuals; all samples are tried at once, since
  // masks may differ between them.
  private static Tensor nearest(List<Constraint> constraints, Tensor x, int sample) {
    int size = x.size() / x.dim(0);
    double[] at = residuals(constraints, x, sample);
    double[] origin = residuals(constraints, x.zerosLike(), sample);
    DMatrixRMaj a = new DMatrixRMaj(at.length, size);
    for (int j = 0; j < size; j++) {
      double[] unit = new double[x.size()];
      unit[sample * size + j] = 1;
      double[] column = residuals(constraints, Tensor.of(unit, x.shape().toArray()), sample);
      for (int i = 0; i < column.length; i++) {
        a.set(i, j, column[i] - origin[i]);
      }
    }
    var solver = LinearSolverFactory_DDRM.pseudoInverse(true);
    solver.setA(a);
    DMatrixRMaj inverse = new DMatrixRMaj(size, at.length);
    solver.invert(inverse);
    DMatrixRMaj change = new DMatrixRMaj(size, 1);
    CommonOps_DDRM.mult(inverse, DMatrixRMaj.wrap(at.length, 1, at), change);
    Tensor one = x.slice(0, sample, sample + 1);
    return one.sub(Tensor.of(change.data, one.shape().toArray()));
  }

  private static double[] residuals(List<Constraint> constraints, Tensor x, int sample) {
    Tensor[] parts =
        constraints.stream()
            .map(c -> c.residual(x).slice(0, sample, sample + 1).reshape(-1))
            .toArray(Tensor[]::new);
    return Tensor.concat(0, parts).toDoubles();
  }
}
