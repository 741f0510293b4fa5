package io.perflow.tensor.cpu.memory;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Tensor;

/**
 * An optional operand as rows of contiguous floats, which may be apart as the halves of one
 * projection are. The data are null for an operand that is not there.
 */
public record FloatRows(float[] data, int offset, int stride) {
  private static final FloatRows NONE = new FloatRows(null, 0, 0);

  public float at(int row, int column) {
    return data[offset + row * stride + column];
  }

  /** The rows along the last axis of an F32 tensor, or none for null. */
  public static FloatRows of(Tensor x) {
    if (x == null) {
      return NONE;
    }
    boolean contiguous = x.layout().stride(x.rank() - 1) == 1 || x.dim(-1) == 1;
    Tensor rows = contiguous ? x : StridedCopy.of(x, Layout.contiguous(x.shape()));
    return new FloatRows(FloatStorage.data(rows), rows.layout().offset(), rows.layout().stride(0));
  }
}
