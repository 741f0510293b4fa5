package io.perflow.tensor.cpu.fft;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.memory.ComplexLayout;
import io.perflow.tensor.cpu.memory.DoubleStorage;
import io.perflow.tensor.cpu.memory.FloatStorage;
import io.perflow.tensor.cpu.memory.Fresh;
import io.perflow.tensor.cpu.memory.ScalarCopy;
import io.perflow.tensor.cpu.memory.StridedCopy;
import io.perflow.tensor.op.TrigKind;

/**
 * Fourier transforms by vectors of tensors of one type. Complex tensors are kept planar: all real
 * parts, then all imaginary parts, so that vectors hold numbers of one kind.
 *
 * @param <A> float[] or double[]
 */
abstract class DenseFourier<A> {
  private final Fft<A> fft;

  DenseFourier(Fft<A> fft) {
    this.fft = fft;
  }

  /** The array of a tensor of this type. */
  abstract A data(Tensor x);

  /** The same elements in new memory of the given layout. */
  abstract Tensor copy(Tensor x, Layout target);

  private Tensor asPlanar(Tensor x) {
    Layout l = x.layout();
    Layout part = l.slice(x.rank() - 1, 0, 1, 1);
    return part.isContiguous() ? x : copy(x, ComplexLayout.planar(x.shape()));
  }

  private Tensor asRows(Tensor x) {
    return x.layout().isContiguous() ? x : copy(x, Layout.contiguous(x.shape()));
  }

  private static int re(Tensor x) {
    return x.layout().offset();
  }

  private static int im(Tensor x) {
    return x.layout().offset() + x.layout().stride(x.rank() - 1);
  }

  private static int[] lastSizes(Shape shape, int axes, int trailing) {
    int[] sizes = new int[axes];
    for (int i = 0; i < axes; i++) {
      sizes[i] = shape.dim(shape.rank() - trailing - axes + i);
    }
    return sizes;
  }

  private static int product(int[] sizes) {
    int product = 1;
    for (int size : sizes) {
      product *= size;
    }
    return product;
  }

  Tensor fft(Tensor x, int axes, boolean inverse, double scale) {
    Tensor in = asPlanar(x);
    Tensor y = Fresh.like(x, ComplexLayout.planar(x.shape()));
    int[] sizes = lastSizes(x.shape(), axes, 1);
    int batch = x.size() / 2 / product(sizes);
    fft.fftn(inverse, data(in), re(in), im(in), data(y), re(y), im(y), batch, sizes, scale);
    return y;
  }

  Tensor rfft(Tensor x, int axes, double scale, boolean adjoint) {
    Tensor in = asRows(x);
    Shape s = x.shape();
    Tensor y =
        Fresh.like(x, ComplexLayout.planar(s.with(-1, s.dim(-1) / 2 + 1).insert(s.rank(), 2)));
    int[] sizes = lastSizes(s, axes, 0);
    int batch = x.size() / product(sizes);
    if (adjoint) {
      fft.irfftAdjoint(data(in), re(in), data(y), re(y), im(y), batch, sizes, scale);
    } else {
      fft.rfft(data(in), re(in), data(y), re(y), im(y), batch, sizes, scale);
    }
    return y;
  }

  Tensor irfft(Tensor x, int[] sizes, double scale, boolean adjoint) {
    Tensor in = asPlanar(x);
    Tensor y =
        Fresh.like(x, Layout.contiguous(x.shape().remove(-1).with(-1, sizes[sizes.length - 1])));
    int batch = y.size() / product(sizes);
    if (adjoint) {
      fft.rfftAdjoint(data(in), re(in), im(in), data(y), re(y), batch, sizes, scale);
    } else {
      fft.irfft(data(in), re(in), im(in), data(y), re(y), batch, sizes, scale);
    }
    return y;
  }

  Tensor trig(TrigKind kind, Tensor x, int axis, double scale) {
    Tensor in = asRows(x);
    Tensor y = Fresh.like(x, Layout.contiguous(x.shape()));
    int n = x.dim(axis);
    int inner = 1;
    for (int a = axis + 1; a < x.rank(); a++) {
      inner *= x.dim(a);
    }
    int outer = x.size() / Math.max(1, n * inner);
    A from = data(in);
    A to = data(y);
    switch (kind) {
      case DCT2 -> fft.dct2(from, re(in), to, 0, outer, n, inner, scale);
      case DCT3 -> fft.dct3(from, re(in), to, 0, outer, n, inner, scale);
      case DCT2_ADJOINT -> fft.dct2Adjoint(from, re(in), to, 0, outer, n, inner, scale);
      case DCT3_ADJOINT -> fft.dct3Adjoint(from, re(in), to, 0, outer, n, inner, scale);
      case DST1 -> fft.dst1(from, re(in), to, 0, outer, n, inner, scale);
    }
    return y;
  }

  /** F32 by vectors. */
  static DenseFourier<float[]> floats() {
    return new DenseFourier<>(Fft.vectorFloats()) {
      @Override
      float[] data(Tensor x) {
        return FloatStorage.data(x);
      }

      @Override
      Tensor copy(Tensor x, Layout target) {
        return StridedCopy.of(x, target);
      }
    };
  }

  /** F64 by vectors. */
  static DenseFourier<double[]> doubles() {
    return new DenseFourier<>(Fft.vectorDoubles()) {
      @Override
      double[] data(Tensor x) {
        return DoubleStorage.data(x);
      }

      @Override
      Tensor copy(Tensor x, Layout target) {
        return ScalarCopy.of(x, target);
      }
    };
  }
}
