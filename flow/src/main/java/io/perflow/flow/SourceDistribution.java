package io.perflow.flow;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/**
 * The distribution p₀ from which a flow starts, before its projection; every entry has mean 0 and
 * variance 1. The paper names the first three and gives no parameters for them.
 */
public enum SourceDistribution {
  /** Independent normal numbers. */
  GAUSSIAN {
    @Override
    Tensor draw(Rng rng, Device device, Shape shape) {
      return rng.normal(device, shape, DataType.F32);
    }
  },
  /** Independent numbers, uniform on [-√3, √3]. */
  UNIFORM {
    @Override
    Tensor draw(Rng rng, Device device, Shape shape) {
      double root = Math.sqrt(3);
      return rng.uniform(device, shape, DataType.F32).mul(2 * root).add(-root);
    }
  },
  /** Independent numbers from two normal distributions around ±0.8 with standard deviation 0.6. */
  MIXTURE {
    @Override
    Tensor draw(Rng rng, Device device, Shape shape) {
      Tensor side = rng.split("side").uniform(device, shape, DataType.F32).less(0.5);
      Tensor centre = side.mul(1.6).add(-0.8);
      return rng.split("spread").normal(device, shape, DataType.F32).mul(0.6).add(centre);
    }
  },
  /**
   * A smooth periodic random field with covariance proportional to (-Δ + τ²)^-α, τ = 7 and α = 2.5:
   * the family of the initial vorticity of the Navier-Stokes data. Its mean is zero.
   */
  RANDOM_FIELD {
    @Override
    Tensor draw(Rng rng, Device device, Shape shape) {
      Tensor white = rng.normal(device, shape, DataType.F32);
      Tensor shaped = Fourier.rfft(white, 2).mul(amplitudes(shape).to(device));
      return Fourier.irfft(shaped, shape.dim(2), shape.dim(3));
    }
  },
  /**
   * A sample of the Gaussian prior given the readings: both ends of every path then agree with the
   * sensors and with all linear constraints.
   */
  PRIOR {
    @Override
    Tensor draw(Rng rng, Device device, Shape shape) {
      throw new IllegalStateException("[flow] a start from the prior follows from the readings");
    }
  };

  private static final double TAU = 7;
  private static final double ALPHA = 2.5;

  /** Draws fields [batch, channels, height, width] from the distribution. */
  abstract Tensor draw(Rng rng, Device device, Shape shape);

  /**
   * Returns the factor by which a random stream function is multiplied so that its velocities have
   * variance 1.
   *
   * <p>Each of its waves k has velocities of mean square |2 pi k|^2 / 2 per component.
   */
  static double curlScale(int height, int width) {
    int half = width / 2 + 1;
    float[] factors = amplitudes(Shape.of(1, 1, height, width)).toFloats();
    double power = 0;
    for (int i = 0; i < factors.length; i++) {
      int ki = Math.min(i / half, height - i / half);
      int kj = i % half;
      double waves = 4 * Math.PI * Math.PI * ((double) ki * ki + (double) kj * kj);
      boolean single = kj == 0 || 2 * kj == width;
      power += (single ? 1 : 2) * 0.5 * waves * factors[i] * factors[i];
    }
    return Math.sqrt((double) height * width / power);
  }

  // Returns the factors of the half spectrum [height, width / 2 + 1, 1] that make the variance 1.
  private static Tensor amplitudes(Shape shape) {
    int height = shape.dim(2);
    int width = shape.dim(3);
    int half = width / 2 + 1;
    double[] factors = new double[height * half];
    double power = 0;
    for (int i = 0; i < height; i++) {
      int ki = Math.min(i, height - i);
      for (int j = 0; j < half; j++) {
        double k2 = 4 * Math.PI * Math.PI * ((double) ki * ki + (double) j * j);
        double factor = ki + j == 0 ? 0 : Math.pow(k2 + TAU * TAU, -ALPHA / 2);
        factors[i * half + j] = factor;
        boolean single = j == 0 || 2 * j == width; // the other columns stand for two wave numbers
        power += (single ? 1 : 2) * factor * factor;
      }
    }
    double scale = Math.sqrt((double) height * width / power);
    for (int i = 0; i < factors.length; i++) {
      factors[i] *= scale;
    }
    return Tensor.of(factors, height, half, 1).to(DataType.F32);
  }
}
