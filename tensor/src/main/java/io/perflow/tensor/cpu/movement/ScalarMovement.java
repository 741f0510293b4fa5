package io.perflow.tensor.cpu.movement;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.MovementKernels;
import io.perflow.tensor.cpu.loop.Axis;
import io.perflow.tensor.cpu.loop.Ranges;
import io.perflow.tensor.cpu.memory.CpuStorage;
import io.perflow.tensor.cpu.memory.Doubles;
import io.perflow.tensor.cpu.memory.Fresh;
import io.perflow.tensor.cpu.memory.ScalarCopy;

/** Elements moved to other places, not changed. */
public class ScalarMovement implements MovementKernels {
  /** Parts one after another along an axis. */
  @Override
  public Tensor concat(Tensor[] parts, int axis) {
    int total = 0;
    for (Tensor part : parts) {
      total += part.dim(axis);
    }
    Tensor y = Fresh.like(parts[0], parts[0].shape().with(axis, total));
    int at = 0;
    for (Tensor part : parts) {
      int count = part.dim(axis);
      ScalarCopy.into(y.view(y.layout().slice(axis, at, count, 1)), part);
      at += count;
    }
    return y;
  }

  /** x at a regular sub-grid of zeros. */
  @Override
  public Tensor scatter(Tensor x, Shape shape, int[] starts, int[] steps) {
    Tensor y = Fresh.like(x, shape);
    CpuStorage.of(y).fill(y.size(), 0);
    Layout part = y.layout();
    for (int a = 0; a < shape.rank(); a++) {
      part = part.slice(a, starts[a], x.dim(a), steps[a]);
    }
    ScalarCopy.into(y.view(part), x);
    return y;
  }

  /** Entry index[i] of an axis becomes entry i. */
  @Override
  public Tensor gather(Tensor x, int axis, int[] index) {
    Tensor y = Fresh.like(x, x.shape().with(axis, index.length));
    for (int i = 0; i < index.length; i++) {
      Tensor entry = x.view(x.layout().slice(axis, index[i], 1, 1));
      ScalarCopy.into(y.view(y.layout().slice(axis, i, 1, 1)), entry);
    }
    return y;
  }

  /** Adds entry i of an axis to entry index[i] of zeros, in the order of i. */
  @Override
  public Tensor scatterAdd(Tensor x, int axis, int[] index, int size) {
    Tensor y = Fresh.like(x, x.shape().with(axis, size));
    Axis from = Axis.of(x.shape(), axis); // x (outer, index.length, inner), y (outer, size, inner)
    int inner = from.inner();
    try (Doubles in = Doubles.of(x);
        Doubles out = Doubles.into(y)) {
      Ranges.run(
          from.outer(),
          (long) Math.max(size, index.length) * inner,
          (first, last) -> {
            java.util.Arrays.fill(out.data, first * size * inner, last * size * inner, 0);
            for (int o = first; o < last; o++) {
              for (int i = 0; i < index.length; i++) {
                int source = (o * index.length + i) * inner;
                int sink = (o * size + index[i]) * inner;
                for (int j = 0; j < inner; j++) {
                  out.data[sink + j] += in.data[source + j];
                }
              }
            }
          });
    }
    return y;
  }
}
