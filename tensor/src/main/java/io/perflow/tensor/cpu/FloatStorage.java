package io.perflow.tensor.cpu;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Tensor;

/** F32 heap memory. */
final class FloatStorage extends CpuStorage {
  private final boolean pooled;
  private float[] data;

  // What kernels derived from the contents, a chain: valid until they change.
  private Packed packed;

  /** Weights in the order a kernel reads them, what they were packed for, and further ones. */
  private record Packed(
      Layout layout,
      Conv2dSpec spec,
      boolean forward,
      boolean exact,
      PackedFilter filter,
      Packed next) {
    boolean suits(Layout layout, Conv2dSpec spec, boolean forward, boolean exact) {
      return this.forward == forward
          && this.exact == exact
          && this.spec.equals(spec)
          && this.layout.equals(layout);
    }
  }

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

  /** These weights as packed for a convolution since they last changed, or null. */
  synchronized PackedFilter packed(Layout layout, Conv2dSpec spec, boolean forward, boolean exact) {
    requireLive();
    for (Packed p = packed; p != null; p = p.next()) {
      if (p.suits(layout, spec, forward, exact)) {
        return p.filter();
      }
    }
    return null;
  }

  /** Keeps packed weights until the contents change. */
  synchronized void keep(
      Layout layout, Conv2dSpec spec, boolean forward, boolean exact, PackedFilter filter) {
    packed = new Packed(layout, spec, forward, exact, filter, packed);
  }

  /** Tells that the contents changed. */
  synchronized void changed() {
    for (Packed p = packed; p != null; p = p.next()) {
      p.filter().release();
    }
    packed = null;
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
