package io.perflow.tensor.cpu.reduce;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.ReduceKernels;
import io.perflow.tensor.cpu.loop.Axis;
import io.perflow.tensor.cpu.loop.Ranges;
import io.perflow.tensor.cpu.memory.Doubles;
import io.perflow.tensor.cpu.memory.Fresh;
import io.perflow.tensor.op.ReduceKind;

/** Many numbers to one: sums in double, in row-major order of the reduced axes. */
public class ScalarReductions implements ReduceKernels {
  /** Sum, largest or smallest over sorted axes. */
  @Override
  public Tensor reduce(ReduceKind kind, Tensor x, int[] axes, boolean keep) {
    Tensor y = Fresh.like(x, x.shape().reduce(axes, keep));
    int results = y.size();
    int count = count(x.shape(), axes);
    try (Doubles in = Doubles.of(reducedLast(x, axes)); // (results, count)
        Doubles out = Doubles.into(y)) {
      Ranges.run(
          results,
          count,
          (from, to) -> {
            for (int i = from; i < to; i++) {
              out.data[i] = reduce(kind, in.data, i * count, count);
            }
          });
    }
    return y;
  }

  private static double reduce(ReduceKind kind, double[] x, int at, int count) {
    double result =
        switch (kind) {
          case SUM -> 0;
          case MAX -> Double.NEGATIVE_INFINITY;
          case MIN -> Double.POSITIVE_INFINITY;
        };
    for (int j = at; j < at + count; j++) {
      result =
          switch (kind) {
            case SUM -> result + x[j];
            case MAX -> Math.max(result, x[j]); // Math.max and min hand a NaN on
            case MIN -> Math.min(result, x[j]);
          };
    }
    return result;
  }

  private static int count(Shape shape, int[] axes) {
    int count = 1;
    for (int axis : axes) {
      count *= shape.dim(axis);
    }
    return count;
  }

  /** A view of x with the reduced axes behind the others. */
  private static Tensor reducedLast(Tensor x, int[] axes) {
    return x.view(x.layout().permute(reducedLast(x.rank(), axes)));
  }

  /** All axes, the reduced ones behind the others, both in their own order. */
  public static int[] reducedLast(int rank, int[] axes) {
    int[] order = new int[rank];
    int kept = 0;
    int gone = 0;
    for (int a = 0; a < rank; a++) {
      if (gone < axes.length && axes[gone] == a) {
        order[rank - axes.length + gone++] = a;
      } else {
        order[kept++] = a;
      }
    }
    return order;
  }

  /** Position of the first largest along an axis; a NaN is larger than any number. */
  @Override
  public Tensor argmax(Tensor x, int axis, boolean keep) {
    int[] axes = {axis};
    Tensor y = Fresh.like(x, x.shape().reduce(axes, keep));
    int n = x.dim(axis);
    try (Doubles in = Doubles.of(reducedLast(x, axes)); // (results, n)
        Doubles out = Doubles.into(y)) {
      Ranges.run(
          y.size(),
          n,
          (from, to) -> {
            for (int i = from; i < to; i++) {
              int best = 0;
              for (int j = 1; j < n; j++) {
                if (beats(in.data[i * n + j], in.data[i * n + best])) {
                  best = j;
                }
              }
              out.data[i] = best;
            }
          });
    }
    return y;
  }

  /** Whether a candidate displaces the best before it: it is larger, or the first NaN. */
  public static boolean beats(double candidate, double best) {
    return candidate > best || Double.isNaN(candidate) && !Double.isNaN(best);
  }

  /** Running sums along an axis. */
  @Override
  public Tensor cumulativeSum(Tensor x, int axis) {
    Tensor y = Fresh.like(x, x.shape());
    Axis along = Axis.of(x.shape(), axis);
    int n = along.n();
    int inner = along.inner();
    try (Doubles in = Doubles.of(x); // (outer, n, inner)
        Doubles out = Doubles.into(y)) {
      Ranges.run(
          along.outer() * inner,
          n,
          (from, to) -> {
            for (int line = from; line < to; line++) {
              int at = line / inner * n * inner + line % inner;
              double sum = 0;
              for (int i = 0; i < n; i++) {
                sum += in.data[at + i * inner];
                out.data[at + i * inner] = sum;
              }
            }
          });
    }
    return y;
  }
}
