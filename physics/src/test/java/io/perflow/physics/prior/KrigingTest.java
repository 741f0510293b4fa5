package io.perflow.physics.prior;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.autograd.GradCheck;
import io.perflow.fixtures.Close;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Conditioning against the textbook formulas with whole matrices. */
class KrigingTest {
  private static final Problem PROBLEM = PriorCase.WALLS.problem();
  private static final int LENGTH = PROBLEM.batch(1).size();
  // with a nugget that is large enough to matter
  private static final GaussianPrior PRIOR = PriorCase.WALLS.prior(200, 24).nuggets(n -> 0.1);

  /** Sensors of every kind; the prior has 24 modes. */
  enum Sensed {
    FEW,
    MANY,
    NOISY,
    MANY_NOISY,
    BETWEEN;

    Sensing sensing() {
      return switch (this) {
        case FEW -> at(10, 0);
        case MANY -> at(60, 0);
        case NOISY -> at(10, 0.3);
        case MANY_NOISY -> at(60, 0.3);
        case BETWEEN -> Sensing.of(between(), Normalization.identity(2));
      };
    }
  }

  private static Sensing at(int count, double sigma) {
    return Sensing.at(PROBLEM, Rng.of(3).choice(LENGTH, count), sigma);
  }

  // averages, places between points, neighbours that share points, and one place read twice
  private static Readings between() {
    return Readings.of(PROBLEM)
        .at("f", 1.5, 0.2, 0.5)
        .at("f", 0.5, 0.21, 0.52)
        .at("g", 0.1, 0.9, 0.33)
        .box("f", 0.9, new double[] {0, 0}, new double[] {0.4, 0.7})
        .sigma(0.2)
        .at("g", 0.3, 0.4, 0.25)
        .at("g", 0.4, 0.4, 0.25)
        .build();
  }

  private static SimpleMatrix rows(Sensing sensing) {
    SimpleMatrix h = new SimpleMatrix(sensing.size(), LENGTH);
    for (int i = 0; i < sensing.size(); i++) {
      double[] one = new double[sensing.size()];
      one[i] = 1;
      double[] row = sensing.spread(Tensor.of(one, 1, one.length)).toDoubles();
      for (int j = 0; j < LENGTH; j++) {
        h.set(i, j, row[j]);
      }
    }
    return h;
  }

  /** All formulas without a thought for speed. */
  private record Oracle(
      SimpleMatrix h, SimpleMatrix smooth, SimpleMatrix whole, SimpleMatrix k, SimpleMatrix mean) {
    static Oracle of(Sensing sensing) {
      SimpleMatrix smooth = PriorCase.covariance(PRIOR);
      SimpleMatrix whole = smooth.copy();
      for (int i = 0; i < LENGTH; i++) {
        double nugget = PRIOR.nugget(i / PROBLEM.grid().cells());
        whole.set(i, i, whole.get(i, i) + nugget * nugget);
      }
      SimpleMatrix h = rows(sensing);
      SimpleMatrix k = h.mult(whole).mult(h.transpose());
      for (int i = 0; i < sensing.size(); i++) {
        k.set(i, i, k.get(i, i) + sensing.sigma(i) * sensing.sigma(i));
      }
      SimpleMatrix mean = new SimpleMatrix(LENGTH, 1, true, PRIOR.mean().toDoubles());
      return new Oracle(h, smooth, whole, k, mean);
    }

    SimpleMatrix miss(SimpleMatrix y) {
      return y.minus(h.mult(mean));
    }

    SimpleMatrix mean(SimpleMatrix y) {
      return mean.plus(smooth.mult(h.transpose()).mult(k.solve(miss(y))));
    }

    SimpleMatrix left() {
      SimpleMatrix read = h.mult(smooth);
      return smooth.minus(read.transpose().mult(k.solve(read)));
    }
  }

  // of a field that is not of the prior, so that nothing cancels
  private static Tensor values(Sensing sensing) {
    return sensing.read(PriorCase.WALLS.fields(1, 9));
  }

  private static SimpleMatrix column(Tensor values) {
    return new SimpleMatrix(values.size(), 1, true, values.toDoubles());
  }

  @ParameterizedTest
  @EnumSource
  void meanIsThatOfTheTextbook(Sensed sensed) {
    Sensing sensing = sensed.sensing();
    Tensor y = values(sensing);
    Tensor expected = PriorCase.tensor(Oracle.of(sensing).mean(column(y)));
    Close.assertClose(
        "mean", expected.reshape(PROBLEM.batch(1)), PRIOR.given(sensing).mean(y), 2e-5);
  }

