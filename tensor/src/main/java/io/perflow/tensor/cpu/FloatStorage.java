package io.perflow.tensor.cpu;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Tensor;
import java.util.Arrays;

/** F32 heap memory. */
final class FloatStorage extends CpuStorage {
  private final boolean pooled;
  private float[] data;

  // What kernels derived from the contents, a chain: valid until they change.
  private Entry derived;

  /** What a kernel made of the contents to read them faster, such as weights in another order. */
  interface Derived {
    /** Hands the memory back; called once, when the contents have changed. */
    void release();
  }

  private record Entry(Object key, Derived value, Entry next) {}

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

  /** What was kept under a key since the contents last changed, or null. */
  synchronized Derived derived(Object key) {
    requireLive();
    for (Entry e = derived; e != null; e = e.next()) {
      if (e.key().equals(key)) {
        return e.value();
      }
    }
    return null;
  }

  /** Keeps what a kernel derived until the contents change. */
  synchronized void keep(Object key, Derived value) {
    derived = new Entry(key, value, derived);
  }

  /** Tells that the contents changed. */
  synchronized void changed() {
    for (Entry e = derived; e != null; e = e.next()) {
      e.value().release();
    }
    derived = null;
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
  void fill(int count, double value) {
    Arrays.fill(data(), 0, count, (float) value);
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
