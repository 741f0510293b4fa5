package io.perflow.physics.equation;

import static io.perflow.fixtures.Close.assertClose;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Axis;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.prior.Sensing;
import io.perflow.physics.solver.Burgers;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;

/** Causes that fit readings. */
class GaussNewtonTest {
  private static final Problem PROBLEM =
      Problem.named("line").axis("y", 0, 1, 3).axis(Axis.of("x", 0, 1, 4)).channel("f").build();
  private static final Normalization UNITS = new Normalization(List.of(0.5), List.of(2.0));
  private static final List<Double> NO_REST = List.of(0.0);

  /** x = A z, for which everything is known. */
  private record LinearMap(Tensor matrix) implements Equation {
    @Override
    public Map<String, Object> parameters() {
      return Map.of();
    }

    @Override
    public Shape shape() {
      return Shape.of(1, 1, 3, 4);
    }

    @Override
    public int causes() {
      return matrix.dim(1);
    }

    @Override
    public Tensor cause(Tensor fields) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Tensor fields(Tensor causes) {
      return causes.matmul(matrix.transpose()).reshape(causes.dim(0), 1, 3, 4);
    }

    @Override
    public Tensor tangent(Tensor cause, Tensor directions) {
      return fields(directions);
    }
  }

  private static Tensor normal(long seed, int... dims) {
    return Rng.of(seed).normal(Device.cpu(), Shape.of(dims), DataType.F64);
  }

  private static SimpleMatrix ejml(Tensor t) {
    return new SimpleMatrix(t.dim(0), t.dim(1), true, t.contiguous().toDoubles());
  }

  @Test
  void forALinearEquationSamplesHaveTheExactMeanAndCovariance() {
    LinearMap equation = new LinearMap(normal(1, 12, 5));
    GaussianCauses causes =
        new GaussianCauses(equation, UNITS, normal(2, 1, 5), normal(3, 5, 3), NO_REST);
    int[] entries = {0, 5, 7, 11};
    double sigma = 0.3;
    Sensing sensing = Sensing.at(PROBLEM, entries, sigma);
    Tensor values = normal(4, 1, 4);
    GaussNewton newton = new GaussNewton(causes.given(sensing, values, 1e-3));

    // c | y for y = g + G c + noise, from the textbook
    SimpleMatrix a = ejml(equation.matrix());
    SimpleMatrix h = new SimpleMatrix(4, 12);
    for (int i = 0; i < 4; i++) {
      h.set(i, entries[i], 1 / 2.0);
    }
    SimpleMatrix g = h.mult(a).mult(ejml(causes.modes()));
    SimpleMatrix expected = h.mult(a).mult(ejml(causes.mean()).transpose()).minus(0.25);
    SimpleMatrix precision =
        SimpleMatrix.identity(3).plus(g.transpose().mult(g).divide(sigma * sigma));
    SimpleMatrix covariance = precision.invert();
    SimpleMatrix mean =
        covariance
            .mult(g.transpose())
            .mult(ejml(values).transpose().minus(expected))
            .divide(sigma * sigma);

    GaussNewton.Fit best = newton.mostLikely(Tensor.of(new double[] {5, -5, 5}, 1, 3));
    assertClose(
        "most likely",
        Tensor.of(mean.getDDRM().getData().clone(), 1, 3),
        best.coefficients(),
        1e-9);

    int count = 20000;
    Rng[] rngs = new Rng[count];
    Arrays.setAll(rngs, i -> Rng.of(5).split(i));
    Tensor drawn = newton.around(best).draw(rngs).coefficients();
    Tensor centred = drawn.sub(drawn.mean(true, 0));
    Tensor found = centred.transpose().matmul(centred).div(count);
    for (int i = 0; i < 3; i++) {
      double spread = Math.sqrt(covariance.get(i, i));
      assertEquals(mean.get(i), drawn.mean(0).get(i), 5 * spread / Math.sqrt(count), "mean " + i);
      for (int j = 0; j < 3; j++) {
        double size = Math.sqrt(covariance.get(i, i) * covariance.get(j, j));
        assertEquals(covariance.get(i, j), found.get(i, j), 0.05 * size, "covariance");
      }
    }
  }

  private static final GaussianCauses LINEAR =
      new GaussianCauses(
          new LinearMap(normal(1, 12, 5)), UNITS, normal(2, 1, 5), normal(3, 5, 3), NO_REST);

