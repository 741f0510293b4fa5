package io.perflow.tensor.cpu.random;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.MemoryKernels;
import io.perflow.tensor.backend.RandomKernels;
import io.perflow.tensor.cpu.memory.CpuStorage;
import io.perflow.tensor.cpu.memory.DoubleStorage;
import io.perflow.tensor.cpu.memory.FloatStorage;

/** Tensors of random numbers by {@link Philox}. */
public final class PhiloxRandom implements RandomKernels {
  private final MemoryKernels memory;

  /** Makes random numbers in a device's memory. */
  public PhiloxRandom(MemoryKernels memory) {
    this.memory = memory;
  }

  private Tensor allocate(DataType type, Shape shape) {
    return Tensor.over(memory.allocate(type, shape.size()), Layout.contiguous(shape));
  }

  @Override
  public Tensor uniform(long key, long counter, Shape shape, DataType type) {
    Tensor y = allocate(type, shape);
    switch (CpuStorage.of(y)) {
      case FloatStorage f -> Philox.uniform(key, counter, f.data(), shape.size());
      case DoubleStorage d -> Philox.uniform(key, counter, d.data(), shape.size());
    }
    return y;
  }

  @Override
  public Tensor normal(long key, long counter, Shape shape, DataType type) {
    Tensor y = allocate(type, shape);
    switch (CpuStorage.of(y)) {
      case FloatStorage f -> Philox.normal(key, counter, f.data(), shape.size());
      case DoubleStorage d -> Philox.normal(key, counter, d.data(), shape.size());
    }
    return y;
  }
}
