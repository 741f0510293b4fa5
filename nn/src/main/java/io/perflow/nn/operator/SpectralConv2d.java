package io.perflow.nn.operator;

import io.perflow.nn.Parameter;
import io.perflow.nn.UnaryLayer;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;

/**
 * A convolution over the whole of a periodic image, by its lowest frequencies: from x (n, in, h, w)
 * to (n, out, h, w),
 *
 * <pre>
 * Y(o, k, l) = sum over i of X(i, k, l) W1(i, o, k, l)        for 0 &lt;= k &lt; m1, l &lt; m2
 * Y(o, k, l) = sum over i of X(i, k, l) W2(i, o, k + m1, l)   for -m1 &lt;= k &lt; 0, l &lt; m2
 * </pre>
 *
 * <p>and 0 elsewhere, with the unscaled half spectrum X of x (Li et al., 2021). Parameters {@code
 * weights1} and {@code weights2} (in, out, m1, m2, 2), (re, im) last, at first uniform in [0, 1) /
 * (in out). Nothing makes the column l = 0 of Y Hermitian, so its inverse is the one of {@link
 * io.perflow.tensor.op.Irfft}.
 */
public final class SpectralConv2d extends UnaryLayer {
  private final int in;
  private final int out;
  private final int m1;
  private final int m2;
  private final Parameter weights1;
  private final Parameter weights2;
  private final Prepared matrices;
  private LowFrequencies keptAcross; // for the last size that was seen, null at first
  private LowFrequencies keptDown;

  private SpectralConv2d(int in, int out, int m1, int m2, Rng rng) {
    this.in = in;
    this.out = out;
    this.m1 = m1;
    this.m2 = m2;
    Shape shape = Shape.of(in, out, m1, m2, 2);
    double scale = 1.0 / (in * out);
    weights1 = parameter("weights1", rng.split("weights1").uniform(shape).mul(scale));
    weights2 = parameter("weights2", rng.split("weights2").uniform(shape).mul(scale));
    matrices = new Prepared(this::matrices, weights1, weights2);
  }

  private Tensor matrices() {
    try (Scope scope = Scope.open()) {
      Tensor weights = Tensor.concat(2, weights1.value(), weights2.value());
      return scope.keep(Spectra.matrices(weights.reshape(in, out, 2 * m1 * m2, 2)));
    }
  }

  /** A convolution of m1 frequencies of either sign down the image and m2 across. */
  public static SpectralConv2d of(int in, int out, int m1, int m2, Rng rng) {
    return new SpectralConv2d(in, out, m1, m2, rng);
  }

  /**
   * Input: x (n, in, h, w).
   *
   * @throws ShapeException when the image is too small for this number of frequencies
   */
  @Override
  protected Tensor forward(Tensor x) {
    if (x.rank() != 4 || x.dim(1) != in || x.dim(2) < 2 * m1 || x.dim(3) / 2 + 1 < m2) {
      throw new ShapeException(
          "spectral_conv2d",
          "input %s must be (n, %d, h, w) with h >= 2 x %d and w / 2 + 1 >= %d modes%s"
              .formatted(x.shape(), in, m1, m2, where()));
    }
    LowFrequencies across = LowFrequencies.ofReal(keptAcross, x, 3, m2);
    LowFrequencies down = LowFrequencies.ofComplex(keptDown, x, 2, m1);
    keptAcross = across;
    keptDown = down;
    int n = x.dim(0);
    int h = x.dim(2);
    int modes = 2 * m1 * m2;
    try (Scope scope = Scope.open()) {
      Tensor pixels = x.permute(0, 2, 3, 1); // channels last: (n, h, w, in)
      Tensor rows = across.forward().matmul(pixels).reshape(n, h, 2, m2 * in);
      Tensor columns = rows.permute(0, 2, 1, 3).reshape(n, 2 * h, m2 * in);
      Tensor parts = down.forward().matmul(columns).reshape(n, 2, 2 * m1, m2, in);
      Tensor low = parts.permute(2, 3, 0, 1, 4).reshape(modes, n, 2 * in);
      Tensor y = low.matmul(matrices.value()).reshape(2 * m1, m2, n, 2, out);
      Tensor mixed = y.permute(2, 3, 0, 1, 4).reshape(n, 4 * m1, m2 * out);
      Tensor up = down.inverse().matmul(mixed).reshape(n, 2, h, m2 * out);
      Tensor back = up.permute(0, 2, 1, 3).reshape(n, h, 2 * m2, out);
      return scope.keep(across.inverse().matmul(back).permute(0, 3, 1, 2));
    }
  }

  @Override
  protected long multiplyAdds(Tensor[] inputs, Tensor output) {
    // a complex product is four real ones
    return 2L * output.dim(0) * (weights1.size() + weights2.size());
  }
}
