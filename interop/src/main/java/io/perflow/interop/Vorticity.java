package io.perflow.interop;

import io.perflow.physics.constraint.StreamFunction;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/** The conversion of vorticity, which other programs store, to velocities. */
final class Vorticity {
  private Vorticity() {}

  /**
   * Returns the velocities u = ∂ψ/∂y, v = -∂ψ/∂x with -Δψ = w on the unit torus, x along the
   * height.
   *
   * @param w [samples, frames, height, width] with even height and width
   * @return [samples, 2 frames, height, width], u of all frames first
   */
  static Tensor velocities(Tensor w, DataType type) {
    int height = w.dim(2);
    int width = w.dim(3);
    Tensor inverse = inverseLaplacian(height, width);
    Tensor[] samples = new Tensor[w.dim(0)];
    for (int i = 0; i < samples.length; i++) { // one at a time: the spectra are in F64
      try (Scope scope = Scope.open()) {
        Tensor modes = Fourier.rfft(w.slice(0, i, i + 1).to(DataType.F64), 2);
        Tensor psi = Fourier.irfft(modes.mul(inverse), height, width);
        samples[i] = scope.keep(StreamFunction.spectral().velocity(psi).to(type));
      }
    }
    return Tensor.concat(0, samples);
  }

  // 1 / (4π²(k² + l²)) for the half spectrum, of shape (height, width / 2 + 1, 1); 0 for the mean,
  // which no vorticity on a torus has.
  private static Tensor inverseLaplacian(int height, int width) {
    int half = width / 2 + 1;
    double[] values = new double[height * half];
    for (int i = 1; i < values.length; i++) {
      double k = i / half <= height / 2 ? i / half : i / half - height;
      double l = i % half;
      values[i] = 1 / (4 * Math.PI * Math.PI * (k * k + l * l));
    }
    return Tensor.of(values, height, half, 1);
  }
}
