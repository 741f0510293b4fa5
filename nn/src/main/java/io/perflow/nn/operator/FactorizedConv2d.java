package io.perflow.nn.operator;

import io.perflow.nn.Parameter;
import io.perflow.nn.UnaryLayer;
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
 * (width, width, modes, 2), (re, im) last. Initial values are normal with Xavier's standard
 * deviation gain sqrt(2 / (fan in + fan out)), a fan being 2 width modes.
 */
final class FactorizedConv2d extends UnaryLayer {
  private final int width;
  private final int modes;
  private final Parameter across;
  private final Parameter down;
  private final Prepared mapsAcross;
  private final Prepared mapsDown;
  private LowFrequencies rows; // for the last size that was seen, null at first
  private LowFrequencies columns;

  FactorizedConv2d(int width, int modes, double gain, Rng rng) {
    this.width = width;
    this.modes = modes;
    Shape shape = Shape.of(width, width, modes, 2);
    double deviation = gain * Math.sqrt(2.0 / (4.0 * width * modes));
    across = parameter("0", rng.split("across").normal(shape).mul(deviation));
    down = parameter("1", rng.split("down").normal(shape).mul(deviation));
    mapsAcross = new Prepared(() -> Spectra.matrices(across.value()), across);
    mapsDown = new Prepared(() -> Spectra.matrices(down.value()), down);
  }

  /**
   * Input: x (n, width, h, w).
   *
   * @throws ShapeException when the image is too small for this number of frequencies
   */
  @Override
  protected Tensor forward(Tensor x) {
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
      LowFrequencies row = LowFrequencies.ofReal(rows, x, 3, modes);
      LowFrequencies column = LowFrequencies.ofReal(columns, x, 2, modes);
      rows = row;
      columns = column;
      Tensor pixels = x.permute(0, 2, 3, 1); // channels last: (n, h, w, width)
      Tensor sum = across(pixels, row).add(down(pixels, column));
      return scope.keep(sum.permute(0, 3, 1, 2));
    }
  }

  private Tensor across(Tensor x, LowFrequencies line) {
    int n = x.dim(0);
    int h = x.dim(1);
    try (Scope scope = Scope.open()) {
      Tensor parts = line.forward().matmul(x).reshape(n, h, 2, modes, width);
      Tensor low = parts.permute(3, 0, 1, 2, 4).reshape(modes, n * h, 2 * width);
      Tensor y = low.matmul(mapsAcross.value()).reshape(modes, n, h, 2, width);
      Tensor back = y.permute(1, 2, 3, 0, 4).reshape(n, h, 2 * modes, width);
      return scope.keep(line.inverse().matmul(back));
    }
  }

  private Tensor down(Tensor x, LowFrequencies line) {
    int n = x.dim(0);
    int h = x.dim(1);
    int w = x.dim(2);
    try (Scope scope = Scope.open()) {
      Tensor columns = x.reshape(n, h, w * width);
      Tensor parts = line.forward().matmul(columns).reshape(n, 2, modes, w, width);
      Tensor low = parts.permute(2, 0, 3, 1, 4).reshape(modes, n * w, 2 * width);
      Tensor y = low.matmul(mapsDown.value()).reshape(modes, n, w, 2, width);
      Tensor back = y.permute(1, 3, 0, 2, 4).reshape(n, 2 * modes, w * width);
      return scope.keep(line.inverse().matmul(back).reshape(n, h, w, width));
    }
  }

  @Override
  protected long multiplyAdds(Tensor[] inputs, Tensor output) {
    // a complex product is four real ones; the maps across repeat on each row, down on each column
    return 2L * output.dim(0) * across.size() * (output.dim(2) + output.dim(3));
  }
}
