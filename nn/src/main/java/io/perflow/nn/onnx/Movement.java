package io.perflow.nn.onnx;

import io.perflow.tensor.op.CumulativeSum;
import io.perflow.tensor.op.Extremum;
import io.perflow.tensor.op.Gather;
import io.perflow.tensor.op.ReduceKind;
import io.perflow.tensor.op.Scatter;
import io.perflow.tensor.op.Slice;
import io.perflow.tensor.op.Sum;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The ONNX forms of parts, paddings and reductions along axes. */
final class Movement {
  private Movement() {}

  /**
   * Returns an axis of {@code size} entries of an image, wrapped around at both ends; the padding
   * mode that does this is not in the opset yet.
   */
  static String wrap(Call c, String x, int axis, int size, int count) {
    if (count == 0) {
      return x;
    }
    Graph g = c.graph();
    String before = part(g, x, axis, size - count, size);
    String after = part(g, x, axis, 0, count);
    return g.node("Concat", List.of(before, x, after), Attribute.integer("axis", axis));
  }

  private static String part(Graph g, String x, int axis, int start, int end) {
    return g.node("Slice", x, g.integers(start), g.integers(end), g.integers(axis));
  }

  /**
   * Expands a tensor; axes that already have the wanted extent stay, because a 1 asks for nothing.
   */
  static String expand(Call c) {
    BatchShape from = c.shape(0);
    BatchShape to = c.output();
    int added = to.rank() - from.rank();
    int[] counts = to.counts().clone();
    boolean[] batch = to.batch().clone();
    for (int a = added; a < to.rank(); a++) {
      if (to.sameExtent(a, from, a - added)) {
        counts[a] = 1;
        batch[a] = false;
      }
    }
    Graph g = c.graph();
    BatchShape wanted = new BatchShape(counts, batch);
    String extents =
        wanted.hasBatch()
            ? g.extents(wanted)
            : g.integers(Arrays.stream(counts).asLongStream().toArray());
    return g.node("Expand", c.input(0), extents);
  }

  static String slice(Slice op, Call c) {
    List<Long> starts = new ArrayList<>();
    List<Long> ends = new ArrayList<>();
    List<Long> axes = new ArrayList<>();
    List<Long> steps = new ArrayList<>();
    for (int a = 0; a < op.counts().length; a++) {
      int start = op.starts()[a];
      int step = op.steps()[a];
      if (start == 0 && step == 1 && c.shape(0).sameExtent(a, c.output(), a)) {
        continue;
      }
      c.requireFixed(c.shape(0), a);
      long end = start + (long) op.counts()[a] * step;
      starts.add((long) start);
      // A reversed slice that includes entry 0 ends before it, at -1. ONNX counts a negative end
      // from the end of the axis, where that place is -1 - extent.
      ends.add(end < 0 ? -1L - c.shape(0).counts()[a] : end);
      axes.add((long) a);
      steps.add((long) step);
    }
    if (axes.isEmpty()) {
      return c.input(0);
    }
    Graph g = c.graph();
    return g.node(
        "Slice",
        c.input(0),
        integers(g, starts),
        integers(g, ends),
        integers(g, axes),
        integers(g, steps));
  }

  private static String integers(Graph g, List<Long> values) {
    return g.integers(values.stream().mapToLong(Long::longValue).toArray());
  }

  static String pad(Scatter op, Call c) {
    int rank = op.shape().rank();
    long[] pads = new long[2 * rank];
    for (int a = 0; a < rank; a++) {
      if (c.shape(0).sameExtent(a, c.output(), a)) {
        continue;
      }
      c.requireFixed(c.output(), a);
      if (op.steps()[a] != 1) {
        throw c.unsupported("with steps of " + op.steps()[a]);
      }
      pads[a] = op.starts()[a];
      pads[rank + a] = (long) c.output().counts()[a] - c.shape(0).counts()[a] - op.starts()[a];
    }
    return c.graph().node("Pad", c.input(0), c.graph().integers(pads));
  }

  static String gather(Gather op, Call c) {
    c.requireFixed(c.shape(0), op.axis());
    String index = c.graph().integers(Arrays.stream(op.index()).asLongStream().toArray());
    return c.graph()
        .node("Gather", List.of(c.input(0), index), Attribute.integer("axis", op.axis()));
  }

  static String sum(Sum op, Call c) {
    String axes = c.graph().integers(Arrays.stream(op.axes()).asLongStream().toArray());
    return c.graph()
        .node(
            "ReduceSum",
            List.of(c.input(0), axes),
            Attribute.integer("keepdims", op.keep() ? 1 : 0));
  }

  static String extremum(Extremum op, Call c) {
    return c.graph()
        .node(
            op.kind() == ReduceKind.MAX ? "ReduceMax" : "ReduceMin",
            List.of(c.input(0)),
            Attribute.integers("axes", op.axes()),
            Attribute.integer("keepdims", op.keep() ? 1 : 0));
  }

  static String cumulativeSum(CumulativeSum op, Call c) {
    return c.graph().node("CumSum", c.input(0), c.graph().integers(op.axis()));
  }
}
