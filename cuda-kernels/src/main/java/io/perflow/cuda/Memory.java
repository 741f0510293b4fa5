package io.perflow.cuda;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.MemoryKernels;
import io.perflow.tensor.backend.Storage;
import java.lang.foreign.MemorySegment;

/** The allocation of device memory, and copies to it, from it and within it. */
final class Memory implements MemoryKernels {
  private final Gpu gpu;
  private final Elementwise elementwise;

  Memory(Gpu gpu, Elementwise elementwise) {
    this.gpu = gpu;
    this.elementwise = elementwise;
  }

  @Override
  public Storage allocate(DataType type, int size) {
    return gpu.storage(type, size);
  }

  @Override
  public Tensor fill(Shape shape, DataType type, double value) {
    return gpu.constant(type, shape, value);
  }

  // ---- to and from the host

  @Override
  public Tensor upload(float[] data, Shape shape) {
    return upload(DataType.F32, MemorySegment.ofArray(data), shape);
  }

  @Override
  public Tensor upload(double[] data, Shape shape) {
    return upload(DataType.F64, MemorySegment.ofArray(data), shape);
  }

  private Tensor upload(DataType type, MemorySegment data, Shape shape) {
    Tensor y = gpu.fresh(type, shape);
    gpu.upload(data.asSlice(0, (long) shape.size() * type.bytes()), CudaStorage.of(y).address());
    return y;
  }

  @Override
  public void toFloats(Tensor x, float[] target, int from) {
    if (x.type() == DataType.F64) {
      float[] rounded = HostNumbers.floats(toDoubles(x));
      System.arraycopy(rounded, 0, target, from, rounded.length);
    } else {
      long start = (long) from * Float.BYTES;
      download(x, MemorySegment.ofArray(target).asSlice(start, (long) x.size() * Float.BYTES));
    }
  }

  @Override
  public double[] toDoubles(Tensor x) {
    if (x.type() == DataType.F32) {
      return HostNumbers.doubles(toFloats(x));
    }
    double[] data = new double[x.size()];
    download(x, MemorySegment.ofArray(data));
    return data;
  }

  /** Copies the elements in row-major order into a heap segment of the tensor's type. */
  private void download(Tensor x, MemorySegment to) {
    try (Scope _ = Scope.open()) {
      gpu.download(contiguous(x), to);
    }
  }

  // ---- copies

  @Override
  public Tensor copy(Tensor x, Layout target) {
    Tensor y = gpu.fresh(x.type(), target);
    elementwise.copy(y, x);
    return y;
  }

  @Override
  public void assign(Tensor target, Tensor source) {
    CudaStorage.of(target).changed();
    elementwise.copy(target, source);
  }

  /** Returns the tensor in row-major memory; the same object if it already is. */
  Tensor contiguous(Tensor x) {
    return x.layout().isContiguous() ? x : copy(x, Layout.contiguous(x.shape()));
  }

  /**
   * Returns the tensor in the layout {@link Layout#channelsLast}; the same object if it already is.
   */
  Tensor channelsLast(Tensor x) {
    return x.layout().isChannelsLast() ? x : copy(x, Layout.channelsLast(x.shape()));
  }
}
