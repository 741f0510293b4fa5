package io.perflow.physics.prior;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Close;
import io.perflow.physics.Axis;
import io.perflow.physics.Dataset;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Sensors;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.Dirichlet;
import io.perflow.physics.constraint.DivergenceFree;
import io.perflow.physics.constraint.KineticEnergy;
import io.perflow.physics.constraint.Mass;
import io.perflow.physics.constraint.Projector;
import io.perflow.physics.solver.FieldGenerator;
import io.perflow.physics.solver.Heat;
import io.perflow.physics.solver.Poisson;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class GaussianPriorTest {

  // ---- constraints

  static Stream<FieldGenerator> simulators() {
    return Stream.of(Heat.standard().size(12), Poisson.standard().size(12));
  }

  private static Dataset dataset(Problem problem, Tensor fields) {
    return Dataset.of(problem, fields, Normalization.fit(fields, problem.groups()), Map.of());
  }

  private static void assertOnManifold(
      GaussianPrior prior, List<? extends Constraint> constraints) {
    Problem problem = prior.problem();
    Sensing sensing = Sensing.of(problem, problem.masks().draw(Rng.of(3), 1), 0);
    Kriging kriging = prior.given(sensing);
    Tensor y = sensing.read(prior.samples(Rng.of(4), 3));
    for (Constraint constraint : constraints) {
      for (Tensor x :
          List.of(
              prior.mean(),
              prior.samples(Rng.of(5), 3),
              kriging.mean(y),
              kriging.samples(y, Rng.of(6)))) {
        double size = x.abs().max(false).item();
        double residual = constraint.residual(x).abs().max(false).item();
        assertTrue(residual < 1e-5 * size, constraint.name() + " missed by " + residual);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("simulators")
  void samplesOfBenchmarksSatisfyTheirConstraints(FieldGenerator simulator) {
    Dataset data = dataset(simulator.problem(), simulator.samples(60, Rng.of(1)));
    GaussianPrior prior = GaussianPrior.learn(data);
    assertEquals(57L, ((Number) prior.description().get("fields")).longValue());
    assertOnManifold(
        prior,
        simulator.problem().constraints().stream()
            .map(c -> c.normalized(data.normalization()))
            .toList());
  }

  private static Problem flow(Constraint... constraints) {
    Problem.Builder flow =
        Problem.named("flow")
            .frames(Axis.time("t", 0, 1, 2))
            .axis(Axis.periodic("y", 0, 1, 8))
            .axis(Axis.periodic("x", 0, 1, 8))
            .channel("u")
            .channel("v")
            .vector("u", "v")
            .sensors(Sensors.points(9));
    Stream.of(constraints).forEach(flow::constrain);
    return flow.build();
  }

  @Test
  void samplesOfFlowsHaveNoDivergence() {
    Problem problem = flow(DivergenceFree.spectral(), Mass.mean(0));
    Projector projector = Projector.onto(problem.constraints());
    Tensor fields = projector.project(PriorCase.fields(problem, 40, 1));
    GaussianPrior prior =
        GaussianPrior.learn(
            problem, PriorCase.units(problem), projector, fields, fields.slice(0, 0, 5), 50);
    assertTrue(prior.rank() > 20);
    assertOnManifold(prior, problem.constraints());
  }

  @Test
  void constraintsThatAreNotLinearAreLeftOut() {
    Constraint ring = Dirichlet.ring(0);
    Problem problem = flow();
    Projector projector = Projector.onto(ring, KineticEnergy.of(1));
    assertTrue(projector.curved());
    Tensor fields = Projector.onto(ring).project(PriorCase.fields(problem, 30, 1).sub(1));
    GaussianPrior prior =
        GaussianPrior.learn(
            problem, PriorCase.units(problem), projector, fields, fields.slice(0, 0, 5), 50);
    assertOnManifold(prior, List.of(ring));
  }

  // ---- samples

  @Test
  void samplesHaveTheMeanAndCovarianceOfTheModes() {
    GaussianPrior prior = PriorCase.WALLS.prior(100);
    Tensor samples = prior.samples(Rng.of(1), 4000);
    Tensor deviation = prior.deviation();
    Tensor miss = samples.mean(true, 0).sub(prior.mean()).div(deviation);
    assertTrue(miss.abs().max(false).item() < 5 / Math.sqrt(4000));
    Tensor spread = samples.sub(prior.mean()).square().mean(true, 0).sqrt().div(deviation);
    assertTrue(spread.sub(1).abs().max(false).item() < 5 / Math.sqrt(2 * 4000));
    Tensor one = Rng.of(2).normal(Shape.of(1, prior.rank()));
    Tensor expected = prior.modes().matmul(one.transpose()).reshape(prior.mean().shape());
    Close.assertClose("fields", expected.add(prior.mean()), prior.fields(one), 1e-6);
  }

  @Test
  void survivesTheScopeItIsLearntIn() throws FileFormatException {
    GaussianPrior learnt;
    GaussianPrior read;
    try (Scope _ = Scope.open()) {
      try (Scope _ = Scope.open()) {
        learnt = PriorCase.SQUARE.prior(50);
        read = read(PriorCase.SQUARE, learnt.toJson(), copy(learnt.tensors()));
      }
    }
    GaussianPrior expected = PriorCase.SQUARE.prior(50); // takes the memory that was recycled
    for (GaussianPrior prior : List.of(learnt, read)) {
      assertSame(expected, prior);
    }
  }

  private static Map<String, Tensor> copy(Map<String, Tensor> tensors) {
    Map<String, Tensor> copy = new LinkedHashMap<>();
    tensors.forEach(
        (name, t) -> {
          int[] shape = t.shape().toArray();
          boolean single = t.type() == DataType.F32;
          copy.put(name, single ? Tensor.of(t.toFloats(), shape) : Tensor.of(t.toDoubles(), shape));
        });
    return copy;
  }

  @Test
  void keepsAtMostTheModesAskedFor() {
    assertEquals(7, PriorCase.WALLS.prior(50, 7).rank());
    GaussianPrior all = PriorCase.WALLS.prior(300);
    assertTrue(all.rank() <= 108, "rank " + all.rank());
    // what seven modes leave is in the nugget
    assertTrue(PriorCase.WALLS.prior(50, 7).nugget(0) > 10 * all.nugget(0));
  }

  // ---- files

  private static GaussianPrior read(PriorCase some, Object json, Map<String, Tensor> tensors)
      throws FileFormatException {
    return GaussianPrior.read(
        some.problem(), PriorCase.units(some.problem()), Projector.none(), json, tensors);
  }

  private static void assertSame(GaussianPrior expected, GaussianPrior actual) {
    assertArrayEquals(expected.mean().toFloats(), actual.mean().toFloats());
    assertArrayEquals(expected.modes().toFloats(), actual.modes().toFloats());
    for (int c = 0; c < expected.problem().channelCount(); c++) {
      assertEquals(expected.nugget(c), actual.nugget(c));
    }
    expected
        .tensors()
        .forEach(
            (name, t) -> assertArrayEquals(t.toFloats(), actual.tensors().get(name).toFloats()));
    assertEquals(Json.write(expected.toJson()), Json.write(actual.toJson()));
  }

  @ParameterizedTest
  @EnumSource
  void filesGiveTheSamePriorBack(PriorCase some) throws FileFormatException {
    GaussianPrior prior = some.prior(30);
    Object json = Json.parse(Json.write(prior.toJson()));
    assertSame(prior, read(some, json, copy(prior.tensors())));
    assertSame(prior, read(some, prior.toJson(), prior.tensors()));
  }

  private static Arguments damage(String message, String key, Object value) {
    return Arguments.of(message, key, value);
  }

  private static Tensor with(String name, int at, double value) {
    Tensor tensor = SMALL.tensors().get(name);
    float[] numbers = tensor.toFloats();
    numbers[at] = (float) value;
    return Tensor.of(numbers, tensor.shape().toArray());
  }

  private static final GaussianPrior SMALL = PriorCase.LINE.prior(40, 5);

  static Stream<Arguments> damages() {
    return Stream.of(
        damage(
            "prior/mean is [1, 1, 1, 15], expected [1, 1, 1, 16]",
            Compact.MEAN,
            Tensor.zeros(1, 1, 1, 15)),
        damage("prior/rows is [1], expected [1, 1, 1]", Compact.ROWS, Tensor.zeros(1)),
        damage(
            "prior/columns is [2, 16, 16], expected [1, 16, 16]",
            Compact.COLUMNS,
            Tensor.zeros(2, 16, 16)),
        damage("prior/members is [3], expected [16]", Compact.MEMBERS, Tensor.zeros(3)),
        damage("prior/factors is [0], expected [80]", Compact.FACTORS, Tensor.zeros(0)),
        damage("tensor prior/factors is missing", Compact.FACTORS, null),
        damage("tensor prior/mean is missing", Compact.MEAN, null),
        damage(
            "prior/members: there is no coefficient 16.0 of fields with 16 values",
            Compact.MEMBERS,
            with(Compact.MEMBERS, 2, 16)),
        damage("there is no coefficient -1.0", Compact.MEMBERS, with(Compact.MEMBERS, 2, -1)),
        damage("there is no coefficient 0.5", Compact.MEMBERS, with(Compact.MEMBERS, 2, 0.5)),
        damage(
            "there is no coefficient NaN", Compact.MEMBERS, with(Compact.MEMBERS, 2, Double.NaN)),
        damage("prior/members: coefficient 1 twice", Compact.MEMBERS, with(Compact.MEMBERS, 2, 1)),
        damage(
            "prior/factors holds NaN at [5]",
            Compact.FACTORS,
            with(Compact.FACTORS, 5, Double.NaN)),
        damage(
            "prior/mean holds Infinity at [0, 0, 0, 5]",
            Compact.MEAN,
            with(Compact.MEAN, 5, Double.POSITIVE_INFINITY)),
        damage("2 sizes and 1 ranks of blocks", "sizes", List.of(8L, 8L)),
        damage("0 sizes and 1 ranks", "sizes", List.of()),
        damage("sizes", "sizes", null),
        damage("sizes: 4294967312 is too large", "sizes", List.of((1L << 32) + 16)),
        damage("rank 5 of a block of -16", "sizes", List.of(-16L)),
        damage("17 coefficients of fields with 16 values", "sizes", List.of(17L)),
        damage("rank 17 of a block of 16", "ranks", List.of(17L)),
        damage("rank -1 of a block of 16", "ranks", List.of(-1L)),
        damage("prior/factors is [80], expected [64]", "ranks", List.of(4L)),
        damage("ranks", "ranks", List.of("five")),
        damage("2 nuggets for 1 channels", "nugget", List.of(0.1, 0.1)),
        damage("nuggets [0.0]", "nugget", List.of(0.0)),
        damage("nuggets [NaN]", "nugget", List.of(Double.NaN)),
        damage("nuggets [Infinity]", "nugget", List.of(Double.POSITIVE_INFINITY)),
        damage("learnt", "learnt", "well"));
  }

  @ParameterizedTest
  @MethodSource("damages")
  void damagedFilesAreRefused(String message, String key, Object value) {
    Map<String, Object> json = new LinkedHashMap<>(SMALL.toJson());
    Map<String, Tensor> tensors = new LinkedHashMap<>(SMALL.tensors());
    if (tensors.containsKey(key)) {
      tensors.remove(key);
      if (value instanceof Tensor tensor) {
        tensors.put(key, tensor);
      }
    } else {
      json.put(key, value);
    }
    var thrown = assertThrows(FileFormatException.class, () -> read(PriorCase.LINE, json, tensors));
    assertTrue(thrown.getMessage().contains(message), thrown.getMessage());
  }

  @Test
  void filesOfOtherProblemsAreRefused() {
    var thrown =
        assertThrows(
            FileFormatException.class,
            () -> read(PriorCase.SQUARE, SMALL.toJson(), SMALL.tensors()));
    assertTrue(thrown.getMessage().contains("prior/mean is [1, 1, 1, 16]"), thrown.getMessage());
    assertThrows(FileFormatException.class, () -> read(PriorCase.LINE, "prior", SMALL.tensors()));
  }

  @Test
  void learnsInTheUnitsOfTheData() {
    Problem problem = PriorCase.WALLS.problem();
    Tensor fields = PriorCase.WALLS.fields(60, 1);
    Normalization units = new Normalization(List.of(5.0, -1.0), List.of(10.0, 0.1));
    Dataset one = dataset(problem, fields);
    Dataset other = dataset(problem, units.denormalize(fields));
    Close.assertClose(
        "mean", GaussianPrior.learn(one).mean(), GaussianPrior.learn(other).mean(), 1e-3);
    Close.assertClose(
        "deviation",
        GaussianPrior.learn(one).deviation(),
        GaussianPrior.learn(other).deviation(),
        1e-3);
  }
}
