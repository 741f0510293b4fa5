package io.perflow.physics.constraint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.autograd.GradCheck;
import io.perflow.fixtures.Close;
import io.perflow.physics.Normalization;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Collections;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.ejml.dense.row.factory.LinearSolverFactory_DDRM;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DivergenceFree3dTest {
  private static final double TWO_PI = 2 * Math.PI;

  private static Tensor normal(Rng rng, String name, Shape shape, DataType type) {
    return Laws.normal(rng.split(name), shape, type);
  }

  private static Shape even(Derivative derivative, int batch, int frames, int d, int h, int w) {
    int unit = derivative == Derivative.SPECTRAL ? 2 : 1;
    return Shape.of(batch, 3 * frames, unit * d, unit * h, unit * w);
  }

  @Property(tries = 40)
  void theLawsOfProjectors(
      @ForAll Derivative derivative,
      @ForAll DataType type,
      @ForAll @IntRange(min = 1, max = 2) int frames,
      @ForAll @IntRange(min = 1, max = 6) int depth,
      @ForAll @IntRange(min = 1, max = 6) int height,
      @ForAll @IntRange(min = 1, max = 6) int width,
      @ForAll long seed) {
    Projector p = Projector.onto(DivergenceFree3d.of(derivative));
    Shape field = even(derivative, 2, frames, depth, height, width);
    Rng rng = Rng.of(seed);
    Tensor x = normal(rng, "x", field, type);
    Tensor v = normal(rng, "v", field, type);
    Tensor w = normal(rng, "w", field, type);
    Laws.satisfied(p, x);
    Laws.idempotent(p, x);
    Laws.selfAdjoint(p, x, v, w);
    Laws.tangentIsDerivative(p, x, v);
    Laws.stepsAlongTangents(p, x, v);
    Laws.nonExpansive(p, x, v);
    Laws.gradientIsProjection(p, x, w);
  }

  /** Against x - A⁺ A x with the pseudo-inverse of the divergence, written out as a matrix. */
  @ParameterizedTest
  @EnumSource
  void isTheNearestField(Derivative derivative) {
    DivergenceFree3d law = DivergenceFree3d.of(derivative);
    Shape field = Shape.of(1, 3, 4, 2, 6);
    int size = field.size();
    DMatrixRMaj a = new DMatrixRMaj(size / 3, size);
    for (int j = 0; j < size; j++) {
      double[] unit = new double[size];
      unit[j] = 1;
      double[] column = law.linear(Tensor.of(unit, field.toArray())).toDoubles();
      for (int i = 0; i < column.length; i++) {
        a.set(i, j, column[i]);
      }
    }
    var solver = LinearSolverFactory_DDRM.pseudoInverse(true);
    solver.setA(a);
    DMatrixRMaj inverse = new DMatrixRMaj(size, size / 3);
    solver.invert(inverse);
    Tensor x = Laws.normal(Rng.of(1), field, DataType.F64);
    DMatrixRMaj change = new DMatrixRMaj(size, 1);
    double[] divergence = law.linear(x).toDoubles();
    CommonOps_DDRM.mult(inverse, DMatrixRMaj.wrap(size / 3, 1, divergence), change);
    Tensor expected = x.sub(Tensor.of(change.data, field.toArray()));
    Close.assertClose("nearest", expected, Projector.onto(law).project(x), 1e-11);
  }

  /** div curl = 0, and every incompressible field without mean and Nyquist waves is a curl. */
  @Property(tries = 40)
  void curlsAreTheIncompressibleFields(
      @ForAll Derivative derivative,
      @ForAll @IntRange(min = 1, max = 5) int depth,
      @ForAll @IntRange(min = 1, max = 5) int height,
      @ForAll @IntRange(min = 1, max = 5) int width,
      @ForAll long seed) {
    DivergenceFree3d law = DivergenceFree3d.of(derivative);
    VectorPotential curl = VectorPotential.of(law);
    Projector p = Projector.onto(law);
    Shape field = even(derivative, 2, 2, depth, height, width);
    Tensor x = Laws.normal(Rng.of(seed), field, DataType.F64);
    Tensor flow = curl.velocity(x);
    double size = 1 + flow.abs().max(false).item() * Math.PI * (depth + height + width);
    assertTrue(law.residual(flow).abs().max(false).item() < 1e-13 * size, "div curl");
    Close.assertClose("P curl = curl", flow.add(x), p.project(flow).add(x), 1e-12);
    Close.assertClose("curl P = curl", flow.add(x), curl.velocity(p.project(x)).add(x), 1e-12);
    Tensor again = curl.velocity(curl.potential(flow));
    Close.assertClose("round trip", flow.add(x), again.add(x), 1e-12);
    Tensor part = curl.velocity(curl.potential(x));
    // what a projected field has beyond a curl has no derivatives
    Tensor beyond = p.project(x).sub(part);
    double tolerance = 1e-11 * size;
    assertTrue(curl.velocity(beyond).abs().max(false).item() < tolerance, "no curl beyond");
    assertTrue(law.residual(beyond).abs().max(false).item() < tolerance, "no divergence beyond");
    assertTrue(curl.potential(x).mean(2, 3, 4).abs().max(false).item() < 1e-13 * size, "no mean");
  }

  /** Arnold, Beltrami and Childress: a flow that is its own curl but for a factor. */
  @Test
  void theAbcFlowIsItsOwnVorticity() {
    int n = 8;
    double[] numbers = new double[3 * n * n * n];
    for (int i = 0; i < n * n * n; i++) {
      double x = TWO_PI * (i / (n * n)) / n;
      double y = TWO_PI * (i / n % n) / n;
      double z = TWO_PI * (i % n) / n;
      numbers[i] = Math.sin(z) + 3 * Math.cos(y);
      numbers[n * n * n + i] = 2 * Math.sin(x) + Math.cos(z);
      numbers[2 * n * n * n + i] = 3 * Math.sin(y) + 2 * Math.cos(x);
    }
    Tensor abc = Tensor.of(numbers, 1, 3, n, n, n);
    VectorPotential curl = VectorPotential.spectral();
    Close.assertClose("curl", abc.mul(TWO_PI), curl.velocity(abc), 1e-13);
    Close.assertClose("potential", abc.mul(1 / TWO_PI), curl.potential(abc), 1e-13);
    Tensor stream = abc.add(5);
    Close.assertClose("mean", stream, Projector.onto(curl.constraint()).project(stream), 1e-13);
  }

  @Test
  void theAdjointIsTheTransposeAndGradientsAreRight() {
    DivergenceFree3d law = DivergenceFree3d.spectral();
    Shape field = Shape.of(1, 6, 4, 2, 4);
    Tensor x = Laws.normal(Rng.of(2), field, DataType.F64);
    Tensor r = Laws.normal(Rng.of(3), field.with(1, 2), DataType.F64);
    double left = law.linear(x).mul(r).sum().item();
    assertEquals(left, law.adjoint(r, field).mul(x).sum().item(), 1e-10);
    VectorPotential curl = VectorPotential.spectral();
    GradCheck.require(in -> curl.velocity(in[0]), x);
    GradCheck.require(in -> curl.potential(in[0]), x);
    GradCheck.require(in -> law.residual(in[0]), x);
    Laws.gradient(Projector.onto(law), x, Laws.normal(Rng.of(4), field, DataType.F64));
  }

  @Test
  void theScalarBackendAgrees() {
    Projector p = Projector.onto(DivergenceFree3d.spectral());
    Tensor x = Laws.normal(Rng.of(5), Shape.of(2, 3, 4, 6, 8), DataType.F32);
    Tensor there = p.project(x.to(Device.reference())).to(Device.cpu());
    Close.assertClose("scalar", p.project(x), there, Close.tolerance(DataType.F32));
  }

  @Test
  void badInputIsRefused() {
    DivergenceFree3d law = DivergenceFree3d.spectral();
    Projector p = Projector.onto(law);
    message("odd grid of 4 x 5 x 6", () -> p.project(Tensor.zeros(1, 3, 4, 5, 6)));
    message("4 channels", () -> p.project(Tensor.zeros(1, 4, 4, 4, 4)));
    message("5 axes", () -> p.project(Tensor.zeros(1, 3, 4, 4)));
    message("5 axes", () -> p.advance(Tensor.zeros(1, 3, 4, 4), Tensor.zeros(1, 3, 4, 4), 1));
    message(
        "[vector potential]",
        () -> VectorPotential.spectral().velocity(Tensor.zeros(1, 2, 4, 4, 4)));
    message("cannot be joined", () -> Projector.onto(law, Mass.mean(0)));
    Normalization one = new Normalization(Collections.nCopies(3, 1.0), Collections.nCopies(3, 2.0));
    assertSame(law, law.normalized(one));
    Normalization two = new Normalization(Collections.nCopies(3, 0.0), List.of(1.0, 1.0, 2.0));
    message("one scale for all", () -> law.normalized(two));
  }

  private static void message(String part, Runnable run) {
    var thrown = assertThrows(IllegalArgumentException.class, run::run);
    assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
  }
}