  @Test
  void polishingLeavesReadingsAloneThatASampleMeetsWithinItsErrors() {
    Sensing sensing = Sensing.at(PROBLEM, new int[] {0, 5}, 0.3);
    Tensor start = normal(6, 1, 3);
    Tensor read = sensing.read(UNITS.normalize(LINEAR.equation().fields(LINEAR.at(start))));
    Tensor met = read.add(Tensor.of(new double[] {0.55, -0.55}, 1, 2)); // under two errors
    assertClose("all met", start, polished(sensing, met, start), 0);

    Tensor one = read.add(Tensor.of(new double[] {0.55, -6}, 1, 2));
    Tensor moved = polished(sensing, one, start);
    Tensor there = sensing.read(UNITS.normalize(LINEAR.equation().fields(LINEAR.at(moved))));
    double[] was = read.toDoubles();
    double[] is = there.toDoubles();
    assertEquals(was[0], is[0], 0.3, "a reading that was met pulls at nothing");
    assertTrue(was[1] - is[1] > 4, "one that was missed is met: moved by " + (was[1] - is[1]));
  }

  private static Tensor polished(Sensing sensing, Tensor values, Tensor start) {
    return new GaussNewton(LINEAR.given(sensing, values, 1e-3)).polished(start, 20).coefficients();
  }

  @Test
  void whatNoCauseCanGiveIsAnErrorOfEachReading() {
    Sensing sensing = Sensing.at(PROBLEM, new int[] {0, 5}, 0.3);
    GaussianCauses rough =
        new GaussianCauses(LINEAR.equation(), UNITS, LINEAR.mean(), LINEAR.modes(), List.of(0.4));
    assertClose(
        "noise and rest",
        Tensor.of(new double[] {0.5, 0.5}, 1, 2),
        rough.errors(sensing, 9),
        1e-12);
    assertClose(
        "noise alone",
        Tensor.of(new double[] {0.3, 0.3}, 1, 2),
        LINEAR.errors(sensing, 0.1),
        1e-12);
    assertClose(
        "accuracy", Tensor.of(new double[] {0.7, 0.7}, 1, 2), LINEAR.errors(sensing, 0.7), 1e-12);
  }

  /** Burgers on a small grid, a law of its initial states, and a field that it is asked for. */
  private static final class Shocks {
    final Burgers equation = Burgers.paper().size(33, 32).substeps(4);
    final Problem problem = equation.problem();
    final GaussianCauses causes = causes(equation);
    final Tensor truth = equation.fields(first(equation, 1000));
    final Sensing sensing;
    final Tensor values;

    Shocks(double... columns) {
      int[] entries = new int[33 * columns.length];
      for (int i = 0; i < entries.length; i++) {
        entries[i] = (i % 33) * 32 + (int) columns[i / 33];
      }
      sensing = Sensing.at(problem, entries, 0);
      values = sensing.read(truth);
    }

    static Tensor first(Burgers equation, long seed) {
      return Tensor.of(equation.initialCondition().sample(Rng.of(seed)), 1, equation.points());
    }

    // from samples of the law, which has about as many degrees of freedom as points
    private static GaussianCauses causes(Burgers equation) {
      int count = 4000;
      double[] rows = new double[count * equation.points()];
      for (int i = 0; i < count; i++) {
        System.arraycopy(
            equation.initialCondition().sample(Rng.of(i)), 0, rows, i * equation.points(), 32);
      }
      Tensor samples = Tensor.of(rows, count, 32).div(Math.sqrt(count));
      var eigen = ejml(samples.transpose().matmul(samples)).eig();
      int[] large =
          IntStream.range(0, 32).filter(k -> eigen.getEigenvalue(k).getReal() > 1e-7).toArray();
      double[] modes = new double[32 * large.length];
      for (int k = 0; k < large.length; k++) {
        double size = Math.sqrt(eigen.getEigenvalue(large[k]).getReal());
        for (int j = 0; j < 32; j++) {
          modes[j * large.length + k] = size * eigen.getEigenVector(large[k]).get(j);
        }
      }
      return new GaussianCauses(
          equation,
          Normalization.identity(1),
          Tensor.of(new double[32], 1, 32),
          Tensor.of(modes, 32, large.length),
          NO_REST);
    }

    GaussNewton newton(Tensor read) {
      return new GaussNewton(causes.given(sensing, read, 1e-3));
    }

