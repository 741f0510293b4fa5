package io.perflow.physics.prior;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Axis;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Sensors;
import io.perflow.physics.Sensors.Sharing;
import io.perflow.physics.constraint.Projector;
import io.perflow.tensor.Cholesky;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Placements against choices by brute force, with dense matrices in double precision. */
class PlacementTest {
  private static final int HEIGHT = 6;
  private static final int WIDTH = 8;

  /** Laws of sensors that differ in what one sensor reads. */
  enum Law {
    POINTS(Sensors.points(3)),
    SHARED_POINTS(Sensors.points(3).sharing(Sharing.SHARED)),
    LINES(Sensors.lines("x", 2)),
    SHARED_LINES(Sensors.lines("y", 2).sharing(Sharing.SHARED));

    private final Sensors sensors;

    Law(Sensors sensors) {
      this.sensors = sensors;
    }
  }

  private static Problem problem(Sensors law) {
    return Problem.named("plate")
        .axis(Axis.of("y", 0, 1, HEIGHT))
        .axis(Axis.of("x", 0, 2, WIDTH))
        .channel("T", "K")
        .channel("p", "Pa")
        .sensors(law)
        .build();
  }

  private static GaussianPrior prior(Problem problem) {
    return prior(problem, 0.02);
  }

  // of smooth fields, and so much white noise
  private static GaussianPrior prior(Problem problem, double rough) {
    int samples = 60;
    int cells = HEIGHT * WIDTH;
    double[] fields = new double[samples * 2 * cells];
    for (int s = 0; s < samples; s++) {
      double[] a = Rng.of(3).split(s).normal(Shape.of(8)).toDoubles();
      for (int i = 0; i < cells; i++) {
        double y = (double) (i / WIDTH) / (HEIGHT - 1);
        double x = 2.0 * (i % WIDTH) / (WIDTH - 1);
        double bump = a[0] * Math.exp(-8 * (x - 1.5) * (x - 1.5) - 4 * (y - 0.3) * (y - 0.3));
        fields[2 * s * cells + i] =
            bump
                + 0.6 * a[1] * Math.cos(3 * y + 0.2)
                + 0.5 * a[2] * Math.sin(2 * x + y)
                + 0.1 * a[3] * x * y;
        fields[(2 * s + 1) * cells + i] =
            0.7 * a[0] * x
                + 0.4 * a[4] * Math.sin(4 * y)
                + 0.3 * a[5] * Math.cos(5 * x)
                + 0.05 * a[6] * y;
      }
    }
    Tensor all = Tensor.of(fields, samples, 2, HEIGHT, WIDTH).to(DataType.F32);
    all = all.add(Rng.of(4).normal(all.shape()).mul(rough));
    return GaussianPrior.learn(
        problem,
        PriorCase.units(problem),
        Projector.onto(List.of()),
        all.slice(0, 0, 50),
        all.slice(0, 50, 60),
        40);
  }

  // ---- brute force

  // mean variance of all grid points given the readings of some candidates, by dense matrices
  private static double meanVariance(
      GaussianPrior prior, Candidates candidates, double sigma, List<Integer> chosen) {
    Tensor s = prior.modes().to(DataType.F64);
    Tensor covariance = s.matmul(s.transpose());
    int cells = HEIGHT * WIDTH;
    double nuggets = prior.nugget(0) * prior.nugget(0) / 2 + prior.nugget(1) * prior.nugget(1) / 2;
    double[] c = covariance.toDoubles();
    int n = 2 * cells;
    double total = IntStream.range(0, n).mapToDouble(i -> c[i * n + i]).sum();
    if (!chosen.isEmpty()) {
      int[] read =
          chosen.stream().flatMapToInt(i -> Arrays.stream(candidates.entries(i))).toArray();
      double[] k = covariance.gather(0, read).gather(1, read).toDoubles();
      for (int i = 0; i < read.length; i++) {
        double nugget = prior.nugget(read[i] / cells);
        k[i * read.length + i] += nugget * nugget + sigma * sigma;
      }
      Cholesky factor = Cholesky.of(Tensor.of(k, read.length, read.length));
      total -= factor.lower(covariance.gather(0, read)).square().sum().item();
    }
    return total / n + nuggets;
  }

