package io.perflow.tensor.cpu.fft;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.FftKernels;
import io.perflow.tensor.cpu.loop.Axis;
import io.perflow.tensor.cpu.memory.Doubles;
import io.perflow.tensor.cpu.memory.Fresh;
import io.perflow.tensor.op.TrigKind;

/**
 * Fourier, cosine and sine transforms. Spectra are planar: all real parts, then all imaginary
 * parts, which the axis (re, im), last in the shape, expresses by its stride.
 */
public final class ScalarFourier implements FftKernels {
  private static final Fft<double[]> FFT = Fft.scalarDoubles();

  /** Complex to complex over the last axes. */
  @Override
  public Tensor fft(Tensor x, int axes, boolean inverse, double scale) {
    Tensor y = planar(x, x.shape());
    int[] sizes = sizes(x.shape().remove(-1), axes);
    int plane = x.size() / 2;
    try (Doubles in = Doubles.of(pairFirst(x));
        Doubles out = Doubles.into(pairFirst(y))) {
      int batch = batch(plane, sizes);
      FFT.fftn(inverse, in.data, 0, plane, out.data, 0, plane, batch, sizes, scale);
    }
    return y;
  }

  @Override
  public Tensor rfft(Tensor x, int axes, double scale) {
    return toHalfSpectrum(x, axes, scale, false);
  }

  @Override
  public Tensor irfft(Tensor x, int[] sizes, double scale) {
    return toReal(x, sizes, scale, false);
  }

  @Override
  public Tensor rfftAdjoint(Tensor x, int[] sizes, double scale) {
    return toReal(x, sizes, scale, true);
  }

  @Override
  public Tensor irfftAdjoint(Tensor x, int axes, double scale) {
    return toHalfSpectrum(x, axes, scale, true);
  }

  /** Real to half spectrum; the transform itself or the transpose of {@link #toReal}'s inverse. */
  private static Tensor toHalfSpectrum(Tensor x, int axes, double scale, boolean adjointOfInverse) {
    Shape s = x.shape();
    Tensor y = planar(x, s.with(-1, s.dim(-1) / 2 + 1).insert(s.rank(), 2));
    int[] sizes = sizes(s, axes);
    int batch = batch(x.size(), sizes);
    int plane = y.size() / 2;
    try (Doubles in = Doubles.of(x);
        Doubles out = Doubles.into(pairFirst(y))) {
      if (adjointOfInverse) {
        FFT.irfftAdjoint(in.data, 0, out.data, 0, plane, batch, sizes, scale);
      } else {
        FFT.rfft(in.data, 0, out.data, 0, plane, batch, sizes, scale);
      }
    }
    return y;
  }

  /** Half spectrum to real of the given sizes; the inverse or the transpose of the transform. */
  private static Tensor toReal(Tensor x, int[] sizes, double scale, boolean adjointOfForward) {
    Tensor y = Fresh.like(x, x.shape().remove(-1).with(-1, sizes[sizes.length - 1]));
    int batch = batch(y.size(), sizes);
    int plane = x.size() / 2;
    try (Doubles in = Doubles.of(pairFirst(x));
        Doubles out = Doubles.into(y)) {
      if (adjointOfForward) {
        FFT.rfftAdjoint(in.data, 0, plane, out.data, 0, batch, sizes, scale);
      } else {
        FFT.irfft(in.data, 0, plane, out.data, 0, batch, sizes, scale);
      }
    }
    return y;
  }

  /** Cosine or sine transform along an axis. */
  @Override
  public Tensor trig(TrigKind kind, Tensor x, int axis, double scale) {
    Tensor y = Fresh.like(x, x.shape());
    Axis along = Axis.of(x.shape(), axis);
    int outer = along.outer();
    int n = along.n();
    int inner = along.inner();
    try (Doubles in = Doubles.of(x);
        Doubles out = Doubles.into(y)) {
      switch (kind) {
        case DCT2 -> FFT.dct2(in.data, 0, out.data, 0, outer, n, inner, scale);
        case DCT3 -> FFT.dct3(in.data, 0, out.data, 0, outer, n, inner, scale);
        case DCT2_ADJOINT -> FFT.dct2Adjoint(in.data, 0, out.data, 0, outer, n, inner, scale);
        case DCT3_ADJOINT -> FFT.dct3Adjoint(in.data, 0, out.data, 0, outer, n, inner, scale);
        case DST1 -> FFT.dst1(in.data, 0, out.data, 0, outer, n, inner, scale);
      }
    }
    return y;
  }

  /** A new planar complex tensor. */
  private static Tensor planar(Tensor like, Shape shape) {
    return Fresh.like(like, Layout.ordered(shape, pairFirstOrder(shape)));
  }

  /** A view with the axis (re, im) in front: row-major exactly when the tensor is planar. */
  private static Tensor pairFirst(Tensor x) {
    return x.view(x.layout().permute(pairFirstOrder(x.shape())));
  }

  private static int[] pairFirstOrder(Shape shape) {
    int[] order = new int[shape.rank()];
    order[0] = shape.rank() - 1;
    for (int a = 1; a < order.length; a++) {
      order[a] = a - 1;
    }
    return order;
  }

  /** Extents of the last axes. */
  private static int[] sizes(Shape shape, int axes) {
    int[] sizes = new int[axes];
    for (int a = 0; a < axes; a++) {
      sizes[a] = shape.dim(shape.rank() - axes + a);
    }
    return sizes;
  }

  private static int batch(int elements, int[] sizes) {
    for (int size : sizes) {
      elements /= size;
    }
    return elements;
  }
}
