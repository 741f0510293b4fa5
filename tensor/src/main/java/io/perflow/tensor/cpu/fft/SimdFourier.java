package io.perflow.tensor.cpu.fft;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.FftKernels;
import io.perflow.tensor.cpu.memory.FloatStorage;
import io.perflow.tensor.op.TrigKind;

/** Fourier, cosine and sine transforms by vectors, in both types. */
public final class SimdFourier implements FftKernels {
  private static final DenseFourier<float[]> FLOATS = DenseFourier.floats();
  private static final DenseFourier<double[]> DOUBLES = DenseFourier.doubles();

  private static DenseFourier<?> of(Tensor x) {
    return FloatStorage.holds(x) ? FLOATS : DOUBLES;
  }

  @Override
  public Tensor fft(Tensor x, int axes, boolean inverse, double scale) {
    return of(x).fft(x, axes, inverse, scale);
  }

  @Override
  public Tensor rfft(Tensor x, int axes, double scale) {
    return of(x).rfft(x, axes, scale, false);
  }

  @Override
  public Tensor irfft(Tensor x, int[] sizes, double scale) {
    return of(x).irfft(x, sizes, scale, false);
  }

  @Override
  public Tensor rfftAdjoint(Tensor x, int[] sizes, double scale) {
    return of(x).irfft(x, sizes, scale, true);
  }

  @Override
  public Tensor irfftAdjoint(Tensor x, int axes, double scale) {
    return of(x).rfft(x, axes, scale, true);
  }

  @Override
  public Tensor trig(TrigKind kind, Tensor x, int axis, double scale) {
    return of(x).trig(kind, x, axis, scale);
  }
}