  @ParameterizedTest
  @EnumSource(Law.class)
  void everyStepTakesTheSensorThatLowersTheVarianceMost(Law law) {
    GaussianPrior prior = prior(problem(law.sensors));
    Candidates candidates = Candidates.of(prior.problem());
    for (double sigma : new double[] {0, 0.2}) {
      Placement placement = Placement.greedy(prior, candidates, sigma, 4);
      List<Integer> chosen = new ArrayList<>();
      for (int step = 0; step < 4; step++) {
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < candidates.size(); i++) {
          if (!chosen.contains(i)) {
            chosen.add(i);
            least = Math.min(least, meanVariance(prior, candidates, sigma, chosen));
            chosen.removeLast();
          }
        }
        chosen.add(placement.chosen()[step]);
        double taken = meanVariance(prior, candidates, sigma, chosen);
        assertEquals(least, taken, 1e-7 * least, law + " step " + step);
        assertEquals(Math.sqrt(taken), placement.errors()[step + 1], 1e-7, law + " step " + step);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Law.class)
  void pivotsAreTheSensorsThatAreKnownLeast(Law law) {
    GaussianPrior prior = prior(problem(law.sensors));
    Candidates candidates = Candidates.of(prior.problem());
    Placement placement = Placement.pivoted(prior, candidates, 0.1, 4);
    for (int step = 0; step < 4; step++) {
      int[] before = Arrays.copyOf(placement.chosen(), step);
      double[] deviation = prior.given(candidates.sensing(before, 0.1)).deviation().toDoubles();
      double most = 0;
      for (int i = 0; i < candidates.size(); i++) {
        boolean used = IntStream.of(before).boxed().toList().contains(i);
        most = Math.max(most, used ? 0 : sum(prior, deviation, candidates.entries(i)));
      }
      int[] taken = candidates.entries(placement.chosen()[step]);
      assertEquals(most, sum(prior, deviation, taken), 1e-4 * most, law + " step " + step);
    }
  }

  // of the variances without the nugget
  private static double sum(GaussianPrior prior, double[] deviation, int[] entries) {
    return Arrays.stream(entries)
        .mapToDouble(
            e -> deviation[e] * deviation[e] - Math.pow(prior.nugget(e / (HEIGHT * WIDTH)), 2))
        .sum();
  }

  @Test
  void manySensorsAreStillChosenByDigitsThatCount() {
    // the variance falls so far that squares of covariances lose all digits unless computed anew
    GaussianPrior prior = prior(problem(Law.POINTS.sensors), 0);
    Candidates candidates = Candidates.of(prior.problem());
    Placement placement = Placement.greedy(prior, candidates, 0, 20);
    double[] errors = placement.errors();
    assertTrue(errors[12] < 2e-2 * errors[0], "the prior is too rough for this test");
    for (int step : new int[] {8, 12, 19}) {
      List<Integer> chosen =
          new ArrayList<>(Arrays.stream(placement.chosen()).limit(step).boxed().toList());
      double least = Double.POSITIVE_INFINITY;
      for (int i = 0; i < candidates.size(); i++) {
        if (!chosen.contains(i)) {
          chosen.add(i);
          least = Math.min(least, meanVariance(prior, candidates, 0, chosen));
          chosen.removeLast();
        }
      }
      assertEquals(Math.sqrt(least), errors[step + 1], 1e-3 * errors[step + 1], "step " + step);
    }
  }

  // ---- the curve

  @ParameterizedTest
  @EnumSource(Law.class)
  void theCurveIsTheDeviationThatKrigingLeaves(Law law) {
    GaussianPrior prior = prior(problem(law.sensors));
    Normalization units = new Normalization(List.of(300.0, 5.0), List.of(4.0, 0.5));
    Placement placement = Placement.greedy(prior, Candidates.of(prior.problem()), 0.05, 5);
    double last = Double.POSITIVE_INFINITY;
    for (int n = 0; n <= 5; n++) {
      Tensor squares = prior.given(placement.sensing(n)).deviation().square();
      double[] each = squares.mean(0, 2, 3).toDoubles();
      assertEquals(Math.sqrt((each[0] + each[1]) / 2), placement.errors()[n], 1e-5);
      assertEquals(4 * Math.sqrt(each[0]), placement.errors(0, units)[n], 4e-5);
      assertEquals(0.5 * Math.sqrt(each[1]), placement.errors(1, units)[n], 1e-5);
      assertEquals(placement.errors()[n] / placement.errors()[0], placement.relativeErrors()[n]);
      assertTrue(placement.errors()[n] < last, "more sensors must not know less");
      last = placement.errors()[n];
    }
  }

  @Test
  void whatAllSensorsLeaveDoesNotDependOnTheirOrder() {
    GaussianPrior prior = prior(problem(Law.SHARED_POINTS.sensors));
    Placement greedy = Placement.greedy(prior, 6);
    Candidates same = Candidates.at(prior.problem(), greedy.places().reversed());
    Placement pivoted = Placement.pivoted(prior, same, 0, 6);
    assertEquals(greedy.errors()[6], pivoted.errors()[6], 1e-9);
    assertEquals(greedy.places(), Placement.greedy(prior, same, 0, 6).places());
  }

  @Test
  void noMoveOfASingleSensorImprovesAnExchange() {
    GaussianPrior prior = prior(problem(Law.POINTS.sensors));
    Candidates candidates = Candidates.of(prior.problem());
    Placement exchanged = Placement.exchanged(prior, candidates, 0.1, 3);
    double found = exchanged.errors()[3];
    assertTrue(found <= Placement.greedy(prior, candidates, 0.1, 3).errors()[3]);
    List<Integer> chosen = Arrays.stream(exchanged.chosen()).boxed().toList();
    assertEquals(candidates.size(), exchanged.candidates().size());
    assertEquals(found, Math.sqrt(meanVariance(prior, candidates, 0.1, chosen)), 1e-7);
    for (int s = 0; s < 3; s++) {
      for (int i = 0; i < candidates.size(); i++) {
        List<Integer> other = new ArrayList<>(chosen);
        other.set(s, i);
        if (other.stream().distinct().count() == 3) {
          double error = Math.sqrt(meanVariance(prior, candidates, 0.1, other));
          assertTrue(error >= found * (1 - 1e-9), chosen + " is worse than " + other);
        }
      }
    }
  }

  @Test
  void twoRunsChooseTheSame() {
    GaussianPrior prior = prior(problem(Law.POINTS.sensors));
    assertArrayEquals(Placement.greedy(prior, 8).chosen(), Placement.greedy(prior, 8).chosen());
    assertArrayEquals(
        Placement.exchanged(prior, 4).chosen(), Placement.exchanged(prior, 4).chosen());
  }

  // ---- candidates and laws

  @Test
  void placesMakeALawWithTheSameReadings() {
    for (Law law : List.of(Law.SHARED_POINTS, Law.SHARED_LINES)) {
      Problem problem = problem(law.sensors);
      Placement placement = Placement.greedy(prior(problem), 2);
      Problem fixed = problem.with(Sensors.at(placement.places()).sharing(Sharing.SHARED));
      Sensing read = Sensing.of(fixed, fixed.masks().draw(Rng.of(1), 1), 0);
      int[] expected = placement.sensing(2).entries();
      Arrays.sort(expected);
      assertArrayEquals(expected, read.entries(), law.toString());
    }
  }

  @Test
  void aSensorReadsTheChannelsOfItsMask() {
    Candidates apart = Candidates.of(problem(Law.POINTS.sensors));
    assertEquals(2 * HEIGHT * WIDTH, apart.size());
    assertArrayEquals(new int[] {0}, apart.channels(0));
    assertArrayEquals(new int[] {1}, apart.channels(HEIGHT * WIDTH));
    Candidates lines = Candidates.of(problem(Law.SHARED_LINES.sensors));
    assertEquals(HEIGHT, lines.size());
    assertArrayEquals(new int[] {0, 1}, lines.channels(2));
    assertEquals(WIDTH, lines.places(2).size());
    assertEquals(List.of(0.4, 0.0), lines.places(2).getFirst());
    assertEquals(2 * WIDTH, lines.entries(2).length);
  }

  @Test
  void fineGridsAreThinned() {
    Problem fine = problem(Law.SHARED_POINTS.sensors).resized(100, 101);
    Candidates candidates = Candidates.of(fine);
    assertEquals(50 * 51, candidates.size());
  }

  @Test
  void placesAreAllowedAndForbidden() {
    Problem problem = problem(Law.SHARED_POINTS.sensors);
    List<List<Double>> corner = List.of(List.of(0.0, 0.0), List.of(0.01, 0.1), List.of(1.0, 2.0));
    Candidates allowed = Candidates.at(problem, corner);
    assertEquals(2, allowed.size(), "two of the places are one grid point");
    assertEquals(List.of(List.of(1.0, 2.0)), allowed.places(1));
    assertEquals(HEIGHT * WIDTH - 2, Candidates.of(problem).without(corner).size());
    Problem fixed = problem.with(Sensors.at(corner));
    assertEquals(4, Candidates.of(fixed).size(), "two places for each of two quantities");
  }

  @Test
  void evenLayoutsCoverTheGrid() {
    Candidates candidates = Candidates.of(problem(Law.SHARED_POINTS.sensors).resized(12, 12));
    int[] nine = candidates.even(9);
    for (int i = 0; i < 9; i++) {
      List<Double> place = candidates.places(nine[i]).getFirst();
      assertEquals((i / 3 + 0.5) / 3, place.get(0), 0.1);
      assertEquals((i % 3 + 0.5) / 3 * 2, place.get(1), 0.2);
    }
    assertEquals(144, Arrays.stream(candidates.even(144)).distinct().count());
    Candidates lines = Candidates.of(problem(Law.SHARED_LINES.sensors));
    assertArrayEquals(new int[] {1, 4}, lines.even(2));
    Candidates apart = Candidates.of(problem(Law.POINTS.sensors));
    assertEquals(4, Arrays.stream(apart.even(7)).filter(i -> i < HEIGHT * WIDTH).count());
  }

  // ---- mistakes

  private static void refused(String message, Runnable mistake) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, mistake::run).getMessage());
  }

  @Test
  void nonsenseIsRefused() {
    Problem problem = problem(Law.SHARED_LINES.sensors);
    GaussianPrior prior = prior(problem);
    Candidates all = Candidates.of(problem);
    refused("[placement] 0 sensors: at least 1 is needed", () -> Placement.greedy(prior, 0));
    refused(
        "[placement] 7 sensors, but there are only 6 candidates; ask for fewer, or allow more"
            + " places",
        () -> Placement.pivoted(prior, 7));
    refused(
        "[placement] noise of deviation -1.0: it must be finite and not negative",
        () -> Placement.greedy(prior, all, -1, 2));
    refused(
        "[placement] noise of deviation NaN: it must be finite and not negative",
        () -> Placement.exchanged(prior, all, Double.NaN, 2));
    refused(
        "[placement] prior and candidates are of different problems: 6 x 8 points and 5 x 5",
        () -> Placement.greedy(prior, Candidates.of(problem.resized(5, 5)), 0, 2));
    refused("[candidates] there is no place in the list", () -> Candidates.at(problem, List.of()));
    refused(
        "[candidates] a place has two coordinates, [1.0] has not",
        () -> Candidates.at(problem, List.of(List.of(1.0))));
    refused(
        "[axis x] x = 3.0 lies outside [0.0, 2.0]",
        () -> Candidates.at(problem, List.of(List.of(0.5, 3.0))));
    Candidates two = Candidates.at(problem, List.of(List.of(0.0, 0.0), List.of(1.0, 0.0)));
    refused(
        "[candidates] all 2 candidates are at forbidden places; leave some of these out of the"
            + " list",
        () -> two.without(List.of(List.of(0.0, 1.0), List.of(1.0, 1.0))));
    Problem fixed = problem.with(Sensors.at(List.of(List.of(0.0, 0.0))).sharing(Sharing.SHARED));
    refused(
        "[placement] 2 sensors, but there are only 1 candidates; ask for fewer, or allow more"
            + " places",
        () -> Placement.greedy(prior, Candidates.of(fixed), 0, 2));
    refused(
        "[placement] the first 3 of 2 sensors; ask for 0 to 2",
        () -> Placement.greedy(prior, 2).sensing(3));
  }
}
