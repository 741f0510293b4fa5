package io.perflow.tensor.backend;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.TrigKind;

/** Fourier, cosine and sine transforms. */
public interface FftKernels {
  /** Complex transform of the last {@code axes} axes before (re, im), times scale. */
  Tensor fft(Tensor x, int axes, boolean inverse, double scale);

  /** Real to half-complex transform of the last axes, times scale. */
  Tensor rfft(Tensor x, int axes, double scale);

  /** Half-complex to real of the given sizes, times scale; reads as NumPy does. */
  Tensor irfft(Tensor x, int[] sizes, double scale);

  /** Returns the transpose of {@link #rfft}: from a half spectrum to real of the given sizes. */
  Tensor rfftAdjoint(Tensor x, int[] sizes, double scale);

  /** Returns the transpose of {@link #irfft}: from real to a half spectrum. */
  Tensor irfftAdjoint(Tensor x, int axes, double scale);

  /** Cosine or sine transform along an axis, times scale. */
  Tensor trig(TrigKind kind, Tensor x, int axis, double scale);
}
