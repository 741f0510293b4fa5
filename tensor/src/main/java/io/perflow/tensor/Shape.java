package io.perflow.tensor;

import java.util.Arrays;

/**
 * Immutable list of non-negative extents. Prints as {@code [8, 3, 64, 64]}; the empty list is the
 * shape of a scalar.
 */
public final class Shape {
  private static final Shape SCALAR = new Shape(new int[0], 1);

  private final int[] extents;
  private final int size;

  private Shape(int[] extents, int size) {
    this.extents = extents;
    this.size = size;
  }

  /**
   * The shape with these extents.
   *
   * @throws ShapeException when an extent is negative or the number of elements exceeds 2^31 - 9,
   *     the largest array of the JVM
   */
  public static Shape of(int... extents) {
    if (extents.length == 0) {
      return SCALAR;
    }
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
    return new Shape(extents.clone(), empty ? 0 : (int) size);
  }

  /** Number of axes. */
  public int rank() {
    return extents.length;
  }

  /** Number of elements. */
  public int size() {
    return size;
  }

  /** Extent of an axis; -1 is the last. */
  public int dim(int axis) {
    return extents[axis >= 0 && axis < extents.length ? axis : Check.axis("dim", this, axis)];
  }

  /** The extents, as a copy. */
  public int[] toArray() {
    return extents.clone();
  }

  /** This shape with one extent replaced. */
  public Shape with(int axis, int extent) {
    int[] changed = extents.clone();
    changed[Check.axis("shape", this, axis)] = extent;
    return of(changed);
  }

  /** This shape with an axis of the given extent put before position {@code axis}. */
  public Shape insert(int axis, int extent) {
    Check.that(
        axis >= 0 && axis <= rank(), "shape", "cannot insert axis %d into shape %s", axis, this);
    int[] grown = new int[rank() + 1];
    System.arraycopy(extents, 0, grown, 0, axis);
    grown[axis] = extent;
    System.arraycopy(extents, axis, grown, axis + 1, rank() - axis);
    return of(grown);
  }

  /** This shape without one axis. */
  public Shape remove(int axis) {
    int at = Check.axis("shape", this, axis);
    int[] cut = new int[rank() - 1];
    System.arraycopy(extents, 0, cut, 0, at);
    System.arraycopy(extents, at + 1, cut, at, cut.length - at);
    return of(cut);
  }

  /** Axes in a new order. */
  public Shape permute(int... axes) {
    int[] moved = new int[axes.length];
    for (int i = 0; i < axes.length; i++) {
      moved[i] = dim(axes[i]);
    }
    return of(moved);
  }

  /** This shape after a reduction over sorted {@code axes}, which stay as 1 or vanish. */
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
   * The shape both broadcast to by NumPy's rule: align at the last axis; extents agree or one of
   * them is 1.
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
