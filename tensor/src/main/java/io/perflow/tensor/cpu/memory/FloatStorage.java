package io.perflow.tensor.cpu.memory;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Tensor;
import java.util.Arrays;

/** F32 heap memory. */
public final class FloatStorage extends CpuStorage {
  private final boolean pooled;
  private float[] data;

  // What kernels derived from the contents, a chain: valid until they change.
  private Entry derived;

  /** What a kernel made of the contents to read them faster, such as weights in another order. */
  public interface Derived {
    /** Hands the memory back; called once, when the contents have changed. */
    void release();
  }

  private record Entry(Object key, Derived value, Entry next) {}

  FloatStorage(Device device, float[] data, boolean pooled) {
    super(device);
    this.data = data;
    this.pooled = pooled;
  }

  /** Whether a tensor is of this type. */
  public static boolean holds(Tensor tensor) {
    return tensor.storage() instanceof FloatStorage;
  }

  public static float[] data(Tensor tensor) {
    return ((FloatStorage) tensor.storage()).data();
  }

  public float[] data() {
    requireLive();
    return data;
  }

  /** What was kept under a key since the contents last changed, or null. */
  public synchronized Derived derived(Object key) {
    requireLive();
    for (Entry e = derived; e != null; e = e.next()) {
      if (e.key().equals(key)) {
        return e.value();
      }
    }
    return null;
  }

  /** Keeps what a kernel derived until the contents change. */
  public synchronized void keep(Object key, Derived value) {
    derived = new Entry(key, value, derived);
  }

  @Override
  public synchronized void changed() {
    super.changed();
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
  public double get(int i) {
    return data()[i];
  }

  @Override
  public void set(int i, double value) {
    data()[i] = (float) value;
  }

  @Override
  public void fill(int count, double value) {
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
