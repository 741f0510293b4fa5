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
 * Two convolutions over the whole of a periodic image, one along each axis, added: from x (n,
 * width, h, w) to the same shape,
 *
 * <pre>
 * y = irfft(W0 rfft(x)) across + irfft(W1 rfft(x)) down
 * </pre>
 *
 * <p>where W(i, o, k) mixes the channels of frequency k &lt; modes, the same on every row or
 * column, and higher frequencies vanish. Parameters {@code 0} (across) and {@code 1} (down), each
 * (width, width, modes, 2), (re, im) last. At first they are normal with Xavier's deviation gain
 * sqrt(2 / (fan in + fan out)), a fan being 2 width modes.
 */
final class FactorizedConv2d extends Layer {
  private final int width;
  private final int modes;
  private final Parameter across;
  private final Parameter down;

  FactorizedConv2d(int width, int modes, double gain, Rng rng) {
    this.width = width;
    this.modes = modes;
    Shape shape = Shape.of(width, width, modes, 2);
    double deviation = gain * Math.sqrt(2.0 / (4.0 * width * modes));
    across = parameter("0", rng.split("across").normal(shape).mul(deviation));
    down = parameter("1", rng.split("down").normal(shape).mul(deviation));
  }

  /**
   * Input: x (n, width, h, w).
   *
   * @throws ShapeException when the image is too small to have so many frequencies
   */
  @Override
  protected Tensor forward(Tensor... inputs) {
    Tensor x = inputs[0];
    if (x.rank() != 4
        || x.dim(1) != width
        || x.dim(2) / 2 + 1 < modes
        || x.dim(3) / 2 + 1 < modes) {
      throw new ShapeException(
          "factorized_conv2d",
          "input %s must be (n, %d, h, w) with h / 2 + 1 and w / 2 + 1 >= %d modes%s"
              .formatted(x.shape(), width, modes, where()));
    }
    try (Scope scope = Scope.open()) {
      Tensor alongRows = along(x, across.value());
      Tensor alongColumns = along(x.transpose(), down.value()).transpose();
      return scope.keep(alongRows.add(alongColumns));
    }
  }

  /** The convolution along the last axis; forward and inverse scale together are 1 / size. */
  private Tensor along(Tensor x, Tensor weight) {
    int size = x.dim(3);
    try (Scope scope = Scope.open()) {
      Tensor low = Fourier.rfft(x, 1).slice(3, 0, modes); // (n, width, rows, modes, 2)
      Tensor full = Spectra.multiply(low, weight).pad(3, 0, size / 2 + 1 - modes);
      return scope.keep(Fourier.irfft(full, size));
    }
  }

  @Override
  protected long multiplyAdds(Tensor[] inputs, Tensor output) {
    // a complex product is four real ones; the maps across repeat on each row, down on each column
    return 2L * output.dim(0) * across.size() * (output.dim(2) + output.dim(3));
  }
}
