package io.perflow.tensor.cpu.memory;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.loop.Walk;

/** Copies between tensors of any types and strides, one element at a time. */
public final class ScalarCopy {
  private ScalarCopy() {}

  /** Overwrites the elements of a target with those of a source of the same shape. */
  public static void into(Tensor target, Tensor source) {
    CpuStorage out = CpuStorage.of(target);
    CpuStorage in = CpuStorage.of(source);
    Walk walk = Walk.of(target.layout(), source.layout());
    int outStep = walk.step(0);
    int inStep = walk.step(1);
    walk.forEach(
        (row, count, from, to) -> {
          for (int r = row; r < row + count; r++) {
            int o = walk.start(0, r);
            int i = walk.start(1, r);
            for (int c = from; c < to; c++) {
              out.set(o + c * outStep, in.get(i + c * inStep));
            }
          }
        });
  }

  /** The same elements in new memory of the given layout. */
  public static Tensor of(Tensor x, Layout target) {
    Tensor y = Fresh.like(x, target);
    into(y, x);
    return y;
  }
}
