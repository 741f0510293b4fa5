package io.perflow.tensor.cpu.memory;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Tensor;

/**
 * A tensor's elements as a row-major {@code double[]}, so that a scalar kernel is plain index
 * arithmetic whatever the type and strides of its operands. The array is the tensor's own memory
 * where that is row-major F64, else a recycled copy.
 *
 * <pre>{@code
 * try (Doubles in = Doubles.of(x); Doubles out = Doubles.into(y)) {
 *   out.data[i] = … in.data[j] …
 * } // here y receives the numbers, rounded once if it is F32
 * }</pre>
 */
public final class Doubles implements AutoCloseable {
  /** The elements; the array may be longer. */
  public final double[] data;

  private final boolean scratch;
  private final Tensor target; // receives the numbers in the end; null for an operand

  private Doubles(double[] data, boolean scratch, Tensor target) {
    this.data = data;
    this.scratch = scratch;
    this.target = target;
  }

  /** The elements of an operand, to read. */
  public static Doubles of(Tensor x) {
    if (isRowMajorDoubles(x)) {
      return new Doubles(DoubleStorage.data(x), false, null);
    }
    double[] copy = Buffers.doubles(x.size());
    Layout rows = Layout.contiguous(x.shape());
    ScalarCopy.into(wrap(x, copy, rows), x);
    return new Doubles(copy, true, null);
  }

  /** Room for the elements of a new result, to be filled entirely; closing stores them. */
  public static Doubles into(Tensor y) {
    return isRowMajorDoubles(y)
        ? new Doubles(DoubleStorage.data(y), false, null)
        : new Doubles(Buffers.doubles(y.size()), true, y);
  }

  /** An optional operand: its elements, or an empty array for null. */
  public static Doubles ofNullable(Tensor x) {
    return x == null ? new Doubles(new double[0], false, null) : of(x);
  }

  private static boolean isRowMajorDoubles(Tensor x) {
    return x.storage() instanceof DoubleStorage
        && x.layout().isContiguous()
        && x.layout().offset() == 0;
  }

  private static Tensor wrap(Tensor like, double[] data, Layout layout) {
    return Tensor.over(new DoubleStorage(like.device(), data, false), layout);
  }

  @Override
  public void close() {
    if (target != null) {
      Layout rows = Layout.contiguous(target.shape());
      ScalarCopy.into(target, wrap(target, data, rows));
    }
    if (scratch) {
      Buffers.give(data);
    }
  }
}
