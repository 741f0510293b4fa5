package io.perflow.tensor.cpu.memory;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/** New tensors for results, of the type and on the device of an operand. */
public final class Fresh {
  private Fresh() {}

  /** Row-major, with undefined contents. */
  public static Tensor like(Tensor operand, Shape shape) {
    return like(operand, Layout.contiguous(shape));
  }

  /** Laid out as {@code layout}, which is dense from 0; with undefined contents. */
  public static Tensor like(Tensor operand, Layout layout) {
    int size = layout.shape().size();
    return Tensor.over(CpuStorage.allocate(operand.device(), operand.type(), size), layout);
  }
}
