package io.perflow.physics.field;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class GaussianFieldTest {
  private static final PeriodicField DOUBLED =
      PeriodicField.of(Shape.of(128, 128), 2.5, 7, Variance.DOUBLED);
  private static final PeriodicField NOMINAL =
      PeriodicField.of(Shape.of(128, 128), 2.5, 7, Variance.NOMINAL);

  /** Numbers re-derived from the published generators and their data. */
  @Test
  void exactStandardDeviationsAreThoseOfThePublishedConventions() {
    assertEquals(0.2921, new CosineField(128, 2, 3).std(), 5e-5);
    assertEquals(0.2741, new PeriodicLine(128, 2.5, 7, 49).std(), 5e-5);
    assertEquals(0.5936, new PeriodicLine(128, 2, 5, 25).std(), 5e-5);
    assertEquals(0.2143, new PeriodicLine(128, 4, 5, 625).std(), 5e-5);
    assertEquals(0.262, DOUBLED.std(), 5e-4);
    assertEquals(0.185, NOMINAL.std(), 5e-4);
    assertEquals(Math.sqrt(2), DOUBLED.std() / NOMINAL.std(), 1e-14);
    // the formula as printed, 7^(3/2) (-Laplace + 49)^-2.5, read as a covariance
    double literal = Math.pow(7, 0.75);
    var printed = new PeriodicField(Shape.of(128, 128), 2.5, 7, literal, Variance.NOMINAL);
    assertEquals(0.043, printed.std(), 5e-4);
  }

  @Test
  void samplesHaveTheExactStandardDeviationAndMeanZero() {
    assertSampled(new CosineField(32, 2, 3), 500);
    assertSampled(new CosineField(17, 2, 3), 500);
    assertSampled(new PeriodicLine(64, 2, 5, 25), 1500);
    assertSampled(new PeriodicLine(63, 2.5, 7, 49), 1500);
    assertSampled(PeriodicField.of(Shape.of(32, 32), 2.5, 7, Variance.DOUBLED), 300);
    assertSampled(PeriodicField.of(Shape.of(32, 16), 2.5, 7, Variance.NOMINAL), 300);
    assertSampled(PeriodicField.of(Shape.of(31), 2.5, 7, Variance.NOMINAL), 1500);
    assertSampled(PeriodicField.of(Shape.of(8, 6, 10), 3, 7, Variance.DOUBLED), 300);
  }

  private static void assertSampled(GaussianField field, int samples) {
    double squares = 0;
    for (int i = 0; i < samples; i++) {
      double[] x = field.sample(Rng.of(1).split(i));
      assertEquals(field.shape().size(), x.length);
      assertEquals(0, Arrays.stream(x).average().orElseThrow(), 1e-15, field.toString());
      squares += Arrays.stream(x).map(v -> v * v).average().orElseThrow();
    }
    double std = Math.sqrt(squares / samples);
    assertEquals(1, std / field.std(), 0.04, field.toString());
  }

  /**
   * The law of the spectrum itself: the mean power in each of the lowest frequencies of the full
   * transform is that of the covariance, variance(k) = c sigma^2 (4 pi^2 k^2 + tau^2)^-alpha.
   */
  @Test
  void periodicSpectraFollowThePowerLaw() {
    int n = 24;
    int samples = 2000;
    var line = new PeriodicLine(n, 2, 5, 25);
    var doubled = PeriodicField.of(Shape.of(n), 2, 5, Variance.DOUBLED);
    double[] power = new double[n / 2 + 1];
    double[] doubledPower = new double[n / 2 + 1];
    for (int i = 0; i < samples; i++) {
      addPower(power, line.sample(Rng.of(2).split(i)), samples);
      addPower(doubledPower, doubled.sample(Rng.of(3).split(i)), samples);
    }
    double sigma = Math.pow(5, 1.5);
    for (int k = 1; k < n / 2; k++) {
      double law = Math.pow(4 * Math.PI * Math.PI * k * k + 25, -2);
      assertEquals(1, power[k] / (625 * law), 0.11, "frequency " + k);
      assertEquals(1, doubledPower[k] / (2 * sigma * sigma * law), 0.11, "frequency " + k);
    }
    assertEquals(0, power[0], 1e-30);
  }

  /** Adds |X(k) / n|^2 / samples. */
  private static void addPower(double[] power, double[] x, int samples) {
    int n = x.length;
    double[] z = Fourier.rfft(Tensor.of(x, n), 1).toDoubles();
    for (int k = 0; k < power.length; k++) {
      double squares = z[2 * k] * z[2 * k] + z[2 * k + 1] * z[2 * k + 1];
      power[k] += squares / n / n / samples;
    }
  }

  /** Coefficients against orthonormal cosines have the standard deviations of the law. */
  @Test
  void cosineSpectrumFollowsThePowerLaw() {
    int n = 16;
    int samples = 2000;
    var field = new CosineField(n, 2, 3);
    double[] power = new double[n * n];
    for (int i = 0; i < samples; i++) {
      Tensor x = Tensor.of(field.sample(Rng.of(4).split(i)), n, n);
      double[] c = Fourier.dct2(Fourier.dct2(x, 0), 1).toDoubles();
      for (int k = 0; k < n * n; k++) {
        // 2 sum cos against c(k) = sqrt(2) cos: a factor sqrt(2) n for k > 0, 2 n for k = 0
        double row = k / n == 0 ? 2 * n : Math.sqrt(2) * n;
        double col = k % n == 0 ? 2 * n : Math.sqrt(2) * n;
        double coefficient = c[k] / row / col;
        power[k] += coefficient * coefficient / samples;
      }
    }
    for (int k = 1; k < n * n; k++) {
      double squares = Math.pow(k / n, 2) + Math.pow(k % n, 2);
      double law = 9 * Math.pow(Math.PI * Math.PI * squares + 9, -2);
      assertEquals(1, power[k] / law, 0.17, "frequency " + k / n + ", " + k % n);
    }
  }

  /** The definition, summed term by term from the same normal numbers. */
  @Test
  void cosineSampleIsTheSumOfItsCosines() {
    int n = 6;
    double[] sample = new CosineField(n, 2, 3).sample(Rng.of(6));
    double[] xi = Rng.of(6).normal(Device.cpu(), Shape.of(n, n), DataType.F64).toDoubles();
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int k = 0; k < n; k++) {
          for (int l = k == 0 ? 1 : 0; l < n; l++) {
            double amplitude = 3 / (Math.PI * Math.PI * (k * k + l * l) + 9);
            sum += amplitude * xi[k * n + l] * cosine(k, (i + 0.5) / n) * cosine(l, (j + 0.5) / n);
          }
        }
        assertEquals(sum, sample[i * n + j], 1e-15);
      }
    }
  }

  private static double cosine(int k, double x) {
    return k == 0 ? 1 : Math.sqrt(2) * Math.cos(Math.PI * k * x);
  }

  @Test
  void theSeedDecidesTheSample() {
    List<GaussianField> fields =
        List.of(new CosineField(9, 2, 3), new PeriodicLine(12, 2, 5, 25), DOUBLED, NOMINAL);
    for (GaussianField field : fields) {
      double[] first = field.sample(Rng.of(1));
      assertArrayEquals(first, field.sample(Rng.of(1)));
      assertFalse(Arrays.equals(first, field.sample(Rng.of(2))));
      Rng rng = Rng.of(1);
      field.sample(rng);
      assertFalse(Arrays.equals(first, field.sample(rng)), "the stream moves on");
    }
  }

  @Test
  void badParametersAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new CosineField(1, 2, 3));
    assertThrows(IllegalArgumentException.class, () -> new CosineField(8, -2, 3));
    assertThrows(IllegalArgumentException.class, () -> new PeriodicLine(8, 2, 0, 1));
    assertThrows(IllegalArgumentException.class, () -> new PeriodicLine(8, 2, 5, Double.NaN));
    assertThrows(
        IllegalArgumentException.class,
        () -> PeriodicField.of(Shape.of(2, 2, 2, 2), 2, 5, Variance.NOMINAL));
  }
}
