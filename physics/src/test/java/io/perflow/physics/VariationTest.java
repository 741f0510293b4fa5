package io.perflow.physics;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.solver.Benchmark;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Data from which nothing can be learnt are refused, whatever a training would make of them. */
class VariationTest {
  private static final Problem PLATE =
      Problem.named("plate").axis("y", 0, 1, 4).axis("x", 0, 1, 4).channel("T", "K").build();

  private static void check(double mean, double deviation, DataType type) {
    Tensor noise = Rng.of(1).normal(Shape.of(5, 1, 4, 4)).to(DataType.F64);
    Tensor fields = noise.mul(deviation).add(mean).to(type);
    Dataset.of(PLATE, fields, Normalization.identity(1), Map.of()).requireVariation();
  }

  private static String refused(double mean, double deviation, DataType type) {
    return assertThrows(IllegalArgumentException.class, () -> check(mean, deviation, type))
        .getMessage();
  }

  @Test
  void ordinaryData() {
    assertDoesNotThrow(() -> check(300, 1, DataType.F32));
    assertDoesNotThrow(() -> check(1e-20, 1e-22, DataType.F32));
    assertDoesNotThrow(() -> check(1e9, 1, DataType.F64));
    assertDoesNotThrow(() -> check(0, 1e28, DataType.F32));
  }

  @Test
  void nothingVaries() {
    assertEquals(
        "[data] T is 300.0 everywhere in all samples: there is nothing to learn; leave it out or"
            + " check how the data were made",
        refused(300, 0, DataType.F32));
  }

  @Test
  void beyondSinglePrecision() {
    String large = refused(0, 1e37, DataType.F32);
    assertTrue(large.contains("networks compute in single precision"), large);
    String small = refused(0, 1e-35, DataType.F64);
    assertTrue(small.contains("deviations from 1e-30 on"), small);
  }

  @Test
  void lostInRounding() {
    String rounded = refused(1e6, 0.1, DataType.F32);
    assertTrue(rounded.contains("are 0.0625 apart; subtract a constant"), rounded);
  }

  @Test
  void aGridWithoutWavesMakesNoFields() {
    var e =
        assertThrows(IllegalArgumentException.class, () -> Benchmark.named("ns").generator("", 2));
    assertEquals("[navier-stokes] size is 2, must be at least 4", e.getMessage());
  }

  @Test
  void readingsThatTheirNoiseDoesNotExplain() {
    Readings readings =
        Readings.of(PLATE)
            .sigma(0.1)
            .at("T", 300, 0, 0)
            .at("T", 310, 0, 0)
            .at("T", 1, 1, 1)
            .build();
    assertEquals(
        List.of(
            "reading 1 and reading 2 read T at the same place as 300.0 ± 0.1 and 310.0 ± 0.1, 70.7"
                + " deviations apart: check them; their mean is used"),
        Agreement.of(readings).conflicts());
  }

  @Test
  void theEndOfAPeriodIsItsBeginning() {
    Problem ring =
        Problem.named("ring")
            .axis("y", 0, 1, 4)
            .axis(Axis.periodic("x", 0, 1, 4))
            .channel("T")
            .build();
    Readings.Builder twice = Readings.of(ring).at("T", 1, 0, 0).at("T", 2, 0, 1);
    var e = assertThrows(IllegalArgumentException.class, twice::build);
    assertTrue(e.getMessage().contains("both read T at the same place: 1.0 and 2.0"));
  }
}
