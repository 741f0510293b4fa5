package io.perflow.tensor.cpu.movement;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.elementwise.Elementwise;
import io.perflow.tensor.cpu.loop.Ranges;
import io.perflow.tensor.cpu.loop.Walk;
import io.perflow.tensor.cpu.memory.FloatStorage;
import io.perflow.tensor.cpu.memory.Fresh;
import io.perflow.tensor.cpu.memory.StridedCopy;
import java.util.Arrays;

/** Moving the elements of F32 tensors: joining, scattering, gathering. */
public final class SimdMovement extends ScalarMovement {
  @Override
  public Tensor concat(Tensor[] parts, int axis) {
    if (!FloatStorage.holds(parts[0])) {
      return super.concat(parts, axis);
    }
    Shape shape = parts[0].shape();
    int total = 0;
    for (Tensor part : parts) {
      total += part.dim(axis);
    }
    if (axis == 1 && areChannelsLast(parts)) {
      Tensor y = Fresh.like(parts[0], Layout.channelsLast(shape.with(1, total)));
      StridedCopy.concatRows(parts, axis, FloatStorage.data(y), total);
      return y;
    }
    Layout out = Walk.resultLayout(shape, parts[0]);
    Layout joined = Layout.ordered(shape.with(axis, total), out.order());
    Tensor y = Fresh.like(parts[0], joined);
    if (isInnermost(joined, axis) && haveOrder(parts, out.order())) {
      StridedCopy.concatRows(parts, axis, FloatStorage.data(y), total);
      return y;
    }
    int at = 0;
    for (Tensor part : parts) {
      Layout place = joined.slice(axis, at, part.dim(axis), 1);
      StridedCopy.copy(FloatStorage.data(part), part.layout(), FloatStorage.data(y), place);
      at += part.dim(axis);
    }
    return y;
  }

  private static boolean areChannelsLast(Tensor[] parts) {
    for (Tensor part : parts) {
      if (!part.layout().isChannelsLast()) {
        return false;
      }
    }
    return true;
  }

  private static boolean isInnermost(Layout layout, int axis) {
    int[] order = layout.order();
    return order[order.length - 1] == axis;
  }

  private static boolean haveOrder(Tensor[] parts, int[] order) {
    for (Tensor part : parts) {
      Layout packed = Layout.ordered(part.shape(), order);
      if (!Arrays.equals(packed.strides(), part.layout().strides())) {
        return false;
      }
    }
    return true;
  }

  @Override
  public Tensor scatter(Tensor x, Shape shape, int[] starts, int[] steps) {
    if (!FloatStorage.holds(x)) {
      return super.scatter(x, shape, starts, steps);
    }
    Layout out = Layout.ordered(shape, x.layout().order());
    Tensor y = Fresh.like(x, out);
    Arrays.fill(FloatStorage.data(y), 0, shape.size(), 0f);
    Layout place = out;
    for (int a = 0; a < starts.length; a++) {
      place = place.slice(a, starts[a], x.dim(a), steps[a]);
    }
    StridedCopy.copy(FloatStorage.data(x), x.layout(), FloatStorage.data(y), place);
    return y;
  }

  @Override
  public Tensor gather(Tensor x, int axis, int[] index) {
    if (!FloatStorage.holds(x)) {
      return super.gather(x, axis, index);
    }
    Tensor in = contiguous(x);
    Tensor y = Fresh.like(x, Layout.contiguous(x.shape().with(axis, index.length)));
    int inner = inner(x.shape(), axis);
    int outer = y.size() / Math.max(1, index.length * inner);
    float[] source = FloatStorage.data(in);
    float[] target = FloatStorage.data(y);
    int first = in.layout().offset();
    int count = index.length;
    Ranges.run(
        outer * count,
        inner,
        (start, end) -> {
          for (int row = start; row < end; ) { // rows (outer, index) of inner elements
            int o = row / count;
            int stop = Math.min(end, (o + 1) * count);
            int from = first + o * x.dim(axis) * inner;
            rows(
                source, from, index, row - o * count, stop - o * count, inner, target, row * inner);
            row = stop;
          }
        });
    return y;
  }

  // the rows of the indices start … end - 1, one after the other
  private static void rows(
      float[] source,
      int from,
      int[] index,
      int start,
      int end,
      int inner,
      float[] target,
      int to) {
    if (inner == 1) {
      for (int i = start; i < end; i++) {
        target[to + i - start] = source[from + index[i]];
      }
      return;
    }
    for (int i = start; i < end; i++) {
      StridedCopy.run(source, from + index[i] * inner, target, to + (i - start) * inner, inner);
    }
  }

  @Override
  public Tensor scatterAdd(Tensor x, int axis, int[] index, int size) {
    if (!FloatStorage.holds(x)) {
      return super.scatterAdd(x, axis, index, size);
    }
    Tensor in = contiguous(x);
    Tensor y = Fresh.like(x, Layout.contiguous(x.shape().with(axis, size)));
    int inner = inner(x.shape(), axis);
    int outer = x.size() / Math.max(1, index.length * inner);
    float[] source = FloatStorage.data(in);
    float[] target = FloatStorage.data(y);
    Arrays.fill(target, 0, y.size(), 0f);
    for (int o = 0; o < outer; o++) {
      int from = in.layout().offset() + o * index.length * inner;
      int to = o * size * inner;
      for (int i = 0; i < index.length; i++) {
        Elementwise.axpby(1, source, from + i * inner, 1, target, to + index[i] * inner, inner);
      }
    }
    return y;
  }

  private static Tensor contiguous(Tensor x) {
    return x.layout().isContiguous() ? x : StridedCopy.of(x, Layout.contiguous(x.shape()));
  }

  private static int inner(Shape shape, int axis) {
    int inner = 1;
    for (int a = axis + 1; a < shape.rank(); a++) {
      inner *= shape.dim(a);
    }
    return inner;
  }
}
