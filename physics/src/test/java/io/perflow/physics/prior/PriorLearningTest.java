package io.perflow.physics.prior;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Close;
import io.perflow.physics.Axis;
import io.perflow.physics.Problem;
import io.perflow.physics.Symmetry;
import io.perflow.physics.constraint.Projector;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The priors that are learnt from few and from many fields. */
class PriorLearningTest {

  private static GaussianPrior learn(Problem problem, Tensor fields) {
    return GaussianPrior.learn(
        problem,
        PriorCase.units(problem),
        Projector.none(),
        fields,
        PriorCase.fields(problem, 20, 2),
        4000);
  }

  private static Problem square(String... symmetries) {
    return Problem.named("square")
        .axis("y", 0, 1, 8)
        .axis("x", 0, 1, 8)
        .channel("f")
        .symmetries(symmetries)
        .build();
  }

  private static Problem torus(String... symmetries) {
    return Problem.named("torus")
        .axis(Axis.periodic("y", 0, 1, 8))
        .axis(Axis.periodic("x", 0, 1, 8))
        .channel("f")
        .symmetries(symmetries)
        .build();
  }

  // Three times as large within a diamond in the middle: a law with all symmetries of the square
  // whose covariance couples all wave numbers.
  private static double[] diamond() {
    double[] factors = new double[64];
    Arrays.setAll(factors, i -> Math.abs(i / 8 - 3.5) + Math.abs(i % 8 - 3.5) < 4 ? 3 : 1);
    return factors;
  }

  private static Tensor uneven(int count, long seed) {
    Tensor fields = PriorCase.fields(square(), count, seed).sub(1);
    return fields.mul(Tensor.of(diamond(), 1, 1, 8, 8).to(fields.type()));
  }

  private static GaussianPrior uneven(Problem problem, int count) {
    return GaussianPrior.learn(
        problem, PriorCase.units(problem), Projector.none(), uneven(count, 1), uneven(20, 2), 4000);
  }

  // of the covariance, relative to its size
  private static double error(Problem problem, int fields) {
    SimpleMatrix factors = SimpleMatrix.diag(diamond());
    SimpleMatrix exact = factors.mult(PriorCase.covariance(problem)).mult(factors);
    return PriorCase.covariance(uneven(problem, fields)).minus(exact).normF() / exact.normF();
  }

  @Test
  void manyFieldsGiveTheTrueCovariance() {
    double few = error(square(), 20);
    double more = error(square(), 200);
    double many = error(square(), 2000);
    String errors = "%.3f %.3f %.3f".formatted(few, more, many);
    assertTrue(few > 2 * more && more > 2 * many && many < 0.1, errors);
  }

  @Test
  void symmetriesStandForMoreFields() {
    double plain = error(square(), 40);
    double mirrored = error(square("mirror:x", "mirror:y"), 40);
    double all = error(square("mirror:x", "mirror:y", "transpose"), 40);
    String errors = "%.3f %.3f %.3f".formatted(plain, mirrored, all);
    assertTrue(plain > 1.3 * mirrored && mirrored > 1.05 * all, errors);
  }

  @Test
  void shiftsStandForMoreFields() {
    SimpleMatrix exact = PriorCase.covariance(torus());
    double[] errors =
        Stream.of(torus("shift:x"), torus("shift:x", "shift:y"))
            .map(p -> PriorCase.covariance(learn(p, PriorCase.fields(p, 5, 1))))
            .mapToDouble(c -> c.minus(exact).normF() / exact.normF())
            .toArray();
    Tensor fields = PriorCase.fields(torus(), 5, 1).sub(1).reshape(5, 64);
    SimpleMatrix sample = PriorCase.matrix(fields.transpose().matmul(fields).div(5));
    double plain = sample.minus(exact).normF() / exact.normF();
    assertTrue(plain > 2 * errors[0] && errors[0] >= errors[1], plain + Arrays.toString(errors));
  }

  // ---- invariance

