package io.perflow.physics.solver;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Generation;
import io.perflow.physics.Moments;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Scaling;
import io.perflow.physics.Sensors;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.Dirichlet;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class BenchmarkTest {
  private static FieldGenerator generator(String benchmark, String preset, int size) {
    return Benchmark.named(benchmark).generator(preset, size);
  }

  private static Tensor samples(FieldGenerator generator, int count) {
    double[] all =
        IntStream.range(0, count)
            .mapToObj(i -> generator.sample(Rng.of(1).split(i)))
            .flatMapToDouble(Arrays::stream)
            .toArray();
    return Tensor.of(all, generator.problem().batch(count).toArray());
  }

  private static Stream<String> names() {
    return Benchmark.all().stream().map(Benchmark::name);
  }

  @Test
  void allAreFound() {
    assertEquals(List.of("burgers", "poisson", "darcy", "ns", "heat"), names().toList());
    var e = assertThrows(IllegalArgumentException.class, () -> Benchmark.named("wave"));
    assertEquals(
        "unknown benchmark 'wave'; known: burgers, poisson, darcy, ns, heat", e.getMessage());
  }

  @Test
  void theResolutionOfTheBenchmarkGivesTheSolversOwnPresets() {
    assertEquals(Burgers.paper(), generator("burgers", "paper", 128));
    assertEquals(Burgers.diffusionPde(), generator("burgers", "diffusionpde", 128));
    assertEquals(Poisson.standard(), generator("poisson", "paper", 128));
    assertEquals(Darcy.standard(), generator("darcy", "paper", 128));
    assertEquals(NavierStokes.standard(), generator("ns", "paper", 64));
    assertEquals(NavierStokes.advective(), generator("ns", "hard", 64));
    assertEquals(Darcy.standard().grid(Darcy.Grid.CELLS), generator("darcy", "diffusionpde", 128));
  }

  @ParameterizedTest
  @ValueSource(strings = {"burgers", "poisson", "darcy", "ns"})
  void theUsualPresetAndSizeAreThePapers(String name) {
    Benchmark benchmark = Benchmark.named(name);
    assertEquals(name.equals("ns") ? 64 : 128, benchmark.size());
    assertEquals(benchmark.generator("paper", 16), benchmark.generator("", 16));
    assertEquals("paper", benchmark.presets().getFirst().name());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "darcy | hard | darcy has no preset 'hard'; it has paper, diffusionpde",
        "ns    | fno  | ns has no preset 'fno'; it has paper, diffusionpde, hard",
        "poisson | Paper | poisson has no preset 'Paper'; it has paper, diffusionpde",
        "burgers | fno | burgers has no preset 'fno'; it has paper, diffusionpde",
      })
  void unknownPresetsAreRefused(String name, String preset, String message) {
    var e = assertThrows(IllegalArgumentException.class, () -> generator(name, preset, 64));
    assertEquals(message, e.getMessage());
  }

  @ParameterizedTest
  @MethodSource("names")
  void everyBenchmarkSatisfiesItsConstraintsBothInPhysicalAndInNormalizedUnits(String name) {
    FieldGenerator generator = generator(name, "", 32);
    Problem problem = generator.problem();
    Tensor fields = samples(generator, 4);
    Normalization units = Normalization.fit(fields, problem.groups());
    assertEquals(1, problem.constraints().size());
    for (Constraint constraint : problem.constraints()) {
      double physical = constraint.meanSquare(fields).max(false, 0).item();
      Constraint scaled = constraint.normalized(units);
      double normalized = scaled.meanSquare(units.normalize(fields)).max(false, 0).item();
      // temperatures around 300 K are rounded more coarsely than fields around 0
      assertTrue(physical < 1e-23, name + " physical " + physical);
      assertTrue(normalized < 1e-24, name + " normalized " + normalized);
      // and the check can fail: a field that is moved a little does not satisfy it
      Tensor moved = fields.add(Rng.of(3).normal(fields.shape()).to(fields.type()).mul(1e-4));
      assertTrue(constraint.meanSquare(moved).min(false, 0).item() > 1e-16);
    }
  }

  @Test
  void cellCentredDarcyIsNotZeroOnTheRimAndSaysSo() {
    FieldGenerator cells = generator("darcy", "diffusionpde", 32);
    double ring = Dirichlet.ring(1).meanSquare(samples(cells, 2)).min(false, 0).item();
    assertTrue(ring > 1e-9, "mean square " + ring);
    assertEquals(List.of(), cells.problem().constraints());
    assertEquals(0.5 / 32, cells.problem().grid().rows().coordinate(0));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "burgers | [u]    | t | x | mass@x=0        | mirror:x:-u,shift:x",
        "poisson | [f, u] | x | y | dirichlet:u=0   | mirror:x,mirror:y,transpose",
        "darcy   | [a, p] | x | y | dirichlet:p=0   | mirror:x,mirror:y,transpose",
        "ns      | [u, v] | x | y | divergence-free | shift:x-y",
      })
  void theProblemsAreThoseOfThePaper(
      String name, String quantities, String rows, String columns, String law, String symmetries) {
    FieldGenerator generator = generator(name, "paper", 16);
    Problem problem = generator.problem();
    assertEquals(name, problem.name());
    assertEquals(16, problem.grid().height());
    assertEquals(16, problem.grid().width());
    assertEquals(quantities, problem.quantities().stream().map(q -> q.name()).toList().toString());
    assertEquals(rows, problem.grid().rows().name());
    assertEquals(columns, problem.grid().columns().name());
    assertEquals(law, problem.text(problem.constraints().getFirst()));
    assertEquals(
        symmetries, String.join(",", problem.symmetries().stream().map(Object::toString).toList()));
    assertEquals(generator, problem.simulator().orElseThrow());
    assertEquals(problem.channels(), generator(name, "diffusionpde", 16).problem().channels());
  }

  @ParameterizedTest
  @CsvSource({
    "burgers, 1, 640, 60d8511e, f80dd9e2",
    "poisson, 2, 500, 4f1fdc05, c8e8fa80",
    "darcy,   2, 500, 4f1fdc05, c8e8fa80",
    "ns,     10, 200, 729604d6, db2fdb71",
  })
  void thePapersMasksHaveTheBitsOfVersion01(
      String name, int planes, int ones, String atFullSize, String ofTwoToFive) {
    Benchmark benchmark = Benchmark.named(name);
    Problem problem = benchmark.generator("", benchmark.size()).problem();
    assertEquals(planes, problem.planes());
    Tensor drawn = problem.masks().draw(Rng.of(11), 3);
    for (double sum : drawn.sum(2, 3).toDoubles()) {
      assertEquals(ones, sum);
    }
    assertEquals(atFullSize, checksum(drawn));
    Problem small = benchmark.generator("", 16).problem();
    Problem few = small.with(small.sensors().count(2, 5));
    assertEquals(ofTwoToFive, checksum(few.masks().draw(Rng.of(11), 3)));
  }

  private static String checksum(Tensor mask) {
    CRC32 sum = new CRC32();
    for (float value : mask.toFloats()) {
      sum.update((int) value);
    }
    return Long.toHexString(sum.getValue());
  }

  // Two numbers and the root mean square of sample 2 of seed 7 as version 0.1 made it.
  @ParameterizedTest
  @CsvSource({
    "burgers, paper,         256,  0.2532925785658237,    0.2319030390999857,   "
        + " 0.2381085086814784",
    "burgers, diffusionpde,  256,  0.12650555237716937,   0.12146345320297859,  "
        + " 0.1201981881199429",
    "poisson, paper,         512,  0.0,                  -0.0013859292127967114,"
        + " 0.1262023052037564",
    "poisson, diffusionpde,  512,  0.0,                  -0.0013859292127967114,"
        + " 0.1262023052037564",
    "darcy,   paper,         512,  0.0,                   0.008448633518802618,  6.20594000274641",
    "darcy,   diffusionpde,  512,  0.002599886881244534,  0.009433123038058149,  6.205940199874324",
    "ns,      paper,        5120, -0.025697887903945962, -0.03830381581080081,  "
        + " 0.017335519959953097",
    "ns,      diffusionpde, 5120,  0.019251160058918713, -0.021057710751148376, "
        + " 0.02936993780054195",
    "ns,      hard,         5120,  0.02810677460776837,  -0.012369818739692444, "
        + " 0.060188704873308185",
  })
  void theDataOfASeedAreThoseOfVersion01(
      String name, String preset, int length, double one, double other, double rootMeanSquare) {
    FieldGenerator generator = generator(name, preset, 16);
    Generation generation =
        new Generation(generator, "train", 7, 3, DataType.F32, Scaling.UNIT, Map.of());
    double[] sample = generation.sample(2);
    assertEquals(length, sample.length);
    assertEquals(one, sample[length / 2 + 5], 1e-13);
    assertEquals(other, sample[length / 2 + 37], 1e-13);
    assertEquals(rootMeanSquare, Math.sqrt(Samples.meanSquare(sample)), 1e-12);
    assertArrayEquals(
        generator.sample(Rng.of(7).split(name).split("train").split(2)), sample, "bit for bit");
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 33, 64})
  void coarseBurgersStaysStable(int size) {
    assertTrue(Moments.of(samples(generator("burgers", "paper", size), 20)).greatest(0) < 5);
  }

  @Test
  void sensorsOfSmallGridsAreFewer() {
    assertEquals(Sensors.points(8), generator("darcy", "", 16).problem().sensors());
    assertEquals(
        Sensors.points(12).sharing(Sensors.Sharing.PER_FRAME),
        generator("ns", "", 16).problem().sensors());
    assertEquals(Sensors.lines("x", 4), generator("burgers", "", 4).problem().sensors());
  }

  @ParameterizedTest
  @MethodSource("names")
  void absurdSizesAreRefused(String name) {
    for (int size : new int[] {Integer.MIN_VALUE, -1, 0, 1}) {
      assertThrows(IllegalArgumentException.class, () -> generator(name, "", size), "" + size);
    }
  }
}
