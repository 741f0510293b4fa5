package io.perflow.tensor.cpu.memory;

import io.perflow.tensor.Device;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Tensor;
import java.util.function.Supplier;

/** Memory on the heap, and copies of F32 tensors by vectors. */
public final class SimdMemory extends ScalarMemory {
  /** The memory of a device. */
  public SimdMemory(Supplier<Device> device) {
    super(device);
  }

  @Override
  public void toFloats(Tensor x, float[] target, int from) {
    if (FloatStorage.holds(x)) {
      StridedCopy.copy(FloatStorage.data(x), x.layout(), target, rows(x, from));
    } else {
      super.toFloats(x, target, from);
    }
  }

  @Override
  public Tensor copy(Tensor x, Layout target) {
    return FloatStorage.holds(x) ? StridedCopy.of(x, target) : super.copy(x, target);
  }

  @Override
  public void assign(Tensor target, Tensor source) {
    if (!FloatStorage.holds(target) || !FloatStorage.holds(source)) {
      super.assign(target, source);
      return;
    }
    FloatStorage storage = (FloatStorage) target.storage();
    StridedCopy.copy(FloatStorage.data(source), source.layout(), storage.data(), target.layout());
    storage.changed();
  }
}