  // where each entry goes, and with which sign, under a symmetry; one point for shifts
  private static List<SimpleMatrix> moves(Problem problem) {
    List<SimpleMatrix> result = new ArrayList<>();
    int length = problem.batch(1).size();
    int height = problem.grid().height();
    int width = problem.grid().width();
    for (Symmetry symmetry : problem.symmetries()) {
      SimpleMatrix move = new SimpleMatrix(length, length);
      boolean rows =
          !symmetry.axes().isEmpty() && problem.grid().dimension(symmetry.axes().getFirst()) == 2;
      for (int i = 0; i < length; i++) {
        int channel = i / (height * width);
        int y = i / width % height;
        int x = i % width;
        int to =
            switch (symmetry.kind()) {
              case TRANSPOSE -> x * width + y;
              case SHIFT -> rows ? (y + 1) % height * width + x : y * width + (x + 1) % width;
              case MIRROR ->
                  rows
                      ? mirrored(y, problem.grid().rows()) * width + x
                      : y * width + mirrored(x, problem.grid().columns());
            };
        String quantity = problem.quantities().get(channel / problem.frameCount()).name();
        int sign = symmetry.negated().contains(quantity) ? -1 : 1;
        move.set(channel * height * width + to, i, sign);
      }
      result.add(move);
    }
    return result;
  }

  private static int mirrored(int i, Axis axis) {
    int n = axis.points();
    boolean node = axis.periodic() && axis.placement() == Axis.Placement.NODES;
    return node ? (n - i) % n : n - 1 - i;
  }

  @ParameterizedTest
  @EnumSource
  void meanAndCovarianceHaveEverySymmetry(PriorCase some) {
    // more fields than entries, so that all modes are there; and very few
    for (int count : new int[] {300, 5}) {
      GaussianPrior prior = some.prior(count);
      SimpleMatrix covariance = PriorCase.covariance(prior);
      SimpleMatrix mean =
          new SimpleMatrix(covariance.getNumRows(), 1, true, prior.mean().toDoubles());
      for (SimpleMatrix move : moves(some.problem())) {
        SimpleMatrix moved = move.mult(covariance).mult(move.transpose());
        assertTrue(
            moved.minus(covariance).elementMaxAbs() < 1e-5 * covariance.elementMaxAbs(),
            "covariance of " + some.problem().symmetries());
        assertTrue(
            move.mult(mean).minus(mean).elementMaxAbs() < 1e-5,
            "mean of " + some.problem().symmetries());
      }
    }
  }

  @Test
  void aDiagonalShiftLeavesTheMeanAsItIs() {
    Problem problem =
        Problem.named("diagonal")
            .axis(Axis.periodic("y", 0, 1, 4))
            .axis(Axis.periodic("x", 0, 1, 8))
            .channel("f")
            .symmetries("shift:x-y")
            .build();
    double[] wave = new double[32];
    Arrays.setAll(wave, i -> Math.cos(2 * Math.PI * (i / 8 / 4.0 + i % 8 / 8.0)));
    Tensor fields = PriorCase.fields(problem, 10, 1);
    Tensor mean = learn(problem, fields.add(Tensor.of(wave, 1, 1, 4, 8).to(fields.type()))).mean();
    // a quarter of the period: one row down, two columns back
    Tensor moved = mean.gather(2, 1, 2, 3, 0).gather(3, 6, 7, 0, 1, 2, 3, 4, 5);
    Close.assertClose("mean", mean, moved, 1e-5);
    assertEquals(1, mean.max(false).item() - mean.mean().item(), 0.2, "the wave is still there");
  }

  // ---- shrinkage

  private static double shrinkage(GaussianPrior prior) {
    return (double) prior.description().get("shrinkage");
  }

  @Test
  void fewFieldsAreTrustedLess() {
    GaussianPrior few = uneven(square(), 20);
    GaussianPrior many = uneven(square(), 2000);
    assertTrue(shrinkage(few) > 0, "20 fields: " + shrinkage(few));
    assertTrue(shrinkage(many) == 0, "2000 fields: " + shrinkage(many));
  }

  @Test
  void shrinkageIsNotWorseThanTheSampleCovariance() {
    Tensor fields = uneven(20, 1);
    GaussianPrior prior = uneven(square(), 20);
    Tensor test = uneven(50, 3);
    Sensing sensing = Sensing.at(square(), Rng.of(4).choice(64, 15), 0);
    Kriging kriging = prior.given(sensing);
    double learnt = kriging.mean(sensing.read(test)).sub(test).square().mean().item();
    Tensor centred = fields.sub(fields.mean(true, 0)).reshape(20, 64);
    SimpleMatrix plain = PriorCase.matrix(centred.transpose().matmul(centred).div(20));
    double best = Double.POSITIVE_INFINITY;
    for (double nugget : new double[] {1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3, 1}) {
      best = Math.min(best, error(plain, nugget * nugget, sensing, test, fields.mean(true, 0)));
    }
    assertTrue(learnt < best, learnt + " and " + best);
  }

