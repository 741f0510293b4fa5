package io.perflow.physics.prior;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

class SensingTest {
  private static final Problem PROBLEM = PriorCase.FRAMES.problem();

  private static Readings readings() {
    return Readings.of(PROBLEM)
        .at("f", 2, 0, 0.1, 0.3)
        .sigma(0.5)
        .at("g", -1, 1, 0.5, 0.99)
        .line("g", 3, new double[] {0.5, 0, 0}, new double[] {0.5, 0.5, 0.5})
        .build();
  }

  @Test
  void masksReadEveryChannelThroughItsPlane() {
    Tensor planes = PROBLEM.masks().draw(Rng.of(1), 1);
    Sensing sensing = Sensing.of(PROBLEM, planes, 0.25);
    assertEquals(5 * 6, sensing.size());
    Tensor x = PriorCase.FRAMES.fields(2, 1);
    double[] mask = PROBLEM.expand(planes).toDoubles();
    double[] field = x.toDoubles();
    double[] read = sensing.read(x).toDoubles();
    int next = 0;
    for (int b = 0; b < 2; b++) {
      for (int i = 0; i < mask.length; i++) {
        if (mask[i] == 1) {
          int row = next % 30;
          assertEquals(i / 36, sensing.channel(row));
          assertEquals(field[b * mask.length + i], read[next++]);
        }
      }
    }
    assertEquals(60, next);
    assertEquals(0.25, sensing.sigma(7));
    assertEquals(0.5, sensing.noise(0.5).sigma(7));
    assertEquals(0.25, sensing.noise(0.1).sigma(7));
    assertTrue(sensing.separate());
  }

  @Test
  void readingsAreReadInNormalizedUnits() {
    Normalization units =
        new Normalization(
            List.of(1.0, 1.0, 1.0, -2.0, -2.0, -2.0), List.of(2.0, 2.0, 2.0, 4.0, 4.0, 4.0));
    Sensing sensing = Sensing.of(readings(), units);
    assertEquals(0.125, sensing.sigma(1));
    assertArrayEquals(
        new double[] {0.5, 0.25, 1.25}, Sensing.values(readings(), units).toDoubles(), 1e-15);
    Tensor x = PriorCase.FRAMES.fields(1, 3);
    double[] inUnits = sensing.read(units.normalize(x.to(DataType.F64))).toDoubles();
    double[] physical = Sensing.of(readings(), Normalization.identity(6)).read(x).toDoubles();
    for (int i = 0; i < 3; i++) {
      int c = sensing.channel(i);
      assertEquals((physical[i] - units.mean().get(c)) / units.scale().get(c), inUnits[i], 1e-12);
    }
    assertFalse(sensing.separate());
  }

  @Test
  void spreadIsTheAdjointOfRead() {
    Sensing sensing = Sensing.of(readings(), Normalization.identity(6));
    Tensor x = Rng.of(1).normal(Device.cpu(), PROBLEM.batch(2), DataType.F64);
    Tensor r = Rng.of(2).normal(Device.cpu(), Shape.of(2, 3), DataType.F64);
    double there = sensing.read(x).mul(r).sum().item();
    assertEquals(there, sensing.spread(r).mul(x).sum().item(), 1e-12);
  }

  @Test
  void selectionKeepsRowsInTheGivenOrder() {
    Sensing sensing = Sensing.of(readings(), Normalization.identity(6));
    Sensing some = sensing.select(2, 0);
    Tensor x = PriorCase.FRAMES.fields(2, 4);
    assertArrayEquals(sensing.read(x).gather(1, 2, 0).toDoubles(), some.read(x).toDoubles());
    assertEquals(0.5, some.sigma(0));
    assertEquals(0, some.sigma(1));
    assertEquals(0, sensing.select().size());
  }

  @Test
  void refusesEntriesAndNoiseThatCannotBe() {
    KrigingTest.assertMessage(
        "there is no entry 216: a field has 216, counted from 0",
        () -> Sensing.at(PROBLEM, new int[] {216}, 0));
    KrigingTest.assertMessage("no entry -1", () -> Sensing.at(PROBLEM, new int[] {-1}, 0));
    KrigingTest.assertMessage(
        "sigma is -0.1: it must be 0", () -> Sensing.at(PROBLEM, new int[] {1}, -0.1));
    KrigingTest.assertMessage("sigma is NaN", () -> Sensing.at(PROBLEM, new int[] {1}, Double.NaN));
    KrigingTest.assertMessage(
        "2 masks", () -> Sensing.of(PROBLEM, PROBLEM.masks().draw(Rng.of(1), 2), 0));
    Sensing one = Sensing.at(PROBLEM, new int[] {1}, 0);
    KrigingTest.assertMessage("readings", () -> one.spread(Tensor.zeros(1, 2)));
  }
}
