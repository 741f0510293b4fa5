package io.perflow.tensor.cpu.memory;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Storage;

/**
 * Heap memory: a {@code float[]} or a {@code double[]}. Scalar kernels read and write it one number
 * at a time in double precision, so that each is written once for both types; SIMD kernels take the
 * array.
 */
public abstract sealed class CpuStorage extends Storage permits FloatStorage, DoubleStorage {
  private final Device device;

  CpuStorage(Device device) {
    this.device = device;
  }

  /** New memory with undefined contents: recycled inside a scope, fresh from the heap outside. */
  public static CpuStorage allocate(Device device, DataType type, int size) {
    boolean pooled = Scope.isOpen();
    CpuStorage storage =
        switch (type) {
          case F32 ->
              new FloatStorage(device, pooled ? Buffers.floats(size) : new float[size], pooled);
          case F64 ->
              new DoubleStorage(device, pooled ? Buffers.doubles(size) : new double[size], pooled);
        };
    if (pooled) {
      Scope.adopt(storage);
    }
    return storage;
  }

  public static CpuStorage of(Tensor tensor) {
    return (CpuStorage) tensor.storage();
  }

  @Override
  public Device device() {
    return device;
  }

  /** Element i as a double. */
  public abstract double get(int i);

  /** Sets element i, rounding to the type. */
  public abstract void set(int i, double value);

  /** Sets the first {@code count} elements. */
  public abstract void fill(int count, double value);
}
