package io.perflow.physics;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

class NoiseTest {
  private final Problem problem =
      Problem.named("two")
          .axis("y", 0, 1, 64)
          .axis("x", 0, 1, 64)
          .channel("a")
          .channel("b")
          .sensors(Sensors.points(2000))
          .build();
  private final Tensor mask = problem.masks().draw(Rng.of(1), 3);

  // channels of different units, samples of different sizes
  private Tensor fields() {
    Tensor x = Rng.of(2).normal(Device.cpu(), Shape.of(3, 2, 64, 64), DataType.F64);
    Tensor units = Tensor.of(new double[] {1, 0.004, 3, 0.002, 10, 1}, 3, 2, 1, 1);
    return x.mul(units).add(units.mul(7));
  }

  @Test
  void perfectSensorsSeeTheField() {
    Tensor x = fields();
    Tensor m = mask.to(DataType.F64);
    Rng rng = Rng.of(3);
    assertArrayEquals(x.mul(m).toDoubles(), Noise.none().observe(x, m, rng).toDoubles());
    assertEquals(Rng.of(3).state(), rng.state());
  }

  @Test
  void theErrorsAreAShareOfTheSpreadOfEachChannelOfEachSample() {
    Tensor x = fields();
    Tensor m = mask.to(DataType.F64);
    Tensor errors = new Noise(0.1).observe(x, m, Rng.of(3)).sub(x.mul(m));
    assertEquals(0, errors.mul(m.eq(0)).abs().max(false, 0, 1, 2, 3).item(), "none elsewhere");
    double[] spread = errors.square().sum(2, 3).mul(1 / 2000.0).sqrt().toDoubles();
    double[] expected = {0.1, 0.0004, 0.3, 0.0002, 1, 0.1};
    for (int i = 0; i < 6; i++) {
      // 2000 errors know their deviation to 1.6 per cent, and so does the field
      assertEquals(expected[i], spread[i], 0.08 * expected[i], "channel " + i);
    }
  }

  @Test
  void noiseCommutesWithNormalization() {
    Tensor x = fields();
    Tensor m = mask.to(DataType.F64);
    Normalization units = new Normalization(List.of(7.0, 0.02), List.of(3.0, 0.004));
    Noise noise = new Noise(0.05);
    double[] before = units.normalize(noise.observe(x, m, Rng.of(9))).mul(m).toDoubles();
    double[] after = noise.observe(units.normalize(x), m, Rng.of(9)).toDoubles();
    assertArrayEquals(before, after, 1e-10);
  }

  @Test
  void noSensorsGiveNoReadings() {
    Tensor x = fields();
    double[] y = new Noise(0.1).observe(x, x.zerosLike(), Rng.of(1)).toDoubles();
    assertArrayEquals(new double[y.length], y);
  }

  @Test
  void wrongLevelsAndMasksAreRefused() {
    assertThrows(ShapeException.class, () -> new Noise(-0.1));
    assertThrows(ShapeException.class, () -> new Noise(Double.NaN));
    Tensor planesOnly = mask.slice(1, 0, 1);
    assertThrows(ShapeException.class, () -> Noise.none().observe(fields(), planesOnly, Rng.of(1)));
  }
}
