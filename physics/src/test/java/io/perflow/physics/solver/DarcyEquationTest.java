package io.perflow.physics.solver;

import static io.perflow.fixtures.Close.assertClose;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.equation.Causes;
import io.perflow.physics.equation.GaussNewton;
import io.perflow.physics.equation.Inversion;
import io.perflow.physics.metric.RelativeError;
import io.perflow.physics.prior.Sensing;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Darcy flow as an equation: its derivative, and permeabilities that fit readings. */
class DarcyEquationTest {
  private static final Normalization UNITS =
      new Normalization(List.of(7.5, 0.005), List.of(4.5, 0.004));

  static Stream<Darcy> kinds() {
    return Stream.of(Darcy.Grid.values())
        .flatMap(
            grid ->
                Stream.of(Darcy.Face.values())
                    .map(face -> Darcy.standard().size(12).grid(grid).face(face)));
  }

  private static Tensor normal(long seed, int... dims) {
    return Rng.of(seed).normal(Device.cpu(), Shape.of(dims), DataType.F64);
  }

  private static Tensor permeability(Darcy darcy) {
    return normal(1, 1, darcy.causes()).exp().add(1);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void tangentsAreTheSlopesOfFields(Darcy darcy) {
    Tensor a = permeability(darcy);
    Tensor directions = normal(2, 3, darcy.causes());
    double h = 1e-5;
    Tensor ahead = darcy.fields(a.add(directions.mul(h)));
    Tensor slopes = ahead.sub(darcy.fields(a.sub(directions.mul(h)))).div(2 * h);
    assertClose("tangents", slopes, darcy.tangent(a, directions), 1e-7);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void theAdjointIsTheTransposeOfTheTangent(Darcy darcy) {
    Tensor a = permeability(darcy);
    double[] p = darcy.fields(a).select(1, 1).contiguous().toDoubles();
    DarcyDerivative derivative = new DarcyDerivative(darcy, a.toDoubles(), p);
    Tensor d = normal(3, darcy.causes(), 2);
    Tensor w = normal(4, darcy.causes(), 2);
    Tensor there = w.transpose().matmul(derivative.tangent(d));
    Tensor back = Tensor.concat(0, derivative.adjoint(rows(w, darcy.size()))).transpose().matmul(d);
    assertClose("products", there, back, 1e-12);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void weightsMayBeginOnTheLastRow(Darcy darcy) {
    int n = darcy.size();
    Tensor a = permeability(darcy);
    double[] p = darcy.fields(a).select(1, 1).contiguous().toDoubles();
    DarcyDerivative derivative = new DarcyDerivative(darcy, a.toDoubles(), p);
    Tensor[] weights = new Tensor[n];
    Arrays.fill(weights, Tensor.of(new double[0], n, 0));
    weights[n - 1] = normal(8, n, 1);
    Tensor[] whole = new Tensor[n];
    Arrays.fill(whole, Tensor.of(new double[n], n, 1));
    whole[n - 1] = weights[n - 1];
    assertClose(
        "derivatives",
        Tensor.concat(0, derivative.adjoint(whole)),
        Tensor.concat(0, derivative.adjoint(weights)),
        1e-15);
  }

  // columns of fields by the rows of the grid
  private static Tensor[] rows(Tensor columns, int n) {
    Tensor all = columns.reshape(n, columns.dim(0) / n, columns.dim(1));
    return IntStream.range(0, n).mapToObj(i -> all.select(0, i)).toArray(Tensor[]::new);
  }

  @Test
  void rowsEliminatedOneByOneSolveWhatMultigridSolves() {
    Darcy darcy = Darcy.standard().size(17);
    double[] a = permeability(darcy).toDoubles();
    Tensor source = normal(5, 2, 17, 17);
    Tensor inner = source.slice(1, 1, 16).slice(2, 1, 16).permute(1, 2, 0).contiguous();
    // the second source begins on the fourth row
    Tensor[] right = rows(inner.reshape(15 * 15, 2), 15);
    for (int i = 0; i < 3; i++) {
      right[i] = right[i].slice(1, 0, 1).contiguous();
    }
    Tensor[] found = new BlockTridiagonal(darcy.equations(a)).solve(right);
    for (int f = 0; f < 2; f++) {
      double[] whole = source.select(0, f).contiguous().toDoubles();
      Arrays.fill(whole, 0, f * 4 * 17, 0);
      double[] expected = darcy.solve(a, whole);
      for (int i = 0; i < 15 * 15; i++) {
        double value = found[i / 15].get(i % 15, f);
        assertEquals(expected[(i / 15 + 1) * 17 + i % 15 + 1], value, 1e-12);
      }
    }
  }

  @Test
  void aPermeabilityWithoutASolutionLeavesTheOthersAlone() {
    Darcy darcy = Darcy.standard().size(9);
    Tensor good = permeability(darcy);
    Tensor fields = darcy.fields(Tensor.concat(0, good.neg(), good));
    assertTrue(Double.isNaN(fields.slice(0, 0, 1).sum().item()), "a < 0 has no solution");
    assertArrayEquals(darcy.fields(good).toDoubles(), fields.slice(0, 1, 2).toDoubles());
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void aProblemKeepsItsEquationInFiles(Darcy darcy) throws FileFormatException {
    Problem read = Problem.fromJson(darcy.problem().toJson(), List.of());
    assertEquals(darcy, read.equation().orElseThrow());
  }

  @Test
  void aFileWithAWrongParameterIsRefused() throws FileFormatException {
    EquationFiles.assertRefused(
        Darcy.standard().size(9).problem(),
        new String[][] {
          {"grid", "\"edges\"", "grid 'edges' is unknown"},
          {"low", "-1", "low is -1.0, must be positive"},
        });
  }

  /** A permeability of two values, some of its points and of the pressure's, and what they read. */
  private static final class Site {
    final Darcy darcy = Darcy.standard().size(24);
    final Problem problem = darcy.problem();
    final Causes causes = darcy.law(null, UNITS);
    final Tensor truth = Tensor.of(darcy.sample(Rng.of(11)), 1, 2, 24, 24);
    final Sensing sensing;
    final Tensor values;

    Site(int sensors, double sigma) {
      int[] a = Rng.of(1).choice(576, sensors);
      int[] p = Arrays.stream(Rng.of(2).choice(576, sensors)).map(i -> 576 + i).toArray();
      int[] entries = IntStream.concat(Arrays.stream(a), Arrays.stream(p)).toArray();
      sensing = Sensing.at(problem, entries, sigma);
      values = sensing.read(UNITS.normalize(truth));
    }

    Tensor origin() {
      return Tensor.of(new double[causes.rank()], 1, causes.rank());
    }
  }

  @Test
  void theJacobianIsTheSlopeOfWhatIsRead() {
    Site site = new Site(40, 0);
    Inversion inversion = site.causes.given(site.sensing, site.values, 1e-3);
    Tensor c = normal(6, 1, site.causes.rank());
    Tensor d = normal(7, 1, site.causes.rank());
    double h = 1e-6;
    Tensor ahead = inversion.read(c.add(d.mul(h)));
    Tensor slopes = ahead.sub(inversion.read(c.sub(d.mul(h)))).div(2 * h);
    Inversion.Slopes rows = inversion.slopes(c);
    Tensor all = rows.rows().scatterAdd(0, slopes.dim(1), rows.readings());
    Tensor found = d.matmul(all.transpose());
    assertClose("slopes", slopes, found, 1e-6);
    long active = Arrays.stream(found.slice(1, 0, 40).toDoubles()).filter(v -> v != 0).count();
    assertTrue(active > 3 && active < 37, "some signs are wrong, some right: " + active);
  }

  @Test
  void readingsOfBothFieldsGiveThePermeability() {
    Site site = new Site(60, 0);
    Inversion inversion = site.causes.given(site.sensing, site.values, 1e-3);
    GaussNewton newton = new GaussNewton(inversion);
    GaussNewton.Fit best = newton.mostLikely(site.origin());
    assertTrue(newton.misfits(best)[0] < 1, "misfit " + newton.misfits(best)[0]);
    Tensor found = newton.fields(newton.around(best).draw(Rng.of(1), Rng.of(2)));
    Tensor missed = site.sensing.read(UNITS.normalize(found)).sub(site.values);
    assertEquals(0, missed.slice(1, 0, 60).abs().max(false).item(), 1e-12, "of a");
    assertTrue(missed.slice(1, 60, 120).square().mean().sqrt().item() < 3e-3, "of p");
    double error = RelativeError.l2(found.slice(0, 0, 1).contiguous(), site.truth, 2).mean().item();
    assertTrue(error < 0.15, "error of a sample " + error);
    assertArrayEquals(
        found.toDoubles(), site.darcy.fields(site.darcy.cause(found)).toDoubles(), 0, "equation");
  }

  @Test
  void coefficientsShowTheSidesOfAField() {
    Site site = new Site(1, 0);
    Tensor c = site.causes.coefficients(UNITS.normalize(site.truth));
    Tensor field = site.causes.given(site.sensing, site.values, 1e-3).fields(c);
    double[] truth = site.darcy.cause(site.truth).toDoubles();
    double[] found = site.darcy.cause(field).toDoubles();
    long same =
        IntStream.range(0, truth.length).filter(i -> truth[i] > 7.5 == found[i] > 7.5).count();
    assertTrue(same > 0.9 * truth.length, same + " of " + truth.length);
  }

  @Test
  void aSensorBetweenTwoPermeabilitiesSaysThatTheEdgeIsNear() {
    Site site = new Site(3, 0);
    double[] values = site.values.toDoubles();
    values[0] = 0.1; // a = 7.95
    Inversion inversion =
        site.causes.given(site.sensing, Tensor.of(values, 1, values.length), 1e-3);
    assertEquals(0, inversion.values().get(0, 0));
    Tensor c = normal(8, 1, site.causes.rank());
    double level = inversion.read(c).get(0, 0);
    assertTrue(Math.abs(inversion.read(c.neg()).get(0, 0) + level) < 1e-12, "two-sided");
    assertTrue(inversion.errors().get(0, 0) > inversion.errors().get(0, 1), "and less sure");
  }

  @Test
  void noiseOfAPermeabilityLoosensItsSignAndPinsNothing() {
    Site exact = new Site(20, 0);
    Site rough = new Site(20, 0.5);
    Inversion sure = exact.causes.given(exact.sensing, exact.values, 1e-3);
    Inversion unsure = rough.causes.given(rough.sensing, rough.values, 1e-3);
    assertTrue(unsure.errors().get(0, 0) > 20 * sure.errors().get(0, 0));
    Tensor missed = exact.sensing.read(UNITS.normalize(sure.fields(exact.origin())));
    assertEquals(0, missed.sub(exact.values).slice(1, 0, 20).abs().max(false).item(), 1e-12);
    Tensor free = rough.sensing.read(UNITS.normalize(unsure.fields(rough.origin())));
    assertEquals(0, free.slice(1, 0, 20).abs().max(false).item(), 1e-12, "the middle of both");
  }
}
