package io.perflow.tensor.cpu.step;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.ReduceKernels;
import io.perflow.tensor.backend.StepKernels;
import io.perflow.tensor.cpu.loop.Walk;
import io.perflow.tensor.cpu.memory.CpuStorage;
import io.perflow.tensor.cpu.memory.Fresh;
import io.perflow.tensor.cpu.reduce.ScalarReductions;
import io.perflow.tensor.op.ReduceKind;

/**
 * The scalar steps x + weight (d - share mean(d)), with d = to - from where free is not zero and 0
 * elsewhere: one loop before the sum and one after.
 */
public class ScalarAdvance implements StepKernels {
  private static final ReduceKernels REDUCTIONS = new ScalarReductions();

  @Override
  public Tensor advance(
      Tensor x, Tensor to, Tensor from, Tensor free, Tensor share, int[] axes, double weight) {
    if (axes.length == 0) {
      return map(to, v -> v[0] + weight * (v[3] != 0 ? v[1] - v[2] : 0), x, to, from, free);
    }
    Tensor d = map(to, v -> v[2] != 0 ? v[0] - v[1] : 0, to, from, free);
    Tensor sums = REDUCTIONS.reduce(ReduceKind.SUM, d, axes, true);
    double scale = (double) sums.size() / Math.max(1, d.size());
    return map(to, v -> v[0] + weight * (v[1] - v[2] * (v[3] * scale)), x, d, share, sums);
  }

  /** A function of the elements of several operands at one place. */
  @FunctionalInterface
  private interface Function {
    double of(double[] operands);
  }

  // Row-major, of the shape of `like`, to which the operands broadcast.
  private static Tensor map(Tensor like, Function f, Tensor... operands) {
    Shape shape = like.shape();
    Tensor y = Fresh.like(like, shape);
    Layout[] layouts = new Layout[operands.length + 1];
    CpuStorage[] in = new CpuStorage[operands.length];
    layouts[0] = y.layout();
    for (int k = 0; k < in.length; k++) {
      layouts[k + 1] = operands[k].layout().expand(shape);
      in[k] = CpuStorage.of(operands[k]);
    }
    CpuStorage out = CpuStorage.of(y);
    Walk walk = Walk.of(layouts);
    walk.forEach(
        (row, count, first, end) -> {
          double[] values = new double[in.length];
          int[] at = new int[in.length + 1];
          for (int r = row; r < row + count; r++) {
            for (int k = 0; k < at.length; k++) {
              at[k] = walk.start(k, r) + first * walk.step(k);
            }
            for (int c = first; c < end; c++) {
              for (int k = 0; k < in.length; k++) {
                values[k] = in[k].get(at[k + 1]);
                at[k + 1] += walk.step(k + 1);
              }
              out.set(at[0], f.of(values));
              at[0] += walk.step(0);
            }
          }
        });
    return y;
  }
}