  @ParameterizedTest
  @EnumSource
  void meansAndSamplesAreDifferentiableInTheReadings(Sensed sensed) {
    Kriging kriging = PRIOR.given(sensed.sensing());
    int k = kriging.sensing().size();
    Tensor values = Rng.of(5).normal(PRIOR.mean().device(), Shape.of(2, k), DataType.F64);
    GradCheck.require(in -> kriging.meanCoefficients(in[0]), values);
    GradCheck.require(in -> kriging.sampleCoefficients(in[0], Rng.of(6)), values);
  }

  @ParameterizedTest
  @EnumSource
  void deviationIsThatOfTheTextbook(Sensed sensed) {
    Sensing sensing = sensed.sensing();
    SimpleMatrix left = Oracle.of(sensing).left();
    double[] expected = new double[LENGTH];
    Arrays.setAll(
        expected,
        i -> Math.sqrt(left.get(i, i) + Math.pow(PRIOR.nugget(i / PROBLEM.grid().cells()), 2)));
    assertArrayEquals(expected, PRIOR.given(sensing).deviation().toDoubles(), 1e-4);
  }

  @ParameterizedTest
  @EnumSource
  void likelihoodIsThatOfTheTextbook(Sensed sensed) {
    Sensing sensing = sensed.sensing();
    Oracle oracle = Oracle.of(sensing);
    Tensor y = values(sensing);
    SimpleMatrix miss = oracle.miss(column(y));
    double squares = miss.dot(oracle.k.solve(miss));
    double determinant = Math.log(oracle.k.determinant());
    double expected = -0.5 * (squares + determinant + sensing.size() * Math.log(2 * Math.PI));
    Kriging kriging = PRIOR.given(sensing);
    assertEquals(expected, kriging.logLikelihood(y)[0], 1e-6 * Math.abs(expected));
    assertEquals(Math.sqrt(squares / sensing.size()), kriging.distance(y)[0], 1e-6);
  }

  @ParameterizedTest
  @EnumSource
  void outlyingComparesWithThePredictionOfAllOthers(Sensed sensed) {
    Sensing sensing = sensed.sensing();
    Tensor y = values(sensing);
    double[] actual = PRIOR.given(sensing).outlying(y);
    Oracle oracle = Oracle.of(sensing);
    for (int i = 0; i < sensing.size(); i++) {
      int left = i;
      int[] others = IntStream.range(0, sensing.size()).filter(j -> j != left).toArray();
      Oracle rest = Oracle.of(sensing.select(others));
      SimpleMatrix own = oracle.h.extractVector(true, i);
      SimpleMatrix cross = rest.h.mult(oracle.whole).mult(own.transpose());
      SimpleMatrix weights = rest.k.solve(cross);
      double predicted =
          own.mult(oracle.mean).get(0) + weights.dot(rest.miss(column(y.gather(1, others))));
      double variance = oracle.k.get(i, i) - weights.dot(cross);
      double expected = (y.get(0, i) - predicted) / Math.sqrt(variance);
      assertEquals(expected, actual[i], 1e-5 * Math.max(1, Math.abs(expected)), "reading " + i);
    }
  }

  @ParameterizedTest
  @EnumSource
  void fitIsTheBayesianUpdate(Sensed sensed) {
    Sensing sensing = sensed.sensing();
    Oracle oracle = Oracle.of(sensing);
    Tensor x = PriorCase.WALLS.fields(1, 10).to(DataType.F64);
    Tensor y = values(sensing);
    SimpleMatrix miss = column(y).minus(oracle.h.mult(column(x)));
    SimpleMatrix moved =
        column(x).plus(oracle.whole.mult(oracle.h.transpose()).mult(oracle.k.solve(miss)));
    Tensor expected = PriorCase.tensor(moved).reshape(PROBLEM.batch(1));
    Close.assertClose("fit", expected, PRIOR.given(sensing).fit(x, y), 2e-5);
  }

  @ParameterizedTest
  @EnumSource(names = {"FEW", "MANY"})
  void fitMeetsExactReadingsAndIsAProjector(Sensed sensed) {
    Kriging kriging = PRIOR.given(sensed.sensing());
    Tensor y = kriging.sensing().read(PriorCase.WALLS.fields(1, 9));
    Tensor once = kriging.fit(PriorCase.WALLS.fields(5, 10), y);
    Close.assertClose(
        "readings",
        y.expand(kriging.sensing().read(once).shape()),
        kriging.sensing().read(once),
        1e-5);
    Close.assertClose("twice", once, kriging.fit(once, y), 1e-5);
    Tensor other = PriorCase.WALLS.fields(5, 11);
    Close.assertClose("agrees", other, kriging.fit(other, kriging.sensing().read(other)), 1e-7);
  }