  private static double error(
      SimpleMatrix c, double nugget, Sensing sensing, Tensor test, Tensor mean) {
    int[] at = sensing.entries();
    SimpleMatrix k = SimpleMatrix.identity(at.length).scale(nugget);
    SimpleMatrix cross = new SimpleMatrix(64, at.length);
    for (int i = 0; i < at.length; i++) {
      for (int j = 0; j < at.length; j++) {
        k.set(i, j, k.get(i, j) + c.get(at[i], at[j]));
      }
      cross.setColumn(i, c.extractVector(false, at[i]));
    }
    SimpleMatrix miss = PriorCase.matrix(sensing.read(test).sub(sensing.read(mean))).transpose();
    Tensor correction = PriorCase.tensor(cross.mult(k.solve(miss)).transpose());
    Tensor wrong = test.sub(mean).reshape(50, 64).sub(correction.to(test.type()));
    return wrong.square().mean().item();
  }

  // ---- unusual fields

  @ParameterizedTest
  @EnumSource
  void twoFieldsAreEnough(PriorCase some) {
    GaussianPrior prior = some.prior(2);
    Sensing sensing = Sensing.of(some.problem(), some.problem().masks().draw(Rng.of(1), 1), 0);
    Kriging kriging = prior.given(sensing);
    Tensor field = some.fields(1, 7);
    Tensor mean = kriging.mean(sensing.read(field));
    assertTrue(Double.isFinite(mean.abs().max(false).item()));
    assertTrue(Double.isFinite(kriging.deviation().max(false).item()));
  }

  @Test
  void aConstantChannelStaysConstant() {
    Problem problem = PriorCase.WALLS.problem();
    Tensor f = PriorCase.WALLS.fields(50, 1).slice(1, 0, 1);
    Tensor fields = Tensor.concat(1, f, f.zerosLike().add(3));
    GaussianPrior prior =
        GaussianPrior.learn(
            problem,
            PriorCase.units(problem),
            Projector.none(),
            fields,
            fields.slice(0, 0, 5),
            100);
    assertEquals(
        0, prior.samples(Rng.of(1), 4).slice(1, 1, 2).sub(3).abs().max(false).item(), 1e-5);
    Kriging kriging = prior.given(Sensing.at(problem, new int[] {0, 60}, 0));
    Tensor mean = kriging.mean(Tensor.of(new double[] {1, 3}, 1, 2));
    assertEquals(0, mean.slice(1, 1, 2).sub(3).abs().max(false).item(), 1e-5);
  }

  @Test
  void fieldsWithoutVarianceAreKnown() {
    Problem problem = square();
    Tensor same = PriorCase.fields(problem, 1, 1);
    Tensor fields = Tensor.concat(0, same, same, same);
    GaussianPrior prior =
        GaussianPrior.learn(problem, PriorCase.units(problem), Projector.none(), fields, same, 100);
    Close.assertClose("mean", same, prior.mean(), 1e-5);
    Kriging kriging = prior.given(Sensing.at(problem, new int[] {3, 9}, 0));
    Tensor y = kriging.sensing().read(same);
    Close.assertClose("mean", same, kriging.mean(y), 1e-4);
    Close.assertClose("sample", same, kriging.samples(y, Rng.of(1)), 1e-4);
    assertTrue(kriging.deviation().max(false).item() < 1e-3);
    assertTrue(kriging.distance(y)[0] < 5);
  }

  @Test
  void refusesTooFewFieldsAndNumbersThatAreNone() {
    Problem problem = square();
    Tensor fields = PriorCase.fields(problem, 3, 1);
    KrigingTest.assertMessage(
        "1 fields and 3 held out: at least 2 and 1",
        () ->
            GaussianPrior.learn(
                problem,
                PriorCase.units(problem),
                Projector.none(),
                fields.slice(0, 0, 1),
                fields,
                10));
    KrigingTest.assertMessage(
        "fields [3, 1, 8, 8] hold numbers that are not finite",
        () ->
            GaussianPrior.learn(
                problem,
                PriorCase.units(problem),
                Projector.none(),
                fields.mul(Double.NaN),
                fields,
                10));
    KrigingTest.assertMessage(
        "0 modes",
        () ->
            GaussianPrior.learn(
                problem, PriorCase.units(problem), Projector.none(), fields, fields, 0));
    KrigingTest.assertMessage(
        "[prior]",
        () ->
            GaussianPrior.learn(
                PriorCase.WALLS.problem(),
                PriorCase.units(PriorCase.WALLS.problem()),
                Projector.none(),
                fields,
                fields,
                9));
  }
}
