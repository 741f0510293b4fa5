package io.perflow.nn.operator;

import io.perflow.nn.Parameter;
import io.perflow.nn.UnaryLayer;
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
 * Y(o, k) = sum over i of X(i, k) W(i, o, k)    for k &lt; modes, otherwise 0
 * </pre>
 *
 * <p>with the unscaled half spectrum X of x. Parameter {@code weights1} (in, out, modes, 2), (re,
 * im) last, at first uniform in [0, 1) / (in out).
 */
public final class SpectralConv1d extends UnaryLayer {
  private final int in;
  private final int out;
  private final int modes;
  private final Parameter weights;
  private final Prepared matrices;
  private LowFrequencies kept; // for the last size that was seen, null at first

  private SpectralConv1d(int in, int out, int modes, Rng rng) {
    this.in = in;
    this.out = out;
    this.modes = modes;
    Shape shape = Shape.of(in, out, modes, 2);
    weights = parameter("weights1", rng.split("weights1").uniform(shape).mul(1.0 / (in * out)));
    matrices = new Prepared(() -> Spectra.matrices(weights.value()), weights);
  }

  /** A convolution with this number of frequencies. */
  public static SpectralConv1d of(int in, int out, int modes, Rng rng) {
    return new SpectralConv1d(in, out, modes, rng);
  }

  /**
   * Input: x (n, in, s).
   *
   * @throws ShapeException when the line is too short for this number of frequencies
   */
  @Override
  protected Tensor forward(Tensor x) {
    if (x.rank() != 3 || x.dim(1) != in || x.dim(2) / 2 + 1 < modes) {
      throw new ShapeException(
          "spectral_conv1d",
          "input %s must be (n, %d, s) with s / 2 + 1 >= %d modes%s"
              .formatted(x.shape(), in, modes, where()));
    }
    int n = x.dim(0);
    LowFrequencies line = LowFrequencies.ofReal(kept, x, 2, modes);
    kept = line;
    try (Scope scope = Scope.open()) {
      Tensor points = x.permute(0, 2, 1); // channels last: (n, s, in)
      Tensor parts = line.forward().matmul(points).reshape(n, 2, modes, in);
      Tensor low = parts.permute(2, 0, 1, 3).reshape(modes, n, 2 * in);
      Tensor y = low.matmul(matrices.value()).reshape(modes, n, 2, out);
      Tensor back = y.permute(1, 2, 0, 3).reshape(n, 2 * modes, out);
      return scope.keep(line.inverse().matmul(back).permute(0, 2, 1));
    }
  }

  @Override
  protected long multiplyAdds(Tensor[] inputs, Tensor output) {
    return 2L * output.dim(0) * weights.size(); // a complex product is four real ones
  }
}
