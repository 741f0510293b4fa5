package io.perflow.tensor.cpu.memory;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Tensor;
import java.util.Arrays;

/** F64 heap memory. */
public final class DoubleStorage extends CpuStorage {
  private final boolean pooled;
  private double[] data;

  DoubleStorage(Device device, double[] data, boolean pooled) {
    super(device);
    this.data = data;
    this.pooled = pooled;
  }

  public static double[] data(Tensor tensor) {
    return ((DoubleStorage) tensor.storage()).data();
  }

  public double[] data() {
    requireLive();
    return data;
  }

  @Override
  public DataType type() {
    return DataType.F64;
  }

  @Override
  public double get(int i) {
    return data()[i];
  }

  @Override
  public void set(int i, double value) {
    data()[i] = value;
  }

  @Override
  public void fill(int count, double value) {
    Arrays.fill(data(), 0, count, value);
  }

  @Override
  protected void free() {
    if (pooled) {
      Buffers.give(data);
    }
    data = null;
  }
}
