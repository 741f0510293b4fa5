package io.perflow.tensor.cpu;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** F32 heap memory. */
final class FloatStorage extends CpuStorage {
  private final boolean pooled;
  private float[] data;

  // What kernels derived from the contents (packed convolution weights): valid until they change.
  private Map<Object, PackedFilter> packed;

  FloatStorage(Device device, float[] data, boolean pooled) {
    super(device);
    this.data = data;
    this.pooled = pooled;
  }

  static float[] data(Tensor tensor) {
    return ((FloatStorage) tensor.storage()).data();
  }

  float[] data() {
    requireLive();
    return data;
  }

  /** The packed form of these weights under a key, made once per contents. */
  synchronized PackedFilter packed(Object key, Supplier<PackedFilter> make) {
    requireLive();
    if (packed == null) {
      packed = new HashMap<>();
    }
    PackedFilter filter = packed.get(key);
    if (filter == null) {
      filter = make.get();
      packed.put(key, filter);
    }
    return filter;
  }

  /** Tells that an optimiser changed the contents. */
  synchronized void changed() {
    if (packed != null) {
      packed.values().forEach(PackedFilter::release);
      packed.clear();
    }
  }

  @Override
  public DataType type() {
    return DataType.F32;
  }

  @Override
  double get(int i) {
    return data()[i];
  }

  @Override
  void set(int i, double value) {
    data()[i] = (float) value;
  }

  @Override
  protected void free() {
    changed();
    if (pooled) {
      Buffers.give(data);
    }
    data = null;
  }
}