    Tensor origin() {
      return Tensor.of(new double[causes.rank()], 1, causes.rank());
    }

    double error(Tensor fields) {
      return Math.sqrt(fields.sub(truth).square().mean().item() / truth.square().mean().item());
    }
  }

  @Test
  void fewColumnsOfAFieldWithShocksGiveTheWholeField() {
    Shocks shocks = new Shocks(1, 7, 14, 20, 27);
    GaussNewton newton = shocks.newton(shocks.values);
    GaussNewton.Fit best = newton.mostLikely(shocks.origin());
    assertTrue(newton.misfits(best)[0] < 1, "misfit " + newton.misfits(best)[0]);
    assertTrue(
        shocks.error(newton.fields(best)) < 0.05, "error " + shocks.error(newton.fields(best)));
    GaussNewton.Fit drawn = newton.around(best).draw(Rng.of(1), Rng.of(2), Rng.of(3));
    for (double misfit : newton.misfits(drawn)) {
      assertTrue(misfit < 2, "misfit of a sample " + misfit);
    }
    Tensor fields = newton.fields(drawn);
    for (int i = 0; i < 3; i++) {
      double error = shocks.error(fields.slice(0, i, i + 1));
      assertTrue(error < 0.1, "error of a sample " + error);
    }
    assertTrue(spread(newton, best) > 1e-4, "samples must differ");
  }

  private static double spread(GaussNewton newton, GaussNewton.Fit best) {
    Tensor drawn =
        newton.fields(newton.around(best).draw(Rng.of(1), Rng.of(2), Rng.of(3), Rng.of(4)));
    return drawn.sub(drawn.mean(true, 0)).square().mean().sqrt().item();
  }

  @Test
  void readingsThatNoSolutionHasLeaveAMisfitAndDoubt() {
    Shocks shocks = new Shocks(1, 7, 14, 20, 27);
    Tensor wrong = shocks.values.mul(normal(9, 1, shocks.values.dim(1)));
    GaussNewton newton = shocks.newton(wrong);
    GaussNewton.Fit best = newton.mostLikely(shocks.origin());
    double misfit = newton.misfits(best)[0];
    assertTrue(misfit > 10, "noise was fitted by a solution: misfit " + misfit);
    GaussNewton right = shocks.newton(shocks.values);
    double doubt = spread(newton, best);
    double usual = spread(right, right.mostLikely(shocks.origin()));
    assertTrue(doubt > 5 * usual, "samples agree on a wrong cause: %s, %s".formatted(doubt, usual));
  }

  @Test
  void withoutReadingsTheSamplesAreThoseOfThePrior() {
    Shocks shocks = new Shocks();
    GaussNewton newton = shocks.newton(shocks.values);
    GaussNewton.Fit best = newton.mostLikely(shocks.origin());
    assertEquals(0, best.coefficients().abs().max(false).item(), "the likeliest is the mean");
    Rng[] rngs = new Rng[200];
    Arrays.setAll(rngs, i -> Rng.of(6).split(i));
    Tensor drawn = newton.around(best).draw(rngs).coefficients();
    assertEquals(1, drawn.square().mean().item(), 0.1);
  }

  @Test
  void aStartWithoutASolutionIsReplacedByTheMean() {
    Shocks shocks = new Shocks(1, 7, 14, 20, 27);
    GaussNewton newton = shocks.newton(shocks.values);
    Tensor wild = normal(3, 1, shocks.causes.rank()).mul(1e5);
    assertTrue(newton.misfits(newton.mostLikely(wild))[0] < 1, "it must find the fit");
  }

  @Test
  void coefficientsAreThoseThatMadeACause() {
    Shocks shocks = new Shocks(3);
    Tensor c = normal(4, 2, shocks.causes.rank());
    Tensor back = shocks.causes.coefficients(shocks.causes.at(c), 1e-8);
    assertClose("coefficients", c, back, 1e-5);
    Tensor rough = shocks.causes.coefficients(shocks.causes.at(c), 1e3);
    assertEquals(0, rough.abs().max(false).item(), 1e-5, "an unknown cause is the mean");
  }

  @Test
  void anAccuracyOfZeroIsRefused() {
    Shocks shocks = new Shocks(3);
    var e =
        assertThrows(
            IllegalArgumentException.class,
            () -> shocks.causes.given(shocks.sensing, shocks.values, 0));
    assertEquals("[assimilation] accuracy 0.0: it must be positive", e.getMessage());
  }
}
