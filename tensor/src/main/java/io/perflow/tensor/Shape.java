package io.perflow.tensor;

import java.util.Arrays;

/**
 * An immutable list of non-negative extents. It prints as {@code [8, 3, 64, 64]}; the empty list is
 * the shape of a scalar.
 */
public final class Shape {
  private static final Shape SCALAR = new Shape(new int[0], 1);

  // A loop makes the same few shapes again and again, and each operation makes several. A table of
  // recent shapes hands them out again, with their usual layouts. In a race two equal ones may be
  // made, which does no harm.
  private static final Shape[] RECENT = new Shape[1 << 13];

  private final int[] extents;
  private final int size;

  /** Caches of {@link Layout#contiguous} and {@link Layout#channelsLast}. */
  Layout contiguous;

  Layout channelsLast;

  private Shape(int[] extents, int size) {
    this.extents = extents;
    this.size = size;
  }

  /**
   * Returns the shape with these extents.
   *
   * @throws ShapeException when an extent is negative or the number of elements exceeds 2^31 - 9,
   *     the largest array of the JVM
   */
  public static Shape of(int... extents) {
    if (extents.length == 0) {
      return SCALAR;
    }
    int slot = slot(Arrays.hashCode(extents));
    Shape recent = RECENT[slot];
    if (recent != null && Arrays.equals(recent.extents, extents)) {
      return recent;
    }
    Shape shape = new Shape(extents.clone(), size(extents));
    RECENT[slot] = shape;
    return shape;
  }

  /** Returns the shape of a vector; as {@link #of(int...)}. */
  public static Shape of(int length) {
    Shape recent = RECENT[slot(31 + length)];
    return recent != null && recent.extents.length == 1 && recent.extents[0] == length
        ? recent
        : of(new int[] {length});
  }

  /** Returns the shape of a matrix; as {@link #of(int...)}. */
  public static Shape of(int rows, int columns) {
    Shape recent = RECENT[slot(31 * (31 + rows) + columns)];
    return recent != null
            && recent.extents.length == 2
            && recent.extents[0] == rows
            && recent.extents[1] == columns
        ? recent
        : of(new int[] {rows, columns});
  }

  /** Returns the shape of a batch of images; as {@link #of(int...)}. */
  public static Shape of(int n, int channels, int height, int width) {
    int hash = 31 * (31 * (31 * (31 + n) + channels) + height) + width;
    Shape recent = RECENT[slot(hash)];
    return recent != null
            && recent.extents.length == 4
            && recent.extents[0] == n
            && recent.extents[1] == channels
            && recent.extents[2] == height
            && recent.extents[3] == width
        ? recent
        : of(new int[] {n, channels, height, width});
  }

  // The hash of Arrays.hashCode, whose low bits agree for extents that are multiples of 2^k.
  private static int slot(int hash) {
    return hash * 0x9E3779B9 >>> 19;
  }

  private static int size(int[] extents) {
    long size = 1;
    boolean empty = false;
    for (int extent : extents) {
      if (extent < 0) {
        throw new ShapeException(
            "shape", "negative extent in %s".formatted(Arrays.toString(extents)));
      }
      empty |= extent == 0;
    }
    for (int extent : extents) {
      size *= extent;
      if (!empty && size > Integer.MAX_VALUE - 8) {
        throw new ShapeException(
            "shape",
            "%s has more elements than an array can hold (2^31 - 9); split the batch"
                .formatted(Arrays.toString(extents)));
      }
    }
    return empty ? 0 : (int) size;
  }

  /** Returns the number of axes. */
  public int rank() {
    return extents.length;
  }

  /** Returns the number of elements. */
  public int size() {
    return size;
  }

  /** Returns the index along each axis of an element that is counted in row-major order. */
  public int[] index(int element) {
    int[] index = new int[rank()];
    int rest = element;
    for (int axis = index.length - 1; axis >= 0; axis--) {
      index[axis] = rest % dim(axis);
      rest /= dim(axis);
    }
    return index;
  }

  /** Returns the extent of an axis; -1 is the last. */
  public int dim(int axis) {
    return extents[axis >= 0 && axis < extents.length ? axis : Check.axis("dim", this, axis)];
  }

  /** Returns the extents, as a copy. */
  public int[] toArray() {
    return extents.clone();
  }

  /** Returns this shape with one extent replaced. */
  public Shape with(int axis, int extent) {
    int at = Check.axis("shape", this, axis);
    int[] e = extents;
    switch (e.length) { // the usual ranks, without a copy
      case 2:
        return at == 0 ? of(extent, e[1]) : of(e[0], extent);
      case 4:
        return of(
            at == 0 ? extent : e[0],
            at == 1 ? extent : e[1],
            at == 2 ? extent : e[2],
            at == 3 ? extent : e[3]);
      default:
        int[] changed = e.clone();
        changed[at] = extent;
        return of(changed);
    }
  }

  /** Returns this shape with an axis of the given extent inserted before position {@code axis}. */
  public Shape insert(int axis, int extent) {
    Check.that(
        axis >= 0 && axis <= rank(), "shape", "cannot insert axis %d into shape %s", axis, this);
    int[] grown = new int[rank() + 1];
    System.arraycopy(extents, 0, grown, 0, axis);
    grown[axis] = extent;
    System.arraycopy(extents, axis, grown, axis + 1, rank() - axis);
    return of(grown);
  }

  /** Returns this shape without one axis. */
  public Shape remove(int axis) {
    int at = Check.axis("shape", this, axis);
    int[] cut = new int[rank() - 1];
    System.arraycopy(extents, 0, cut, 0, at);
    System.arraycopy(extents, at + 1, cut, at, cut.length - at);
    return of(cut);
  }

  /** Returns the axes in a new order. */
  public Shape permute(int... axes) {
    int[] moved = new int[axes.length];
    for (int i = 0; i < axes.length; i++) {
      moved[i] = dim(axes[i]);
    }
    return of(moved);
  }

  /**
   * Returns this shape after a reduction over sorted {@code axes}, which stay with extent 1 or are
   * removed.
   */
  public Shape reduce(int[] axes, boolean keep) {
    int[] left = new int[keep ? rank() : rank() - axes.length];
    for (int i = 0, j = 0, k = 0; i < rank(); i++) {
      boolean gone = k < axes.length && axes[k] == i;
      if (gone) {
        k++;
      }
      if (keep || !gone) {
        left[j++] = gone ? 1 : extents[i];
      }
    }
    return of(left);
  }

  /**
   * Returns the shape to which both broadcast by NumPy's rule: aligned at the last axis, extents
   * are equal or one of them is 1.
   *
   * @throws ShapeException naming {@code op}, both shapes and the axis that disagrees
   */
  public static Shape broadcast(String op, Shape a, Shape b) {
    if (a.equals(b)) {
      return a;
    }
    int rank = Math.max(a.rank(), b.rank());
    int[] result = new int[rank];
    for (int i = 1; i <= rank; i++) {
      int x = i <= a.rank() ? a.extents[a.rank() - i] : 1;
      int y = i <= b.rank() ? b.extents[b.rank() - i] : 1;
      if (x != y && x != 1 && y != 1) {
        throw new ShapeException(
            op,
            "shapes %s and %s do not broadcast: axis -%d is %d and %d".formatted(a, b, i, x, y));
      }
      result[rank - i] = x == 1 ? y : x;
    }
    return of(result);
  }

  @Override
  public boolean equals(Object other) {
    return other == this || other instanceof Shape s && Arrays.equals(extents, s.extents);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(extents);
  }

  @Override
  public String toString() {
    return Arrays.toString(extents);
  }
}
