package io.perflow.tensor.cpu.memory;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.MemoryKernels;
import io.perflow.tensor.backend.Storage;
import java.util.Arrays;
import java.util.function.Supplier;

/** Memory on the heap, and copies one element at a time. */
public class ScalarMemory implements MemoryKernels {
  private final Supplier<Device> device;

  /** A device and its memory name each other, so the memory asks for the device when it is used. */
  public ScalarMemory(Supplier<Device> device) {
    this.device = device;
  }

  @Override
  public Storage allocate(DataType type, int size) {
    return CpuStorage.allocate(device.get(), type, size);
  }

  private Tensor allocate(DataType type, Shape shape) {
    return Tensor.over(allocate(type, shape.size()), Layout.contiguous(shape));
  }

  @Override
  public Tensor upload(float[] data, Shape shape) {
    Tensor y = allocate(DataType.F32, shape);
    System.arraycopy(data, 0, FloatStorage.data(y), 0, shape.size());
    return y;
  }

  @Override
  public Tensor upload(double[] data, Shape shape) {
    Tensor y = allocate(DataType.F64, shape);
    System.arraycopy(data, 0, DoubleStorage.data(y), 0, shape.size());
    return y;
  }

  @Override
  public void toFloats(Tensor x, float[] target, int from) {
    CpuStorage rows = new FloatStorage(device.get(), target, false);
    ScalarCopy.into(Tensor.over(rows, rows(x, from)), x);
  }

  /** The row-major layout of a tensor's elements from an index on. */
  static Layout rows(Tensor x, int from) {
    Layout whole = Layout.contiguous(x.shape());
    return from == 0 ? whole : Layout.of(x.shape(), whole.strides(), from);
  }

  @Override
  public double[] toDoubles(Tensor x) {
    // an empty view may start anywhere, even before the memory
    if (x.type() == DataType.F64 && x.size() > 0 && x.layout().isContiguous()) {
      int from = x.layout().offset();
      return Arrays.copyOfRange(DoubleStorage.data(x), from, from + x.size());
    }
    double[] data = new double[x.size()];
    CpuStorage rows = new DoubleStorage(device.get(), data, false);
    ScalarCopy.into(Tensor.over(rows, Layout.contiguous(x.shape())), x);
    return data;
  }

  @Override
  public Tensor fill(Shape shape, DataType type, double value) {
    Tensor y = allocate(type, shape);
    CpuStorage.of(y).fill(shape.size(), value);
    return y;
  }

  @Override
  public Tensor copy(Tensor x, Layout target) {
    return ScalarCopy.of(x, target);
  }

  @Override
  public void assign(Tensor target, Tensor source) {
    ScalarCopy.into(target, source);
    CpuStorage.of(target).changed();
  }
}