  @ParameterizedTest
  @EnumSource
  void orderOfSensorsDoesNotMatter(Sensed sensed) {
    Sensing sensing = sensed.sensing();
    int[] order = Rng.of(4).permutation(sensing.size());
    Tensor y = values(sensing);
    Kriging one = PRIOR.given(sensing);
    Kriging other = PRIOR.given(sensing.select(order));
    Tensor moved = y.gather(1, order);
    Close.assertClose("mean", one.mean(y), other.mean(moved), 1e-5);
    Close.assertClose("deviation", one.deviation(), other.deviation(), 1e-4);
    assertEquals(one.logLikelihood(y)[0], other.logLikelihood(moved)[0], 1e-6);
    double[] outlying = one.outlying(y);
    double[] expected = Arrays.stream(order).mapToDouble(i -> outlying[i]).toArray();
    assertArrayEquals(expected, other.outlying(moved), 1e-5);
  }

  @Test
  void bothFactorizationsAgree() {
    Sensing sensing = at(60, 0.1);
    // a second reading of one place makes the rows depend on each other, which only K can express;
    // its noise says that it knows nothing
    Readings.Builder readings = Readings.of(PROBLEM).sigma(0.1);
    for (int entry : sensing.entries()) {
      add(readings, entry);
    }
    add(readings.sigma(1e4), sensing.entries()[0]);
    Kriging information = PRIOR.given(sensing);
    Kriging covariance = PRIOR.given(Sensing.of(readings.build(), Normalization.identity(2)));
    Tensor y = values(sensing);
    Tensor more = Tensor.concat(1, y, Tensor.of(new double[1], 1, 1));
    Close.assertClose("mean", information.mean(y), covariance.mean(more), 1e-5);
    Close.assertClose("deviation", information.deviation(), covariance.deviation(), 1e-4);
  }

  private static void add(Readings.Builder readings, int entry) {
    int cells = PROBLEM.grid().cells();
    int width = PROBLEM.grid().width();
    double y = PROBLEM.grid().rows().coordinate(entry % cells / width);
    double x = PROBLEM.grid().columns().coordinate(entry % width);
    readings.at(PROBLEM.channels().get(entry / cells), 0, y, x);
  }

  @ParameterizedTest
  @EnumSource
  void samplesHaveTheMeanAndCovarianceTheyShould(Sensed sensed) {
    Sensing sensing = sensed.sensing();
    Oracle oracle = Oracle.of(sensing);
    int count = 5000;
    Tensor y = values(sensing);
    Kriging kriging = PRIOR.given(sensing);
    Tensor many = y.expand(Shape.of(count, sensing.size())).contiguous();
    SimpleMatrix samples =
        PriorCase.matrix(kriging.samples(many, Rng.of(6)).reshape(count, LENGTH));
    SimpleMatrix mean = oracle.mean(column(y));
    SimpleMatrix left = oracle.left();
    SimpleMatrix centred = samples.copy();
    for (int i = 0; i < count; i++) {
      for (int j = 0; j < LENGTH; j++) {
        centred.set(i, j, samples.get(i, j) - mean.get(j));
      }
    }
    SimpleMatrix covariance = centred.transpose().mult(centred).divide(count);
    for (int i = 0; i < LENGTH; i++) {
      double average = centred.extractVector(false, i).elementSum() / count;
      assertEquals(0, average, 5 * Math.sqrt((left.get(i, i) + 1e-10) / count), "mean " + i);
      for (int j = 0; j <= i; j++) {
        // √(Cii Cjj + Cij²) is what one sample of the product deviates by
        double one = Math.sqrt(2 * (left.get(i, i) + 1e-8) * (left.get(j, j) + 1e-8));
        assertEquals(
            left.get(i, j), covariance.get(i, j), 6 * one / Math.sqrt(count), i + ", " + j);
      }
    }
  }

  @Test
  void nothingReadLeavesThePrior() {
    Kriging kriging = PRIOR.given(at(0, 0));
    Tensor none = Tensor.of(new double[0], 1, 0);
    Close.assertClose("mean", PRIOR.mean(), kriging.mean(none), 0);
    double nugget = PRIOR.nugget(0);
    Close.assertClose(
        "deviation",
        PRIOR.deviation().square().slice(1, 0, 1).add(nugget * nugget).sqrt(),
        kriging.deviation().slice(1, 0, 1),
        1e-6);
    assertEquals(0, kriging.logLikelihood(none)[0]);
    assertEquals(0, kriging.distance(none)[0]);
    assertEquals(0, kriging.outlying(none).length);
    Tensor x = PriorCase.WALLS.fields(2, 5);
    Close.assertClose("fit", x, kriging.fit(x, none), 0);
    Tensor samples = kriging.samples(Tensor.of(new double[0], 3000, 0), Rng.of(1));
    Close.assertClose(
        "covariance",
        PRIOR.deviation(),
        samples.sub(PRIOR.mean()).square().mean(true, 0).sqrt(),
        0.06);
  }

