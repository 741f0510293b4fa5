package io.perflow.tensor.cpu.gemm;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.memory.FloatStorage;

/**
 * The weight (out, in) of a linear layer in the panels that {@link Gemm#multiplyPacked} reads. It
 * stays with the weight's storage, so that it is packed when the weight changes and not at every
 * call.
 */
record PackedWeight(float[] panels) implements FloatStorage.Derived {
  /** What a weight is packed for. */
  private record Key(Layout layout) {}

  /** The panels of a weight of any strides. */
  static PackedWeight of(Tensor weight) {
    FloatStorage storage = (FloatStorage) weight.storage();
    Key key = new Key(weight.layout());
    PackedWeight packed = (PackedWeight) storage.derived(key);
    if (packed == null) {
      Matrix transposed = Matrix.of(weight).transposed();
      packed =
          new PackedWeight(Buffers.floats(Gemm.packedLength(transposed.rows(), transposed.cols())));
      Gemm.pack(transposed, packed.panels, 0);
      storage.keep(key, packed);
    }
    return packed;
  }

  @Override
  public void release() {
    Buffers.give(panels);
  }
}
