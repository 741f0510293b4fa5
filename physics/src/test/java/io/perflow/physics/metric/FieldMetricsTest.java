package io.perflow.physics.metric;

import static io.perflow.fixtures.Close.assertClose;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import org.junit.jupiter.api.Test;

class FieldMetricsTest {
  private static final Tensor TRUTH = Tensor.of(new double[] {3, 4, 0, 10}, 1, 2, 1, 2);
  private static final Tensor OFF = Tensor.of(new double[] {3, 5, 0, 8}, 1, 2, 1, 2);

  @Test
  void relativeErrorsByHand() {
    // components (3, 4) and (0, 10), missed by (0, 1) and (0, -2)
    assertArrayEquals(
        new double[] {1 / 5.0, 2 / 10.0}, RelativeError.l2(OFF, TRUTH, 2).toDoubles());
    assertArrayEquals(
        new double[] {1 / 7.0, 2 / 10.0}, RelativeError.l1(OFF, TRUTH, 2).toDoubles());
  }

  @Test
  void framesOfAComponentShareOneNorm() {
    // one quantity at two frames: (3, 4, 0, 10), missed by (0, 1, 0, -2)
    double expected = Math.sqrt(5.0 / 125);
    assertEquals(expected, RelativeError.l2(OFF, TRUTH, 1).item(), 1e-15);
    assertEquals(3 / 17.0, RelativeError.l1(OFF, TRUTH, 1).item(), 1e-15);
  }

  @Test
  void singlePrecisionFieldsAreSummedInDouble() {
    Tensor x = Rng.of(1).normal(Shape.of(1, 1, 30, 40));
    Tensor y = Rng.of(2).normal(Shape.of(1, 1, 30, 40));
    double above = 0;
    double below = 0;
    double[] xs = x.toDoubles();
    double[] ys = y.toDoubles();
    for (int i = 0; i < xs.length; i++) {
      above += Math.abs(xs[i] - ys[i]);
      below += Math.abs(ys[i]);
    }
    assertEquals(above / below, RelativeError.l1(x, y, 1).item(), 1e-14);
  }

  @Test
  void divergedPredictionsShow() {
    Tensor nan = Tensor.of(new double[] {Double.NaN, 5, 0, 8}, 1, 2, 1, 2);
    assertTrue(Double.isNaN(RelativeError.l2(nan, TRUTH, 2).toDoubles()[0]));
  }

  @Test
  void nothingIsRelativeToZero() {
    Tensor zero = Tensor.of(new double[] {3, 4, 0, 0}, 1, 2, 1, 2);
    String message =
        assertThrows(IllegalArgumentException.class, () -> RelativeError.l2(OFF, zero, 2))
            .getMessage();
    assertTrue(message.contains("component 1 of sample 0"), message);
  }

  @Test
  void shapesAreChecked() {
    assertThrows(ShapeException.class, () -> RelativeError.l2(OFF, TRUTH.transpose(), 2));
    assertThrows(ShapeException.class, () -> RelativeError.l2(OFF, TRUTH, 3));
    Tensor wide = Tensor.ones(2, 2, 1, 2).to(DataType.F64);
    assertThrows(ShapeException.class, () -> SensorMisfit.rms(OFF, TRUTH, wide));
    Tensor none = Tensor.zeros(1, 1, 1, 2);
    assertThrows(ShapeException.class, () -> SensorMisfit.rms(OFF, TRUTH, none));
    assertThrows(ShapeException.class, () -> EnergySpectrum.isotropic(Tensor.ones(4, 4)));
  }

  @Test
  void sensorMisfitByHand() {
    Tensor second = Tensor.of(new double[] {0, 1}, 1, 1, 1, 2); // errors 1 and -2
    assertEquals(Math.sqrt(5.0 / 2), SensorMisfit.rms(OFF, TRUTH, second).item(), 1e-15);
    assertEquals(2, SensorMisfit.largest(OFF, TRUTH, second).item());
    assertEquals(Math.sqrt(5.0 / 116), SensorMisfit.relative(OFF, TRUTH, second).item(), 1e-15);
  }

  @Test
  void aWaveHasItsEnergyInItsShell() {
    int n = 16;
    double[] field = new double[n * n];
    for (int i = 0; i < field.length; i++) {
      field[i] = 3 * Math.cos(2 * Math.PI * (3.0 * (i / n) + 4.0 * (i % n)) / n);
    }
    double[] spectrum = EnergySpectrum.isotropic(Tensor.of(field, 1, 1, n, n)).toDoubles();
    for (int k = 0; k < spectrum.length; k++) {
      assertEquals(k == 5 ? 9.0 / 4 : 0, spectrum[k], 1e-14, "shell " + k);
    }
    double[] rows = EnergySpectrum.alongRows(Tensor.of(field, 1, 1, n, n)).toDoubles();
    assertEquals(9.0 / 4, rows[4], 1e-14);
  }

  @Test
  void aSpectrumSumsToTheEnergy() {
    Shape shape = Shape.of(2, 3, 9, 10);
    Tensor x = Rng.of(3).normal(Device.cpu(), shape, DataType.F64);
    Tensor energy = x.square().mean(2, 3).mul(0.5);
    assertClose("isotropic", energy, EnergySpectrum.isotropic(x).sum(2), 1e-13);
    assertClose("rows", energy, EnergySpectrum.alongRows(x).sum(2), 1e-13);
  }
}
