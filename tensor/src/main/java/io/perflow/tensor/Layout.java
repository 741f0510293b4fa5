package io.perflow.tensor;

import java.util.Arrays;

/**
 * The positions of a tensor's elements in its storage: element (i, j, …) is number {@code offset +
 * i * stride(0) + j * stride(1) + …}. Strides count elements; a stride of 0 repeats an element, and
 * a negative one runs backwards. A layout is immutable and owns no data.
 */
public final class Layout {
  private static final int[] CHANNELS_LAST = {0, 2, 3, 1};

  private final Shape shape;
  private final int[] strides;
  private final int offset;
  private final boolean contiguous;

  private Layout(Shape shape, int[] strides, int offset) {
    this.shape = shape;
    this.strides = strides;
    this.offset = offset;
    this.contiguous = follows(shape, strides);
  }

  /** Returns the row-major layout without gaps, from element 0. */
  public static Layout contiguous(Shape shape) {
    Layout layout = shape.contiguous;
    if (layout == null) {
      layout = new Layout(shape, rowMajor(shape), 0);
      shape.contiguous = layout;
    }
    return layout;
  }

  /**
   * Returns the memory order (n, h, w, c) for a shape (n, c, h, w): convolutions of the CPU backend
   * read and write it, because all channels of a pixel then fill vectors. In general, axis 1 is the
   * innermost.
   */
  public static Layout channelsLast(Shape shape) {
    Layout layout = shape.channelsLast;
    if (layout == null) {
      layout = makeChannelsLast(shape);
      shape.channelsLast = layout;
    }
    return layout;
  }

  private static Layout makeChannelsLast(Shape shape) {
    int rank = shape.rank();
    Check.that(rank >= 2, "channels_last", "shape %s has no axis 1", shape);
    int[] order = new int[rank];
    order[rank - 1] = 1;
    for (int i = 1; i < rank - 1; i++) {
      order[i] = i + 1;
    }
    return ordered(shape, order);
  }

  /**
   * Returns the layout without gaps whose axes, from slowest to fastest, are those of {@code
   * order}.
   */
  public static Layout ordered(Shape shape, int... order) {
    int[] strides = new int[shape.rank()];
    int step = 1;
    for (int i = order.length - 1; i >= 0; i--) {
      strides[order[i]] = step;
      step *= Math.max(1, shape.dim(order[i]));
    }
    return new Layout(shape, strides, 0);
  }

  /**
   * Returns a layout with any strides; the caller must ensure that they stay inside the storage.
   */
  public static Layout of(Shape shape, int[] strides, int offset) {
    return new Layout(shape, strides.clone(), offset);
  }

  /** Returns the shape. */
  public Shape shape() {
    return shape;
  }

  /** Returns the number of elements between neighbours along an axis. */
  public int stride(int axis) {
    return strides[axis];
  }

  /** Returns all strides, as a copy. */
  public int[] strides() {
    return strides.clone();
  }

  /** Returns the position of the first element. */
  public int offset() {
    return offset;
  }

  /** Returns whether the elements lie row-major without gaps. */
  public boolean isContiguous() {
    return contiguous;
  }

  /** Returns whether the elements lie as in {@link #channelsLast}, from any offset. */
  public boolean isChannelsLast() {
    return shape.rank() == 4 && followsOrder(CHANNELS_LAST);
  }

  /**
   * Returns whether the elements fill a contiguous part of the storage without gap or repetition,
   * in any order.
   */
  public boolean isDense() {
    return contiguous || isChannelsLast() || followsOrder(order());
  }

  /** Returns the axes from the slowest (largest stride) to the fastest; ties keep their order. */
  public int[] order() {
    int rank = strides.length;
    int[] order = new int[rank];
    for (int i = 0; i < rank; i++) {
      int j = i; // insertion sort: stable, and ranks are tiny
      for (; j > 0 && Math.abs(strides[order[j - 1]]) < Math.abs(strides[i]); j--) {
        order[j] = order[j - 1];
      }
      order[j] = i;
    }
    return order;
  }

  /** Returns the axes in a new order; shares the storage. */
  public Layout permute(int... axes) {
    int[] moved = new int[axes.length];
    for (int i = 0; i < axes.length; i++) {
      moved[i] = strides[axes[i]];
    }
    return new Layout(shape.permute(axes), moved, offset);
  }

