package io.perflow.nn.operator;

import io.perflow.nn.Layer;
import io.perflow.nn.Parameter;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;

/**
 * A convolution over the whole of a periodic line, by its lowest frequencies: from x (n, in, s) to
 * (n, out, s),
 *
 * <pre>
 * Y(o, k) = sum over i of X(i, k) W(i, o, k)    for k &lt; modes, else 0
 * </pre>
 *
 * <p>with the unscaled half spectrum X of x. Parameter {@code weights1} (in, out, modes, 2), (re,
 * im) last, at first uniform in [0, 1) / (in out).
 */
public final class SpectralConv1d extends Layer {
  private final int in;
  private final int modes;
  private final Parameter weights;

  private SpectralConv1d(int in, int out, int modes, Rng rng) {
    this.in = in;
    this.modes = modes;
    Shape shape = Shape.of(in, out, modes, 2);
    weights = parameter("weights1", rng.split("weights1").uniform(shape).mul(1.0 / (in * out)));
  }

  /** A convolution of so many frequencies. */
  public static SpectralConv1d of(int in, int out, int modes, Rng rng) {
    return new SpectralConv1d(in, out, modes, rng);
  }

  /**
   * Input: x (n, in, s).
   *
   * @throws ShapeException when the line is too short to have so many frequencies
   */
  @Override
  protected Tensor forward(Tensor... inputs) {
    Tensor x = inputs[0];
    if (x.rank() != 3 || x.dim(1) != in || x.dim(2) / 2 + 1 < modes) {
      throw new ShapeException(
          "spectral_conv1d",
          "input %s must be (n, %d, s) with s / 2 + 1 >= %d modes%s"
              .formatted(x.shape(), in, modes, where()));
    }
    int size = x.dim(2);
    try (Scope scope = Scope.open()) {
      Tensor low = Fourier.rfft(x, 1).slice(2, 0, modes); // (n, in, modes, 2)
      Tensor y = Spectra.multiply(low.unsqueeze(2), weights.value());
      Tensor full = y.pad(3, 0, size / 2 + 1 - modes); // (n, out, 1, s / 2 + 1, 2)
      return scope.keep(Fourier.irfft(full, size).reshape(x.dim(0), -1, size));
    }
  }

  @Override
  protected long multiplyAdds(Tensor[] inputs, Tensor output) {
    return 2L * output.dim(0) * weights.size(); // a complex product is four real ones
  }
}
