package io.perflow.tensor;

import io.perflow.tensor.op.ComplexMul;
import io.perflow.tensor.op.Fft;
import io.perflow.tensor.op.Irfft;
import io.perflow.tensor.op.Rfft;
import io.perflow.tensor.op.Trig;
import io.perflow.tensor.op.TrigKind;

/**
 * Fourier, cosine and sine transforms by their usual names and with NumPy's normalisation: forward
 * transforms are plain sums, inverse ones divide by the number of points.
 *
 * <p>A complex tensor is a real one with a last axis of 2 holding (re, im); {@code axes} is the
 * number of transformed axes, counted from the back without that last one.
 */
public final class Fourier {
  private Fourier() {}

  /** Returns the complex transform of the last {@code axes} axes. */
  public static Tensor fft(Tensor x, int axes) {
    return new Fft(axes, false, 1).apply(x);
  }

  /** Returns the inverse of {@link #fft}. */
  public static Tensor ifft(Tensor x, int axes) {
    int rank = x.rank();
    double points = 1;
    for (int a = 0; a < axes && rank - 2 - a >= 0; a++) {
      points *= x.dim(rank - 2 - a);
    }
    return new Fft(axes, true, 1 / points).apply(x);
  }

  /** Transforms real data along the last {@code axes} axes and keeps half of the spectrum. */
  public static Tensor rfft(Tensor x, int axes) {
    return new Rfft(axes, 1, false).apply(x);
  }

  /** Returns the inverse of {@link #rfft} for real data of these sizes; see {@link Irfft}. */
  public static Tensor irfft(Tensor x, int... sizes) {
    double points = 1;
    for (int size : sizes) {
      points *= size;
    }
    return new Irfft(1 / points, false, sizes.clone()).apply(x);
  }

  /** Returns the DCT-II along an axis: y(k) = 2 sum x(j) cos(pi k (2j + 1) / 2n). */
  public static Tensor dct2(Tensor x, int axis) {
    return trig(TrigKind.DCT2, x, axis, 1);
  }

  /** Returns the inverse of {@link #dct2}: DCT-III divided by 2n. */
  public static Tensor idct2(Tensor x, int axis) {
    return trig(TrigKind.DCT3, x, axis, 0.5 / x.dim(axis));
  }

  /**
   * Returns the DCT-III along an axis: y(k) = x(0) + 2 sum over j &gt; 0 of x(j) cos(pi j (2k + 1)
   * / 2n).
   */
  public static Tensor dct3(Tensor x, int axis) {
    return trig(TrigKind.DCT3, x, axis, 1);
  }

  /** Returns the DST-I along an axis: y(k) = 2 sum x(j) sin(pi (j + 1)(k + 1) / (n + 1)). */
  public static Tensor dst1(Tensor x, int axis) {
    return trig(TrigKind.DST1, x, axis, 1);
  }

  /** Returns the inverse of {@link #dst1}: itself divided by 2 (n + 1). */
  public static Tensor idst1(Tensor x, int axis) {
    return trig(TrigKind.DST1, x, axis, 0.5 / (x.dim(axis) + 1));
  }

  /** Multiplies complex tensors, with broadcasting. */
  public static Tensor complexMul(Tensor a, Tensor b) {
    return new ComplexMul(false).apply(a, b);
  }

  private static Tensor trig(TrigKind kind, Tensor x, int axis, double scale) {
    return new Trig(kind, Check.axis("trig", x.shape(), axis), scale).apply(x);
  }
}