  @Test
  void everythingReadLeavesTheField() {
    int[] all = IntStream.range(0, LENGTH).toArray();
    GaussianPrior exact = PRIOR.nuggets(n -> 1e-4);
    Kriging kriging = exact.given(Sensing.at(PROBLEM, all, 0));
    Tensor field = PRIOR.samples(Rng.of(8), 2);
    Tensor y = kriging.sensing().read(field);
    Close.assertClose("mean", field, kriging.mean(y), 1e-3);
    Close.assertClose("sample", field, kriging.samples(y, Rng.of(1)), 1e-3);
    assertTrue(kriging.deviation().max(false).item() < 2e-4);
  }

  @Test
  void exactReadingsMayRepeatAndContradictEachOther() {
    int[] twice = {5, 5, 20};
    Kriging kriging = PRIOR.given(Sensing.at(PROBLEM, twice, 0));
    Kriging once = PRIOR.given(Sensing.at(PROBLEM, new int[] {5, 20}, 0));
    Tensor same = Tensor.of(new double[] {2, 2, 0}, 1, 3);
    Tensor apart = Tensor.of(new double[] {1.5, 2.5, 0}, 1, 3);
    Tensor mean = once.mean(Tensor.of(new double[] {2, 0}, 1, 2));
    Close.assertClose("same", mean, kriging.mean(same), 1e-5);
    Close.assertClose("apart", mean, kriging.mean(apart), 1e-4);
  }

  @Test
  void distanceTellsWrongUnits() {
    Kriging kriging = PRIOR.given(at(40, 0));
    Tensor fields = PRIOR.samples(Rng.of(2), 50);
    Tensor nugget = Rng.of(3).normal(fields.shape()).mul(PRIOR.nugget(0));
    Tensor y = kriging.sensing().read(fields.add(nugget));
    double usual = Arrays.stream(kriging.distance(y)).average().orElseThrow();
    assertEquals(1, usual, 0.15);
    double wrong = Arrays.stream(kriging.distance(y.mul(1000))).average().orElseThrow();
    assertTrue(wrong > 500 && wrong < 20_000, "distance " + wrong);
  }

  @Test
  void outlyingNamesTheSpoiledReading() {
    Kriging kriging = PRIOR.given(at(40, 0));
    for (int spoiled = 0; spoiled < 40; spoiled += 7) {
      double[] y = kriging.sensing().read(PRIOR.samples(Rng.of(spoiled), 1)).toDoubles();
      y[spoiled] -= 5;
      double[] outlying = kriging.outlying(Tensor.of(y, 1, 40));
      int worst = 0;
      for (int i = 0; i < 40; i++) {
        worst = Math.abs(outlying[i]) > Math.abs(outlying[worst]) ? i : worst;
      }
      assertEquals(spoiled, worst);
      assertTrue(outlying[worst] < -5, "below what the others predict");
    }
  }

  @Test
  void scopesRecycleNothingThatIsNeeded() {
    Tensor y = values(Sensed.MANY.sensing());
    Tensor expected = PRIOR.given(Sensed.MANY.sensing()).mean(y);
    Kriging kept;
    try (Scope _ = Scope.open()) {
      kept = PRIOR.given(Sensed.MANY.sensing());
    }
    Tensor.of(new double[1 << 12], 1 << 12);
    Close.assertClose("outside", expected, kept.mean(y), 0);
  }

  @Test
  void refusesWhatDoesNotFit() {
    Kriging kriging = PRIOR.given(at(4, 0));
    Tensor three = Tensor.of(new double[3], 1, 3);
    assertMessage("values [1, 3], expected [batch, 4]", () -> kriging.mean(three));
    assertMessage("values [1, 3]", () -> kriging.samples(three, Rng.of(1)));
    assertMessage("values [1, 3]", () -> kriging.fit(PRIOR.mean(), three));
    assertMessage("values [1, 3]", () -> kriging.distance(three));
    assertMessage("values [1, 3]", () -> PRIOR.given(at(0, 0)).mean(three));
    Tensor two = Tensor.of(new double[8], 2, 4);
    assertMessage("2 rows of values", () -> kriging.outlying(two));
    assertMessage(
        "2 rows of values for 3 fields", () -> kriging.fit(PRIOR.samples(Rng.of(1), 3), two));
    Sensing elsewhere = Sensing.at(PriorCase.SQUARE.problem(), new int[] {1}, 0);
    assertMessage("different problems: channels [f, g] and [f]", () -> PRIOR.given(elsewhere));
  }

  static void assertMessage(String part, Runnable run) {
    String message = assertThrows(IllegalArgumentException.class, run::run).getMessage();
    assertTrue(message.contains(part), message);
  }
}