  /** Selects {@code count} elements of an axis, from {@code start} in steps of {@code step}. */
  public Layout slice(int axis, int start, int count, int step) {
    int[] changed = strides.clone();
    changed[axis] *= step;
    int shift = count == 0 ? 0 : start * strides[axis];
    return new Layout(shape.with(axis, count), changed, offset + shift);
  }

  /**
   * Repeats axes of extent 1, and new leading ones, by strides of 0 until they fill {@code wider}.
   */
  public Layout expand(Shape wider) {
    int lead = wider.rank() - shape.rank();
    int[] spread = new int[wider.rank()];
    for (int i = 0; i < shape.rank(); i++) {
      spread[lead + i] = shape.dim(i) == wider.dim(lead + i) ? strides[i] : 0;
    }
    return new Layout(wider, spread, offset);
  }

  /**
   * Returns the same elements in row-major order under another shape of the same size, or null if
   * strides cannot express it and a copy is needed.
   */
  public Layout reshape(Shape target) {
    if (contiguous) {
      return new Layout(target, rowMajor(target), offset);
    }
    if (shape.size() == 0) {
      return new Layout(target, rowMajor(target), 0);
    }
    int[] result = new int[target.rank()];
    int from = 0;
    int to = 0;
    while (from < shape.rank() || to < target.rank()) {
      // Grows a group of old axes and a group of new axes until they hold the same number of
      // elements.
      int fromEnd = from;
      int toEnd = to;
      long have = 1;
      long want = 1;
      do {
        if (have <= want && fromEnd < shape.rank()) {
          have *= shape.dim(fromEnd++);
        } else if (toEnd < target.rank()) {
          want *= target.dim(toEnd++);
        } else {
          have *= shape.dim(fromEnd++);
        }
      } while (have != want);
      if (!splitGroup(from, fromEnd, target, to, toEnd, result)) {
        return null;
      }
      from = fromEnd;
      to = toEnd;
    }
    return new Layout(target, result, offset);
  }

  // The old axes from … fromEnd must step evenly, like one axis; then the new axes to … toEnd can
  // divide that stretch.
  private boolean splitGroup(int from, int fromEnd, Shape target, int to, int toEnd, int[] result) {
    int step = 0;
    int next = 0;
    boolean innermost = true;
    for (int i = fromEnd - 1; i >= from; i--) {
      if (shape.dim(i) == 1) {
        continue;
      }
      if (innermost) {
        step = strides[i];
        innermost = false;
      } else if (strides[i] != next) {
        return false;
      }
      next = strides[i] * shape.dim(i);
    }
    for (int i = toEnd - 1; i >= to; i--) {
      result[i] = step;
      step *= target.dim(i);
    }
    return true;
  }

  private static int[] rowMajor(Shape shape) {
    int[] strides = new int[shape.rank()];
    int step = 1;
    for (int i = strides.length - 1; i >= 0; i--) {
      strides[i] = step;
      step *= Math.max(1, shape.dim(i));
    }
    return strides;
  }

  private static boolean follows(Shape shape, int[] strides) {
    int step = 1;
    for (int i = strides.length - 1; i >= 0; i--) {
      if (shape.dim(i) != 1 && strides[i] != step && shape.size() != 0) {
        return false;
      }
      step *= Math.max(1, shape.dim(i));
    }
    return true;
  }

  private boolean followsOrder(int[] order) {
    if (shape.size() == 0) {
      return true;
    }
    int step = 1;
    for (int i = order.length - 1; i >= 0; i--) {
      int axis = order[i];
      if (shape.dim(axis) != 1 && strides[axis] != step) {
        return false;
      }
      step *= shape.dim(axis);
    }
    return true;
  }

  @Override
  public boolean equals(Object other) {
    return other == this
        || other instanceof Layout l
            && offset == l.offset
            && shape.equals(l.shape)
            && Arrays.equals(strides, l.strides);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(strides) + 7 * shape.hashCode() + offset;
  }

  @Override
  public String toString() {
    return shape + " strides " + Arrays.toString(strides) + " offset " + offset;
  }
}
