package io.perflow.physics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.solver.Burgers;
import io.perflow.physics.solver.Darcy;
import io.perflow.physics.solver.FieldGenerator;
import io.perflow.physics.solver.NavierStokes;
import io.perflow.physics.solver.Poisson;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PresetTest {
  private static Tensor samples(FieldGenerator generator, int count) {
    double[] all =
        IntStream.range(0, count)
            .mapToObj(i -> generator.sample(Rng.of(1).split(i)))
            .flatMapToDouble(Arrays::stream)
            .toArray();
    return Tensor.of(
        all, count, generator.channels().size(), generator.height(), generator.width());
  }

  @Test
  void theResolutionOfTheBenchmarkGivesTheSolversOwnPresets() {
    assertEquals(Burgers.paper(), Preset.PAPER.generator(Benchmark.BURGERS, 128));
    assertEquals(Burgers.diffusionPde(), Preset.DIFFUSIONPDE.generator(Benchmark.BURGERS, 128));
    assertEquals(Poisson.standard(), Preset.PAPER.generator(Benchmark.POISSON, 128));
    assertEquals(Darcy.standard(), Preset.PAPER.generator(Benchmark.DARCY, 128));
    assertEquals(NavierStokes.standard(), Preset.PAPER.generator(Benchmark.NS, 64));
    assertEquals(
        Darcy.standard().grid(Darcy.Grid.CELLS),
        Preset.DIFFUSIONPDE.generator(Benchmark.DARCY, 128));
  }

  @ParameterizedTest
  @EnumSource(Benchmark.class)
  void everyBenchmarkSatisfiesItsConstraintsBothInPhysicalAndInNormalizedUnits(Benchmark b) {
    Tensor fields = samples(Preset.PAPER.generator(b, 32), 4);
    Normalization units = Normalization.fit(fields, b.groups());
    for (Constraint constraint : b.constraints()) {
      double physical = constraint.meanSquare(fields).max(false, 0).item();
      Constraint scaled = constraint.normalized(units);
      double normalized = scaled.meanSquare(units.normalize(fields)).max(false, 0).item();
      assertTrue(physical < 1e-24, b + " physical " + physical);
      assertTrue(normalized < 1e-24, b + " normalized " + normalized);
      // and the check can fail: a field that is moved a little does not satisfy it
      Tensor moved = fields.add(Rng.of(3).normal(fields.shape()).to(fields.type()).mul(1e-6));
      assertTrue(constraint.meanSquare(moved).min(false, 0).item() > 1e-16);
    }
  }

  @Test
  void cellCentredDarcyIsNotZeroOnTheRim() {
    Tensor cells = samples(Preset.DIFFUSIONPDE.generator(Benchmark.DARCY, 32), 2);
    double ring = Benchmark.DARCY.constraints().getFirst().meanSquare(cells).min(false, 0).item();
    assertTrue(ring > 1e-9, "mean square " + ring);
  }

  @ParameterizedTest
  @EnumSource(Benchmark.class)
  void generatorAndBenchmarkNameTheSameChannels(Benchmark benchmark) {
    FieldGenerator generator = Preset.DIFFUSIONPDE.generator(benchmark, 16);
    assertEquals(benchmark.channels(), generator.channels());
    assertEquals(16, generator.height());
    assertEquals(16, generator.width());
  }

  @Test
  void coarseBurgersStaysStable() {
    for (int size : new int[] {16, 33, 64}) {
      Tensor fields = samples(Preset.PAPER.generator(Benchmark.BURGERS, size), 20);
      assertTrue(Moments.of(fields).greatest(0) < 5, "size " + size);
    }
  }

  @Test
  void hardIsForNavierStokes() {
    assertEquals(NavierStokes.advective(), Preset.HARD.generator(Benchmark.NS, 64));
    var e =
        assertThrows(
            IllegalArgumentException.class, () -> Preset.HARD.generator(Benchmark.DARCY, 64));
    assertTrue(e.getMessage().contains("for ns alone"), e.getMessage());
    var f = assertThrows(IllegalArgumentException.class, () -> Preset.of("fno"));
    assertEquals("unknown preset 'fno'; known: paper, diffusionpde, hard", f.getMessage());
  }
}
