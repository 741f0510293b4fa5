package io.perflow.tensor.backend;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.TrigKind;

/** Kernels of Fourier, cosine and sine transforms. */
public interface FftKernels {
  /** Transforms complex data along the last {@code axes} axes before (re, im), times scale. */
  Tensor fft(Tensor x, int axes, boolean inverse, double scale);

  /** Transforms real data along the last axes to a half spectrum, times scale. */
  Tensor rfft(Tensor x, int axes, double scale);

  /**
   * Transforms a half spectrum to real data of the given sizes, times scale; it reads the spectrum
   * as NumPy does.
   */
  Tensor irfft(Tensor x, int[] sizes, double scale);

  /** Returns the transpose of {@link #rfft}: from a half spectrum to real of the given sizes. */
  Tensor rfftAdjoint(Tensor x, int[] sizes, double scale);

  /** Returns the transpose of {@link #irfft}: from real to a half spectrum. */
  Tensor irfftAdjoint(Tensor x, int axes, double scale);

  /** Applies a cosine or sine transform along an axis, times scale. */
  Tensor trig(TrigKind kind, Tensor x, int axis, double scale);
}
