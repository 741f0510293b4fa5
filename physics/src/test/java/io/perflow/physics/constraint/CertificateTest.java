package io.perflow.physics.constraint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Normalization;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Json;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class CertificateTest {
  private static final Normalization UNITS =
      new Normalization(List.of(0.01, -0.02), List.of(0.024, 0.024));

  @Test
  void roundOffOfSinglePrecisionIsShownAndRemoved() throws Exception {
    Shape field = Shape.of(2, 2, 64, 64);
    Tensor x = Laws.normal(Rng.of(1), field, DataType.F32).mul(0.024);
    List<Constraint> laws = List.of(DivergenceFree.spectral(), Mass.over(2, 3).value(0.01));
    Tensor single = Projector.onto(laws).project(x);

    Certificate before = Certificate.of(single, laws, UNITS);
    double divergence = before.worst().getFirst().normalized().meanSquare();
    assertTrue(divergence > 1e-14 && divergence < 1e-7, "single " + divergence);
    assertEquals(
        before.worst().getFirst().physical().meanSquare(),
        divergence * 0.024 * 0.024,
        1e-3 * divergence);

    Certificate after = Certificate.of(Certificate.polished(single, laws), laws, UNITS);
    assertTrue(after.worst().get(0).physical().meanSquare() < 1e-28, after.toString());
    assertTrue(after.worst().get(1).physical().meanSquare() < 1e-34, after.toString());
    assertEquals(2, after.samples().size());

    var read = Json.list(Json.parse(Json.write(before.toJson())), "certificate");
    var first = Json.object(Json.list(read.getFirst(), "sample").getFirst(), "entry");
    assertEquals("divergence-free", first.get("constraint"));
    var physical = Json.object(first.get("physical"), "physical");
    assertEquals(
        before.samples().getFirst().entries().getFirst().physical().max(), physical.get("max"));
  }

  @Test
  void theMisfitAtTheSensorsIsReported() {
    Tensor mask = Manifold.mask(Rng.of(2), Shape.of(2, 1, 8, 8), 0.3);
    Measured sensors = Measured.of(mask, Tensor.zeros(1));
    Tensor fields = Tensor.ones(2, 2, 8, 8).mul(0.048);
    var entry = Certificate.of(fields, List.of(sensors), UNITS).worst().getFirst();
    assertEquals("sensors", entry.constraint());
    assertEquals(0.048 * 0.048, entry.physical().meanSquare(), 1e-9);
    assertEquals(2, entry.normalized().max(), 1e-6);
  }

  @Test
  void fieldsThatAreNotFiniteAreRefused() {
    Tensor bad = Tensor.of(new float[] {1, 2, 3, 4, 5, 6, Float.NaN, 8}, 2, 1, 2, 2);
    var thrown =
        assertThrows(
            IllegalArgumentException.class,
            () -> Certificate.of(bad, List.of(), Normalization.identity(1)));
    assertTrue(thrown.getMessage().contains("[1, 0, 1, 0]"), thrown.getMessage());
  }

  /** Projecting in the network's units or in the data's leads to admissible fields alike. */
  @Property(tries = 60)
  void constraintsSurviveNormalization(
      @ForAll Manifold manifold, @ForAll @IntRange(min = 2, max = 6) int half, @ForAll long seed) {
    Rng rng = Rng.of(seed);
    Shape field = Shape.of(2, 2, 2 * half, 2 * half + 2);
    Projector physical = manifold.projector(field, rng.split("constraint"));
    double scale = 0.1 + 3 * rng.nextDouble();
    Normalization units =
        new Normalization(List.of(rng.nextDouble(), rng.nextDouble()), List.of(scale, scale));
    Projector normalized =
        Projector.onto(physical.constraints().stream().map(c -> c.normalized(units)).toList());
    Tensor x = normalized.project(Laws.normal(rng.split("x"), field, DataType.F64));
    for (Constraint constraint : physical.constraints()) {
      double missed = constraint.meanSquare(units.denormalize(x)).max(false).item();
      assertTrue(missed <= 1e-22, () -> constraint.name() + " " + missed);
      double again = constraint.normalized(units).meanSquare(x).max(false).item();
      assertTrue(again <= 1e-22, () -> "normalized " + constraint.name() + " " + again);
    }
  }
}
