package io.perflow.flow;

import io.perflow.physics.Axis;
import io.perflow.physics.Problem;
import io.perflow.physics.Symmetry;
import io.perflow.tensor.Rng;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;

/**
 * A generator of random symmetries of a problem, so that training sees many variants of each field.
 */
final class Augmentation {
  private final Problem problem;
  private final int height;
  private final int width;
  private final int[] upSigns; // of each channel under a reflection of the rows; null for none
  private final int[] leftSigns;
  private final boolean transposes;
  private final boolean shiftsRows;
  private final boolean shiftsColumns;
  private final boolean shiftsDiagonally;

  private Augmentation(Problem problem, boolean used) {
    this.problem = problem;
    height = problem.grid().height();
    width = problem.grid().width();
    int[] up = null;
    int[] left = null;
    boolean transpose = false;
    boolean down = false;
    boolean right = false;
    boolean diagonal = false;
    for (Symmetry symmetry : used ? problem.symmetries() : List.<Symmetry>of()) {
      boolean rows =
          !symmetry.axes().isEmpty() && problem.grid().dimension(symmetry.axes().getFirst()) == 2;
      switch (symmetry.kind()) {
        case MIRROR -> {
          up = rows ? signs(symmetry) : up;
          left = rows ? left : signs(symmetry);
        }
        case TRANSPOSE -> transpose = true;
        case SHIFT -> {
          boolean both = symmetry.axes().size() == 2;
          diagonal |= both;
          down |= !both && rows;
          right |= !both && !rows;
        }
      }
    }
    upSigns = up;
    leftSigns = left;
    transposes = transpose;
    shiftsRows = down;
    shiftsColumns = right;
    shiftsDiagonally = diagonal;
  }

  /** Returns all symmetries of the problem. */
  static Augmentation of(Problem problem) {
    return new Augmentation(problem, true);
  }

  /** Returns an augmentation that leaves fields unchanged. */
  static Augmentation none(Problem problem) {
    return new Augmentation(problem, false);
  }

  private int[] signs(Symmetry symmetry) {
    int[] signs = new int[problem.channelCount()];
    Arrays.fill(signs, 1);
    for (String quantity : symmetry.negated()) {
      for (int channel : problem.select(quantity)) {
        signs[channel] = -1;
      }
    }
    return signs;
  }

  /** Draws a random symmetry. */
  Move draw(Rng rng) {
    boolean up = upSigns != null && rng.nextInt(2) == 1;
    boolean left = leftSigns != null && rng.nextInt(2) == 1;
    boolean transpose = transposes && rng.nextInt(2) == 1;
    int down = shiftsRows ? rng.nextInt(height) : 0;
    int right = shiftsColumns ? rng.nextInt(width) : 0;
    if (shiftsDiagonally) {
      // The fractions of the period that are whole numbers of points along both axes.
      int parts = BigInteger.valueOf(height).gcd(BigInteger.valueOf(width)).intValueExact();
      int part = rng.nextInt(parts);
      down += part * (height / parts);
      right += width - part * (width / parts);
    }
    return new Move(up, left, transpose, down, right);
  }

  /** A symmetry: reflections, then transposition, then shifts. */
  final class Move {
    private final boolean up;
    private final boolean left;
    private final boolean transpose;
    private final int down;
    private final int right;

    private Move(boolean up, boolean left, boolean transpose, int down, int right) {
      this.up = up;
      this.left = left;
      this.transpose = transpose;
      this.down = down;
      this.right = right;
    }

    /** Writes the moved plane of a channel. */
    void apply(int channel, float[] source, int from, float[] target, int to) {
      int sign = (up ? upSigns[channel] : 1) * (left ? leftSigns[channel] : 1);
      for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
          int row = mirrored(transpose ? x : y, up, problem.grid().rows());
          int column = mirrored(transpose ? y : x, left, problem.grid().columns());
          int moved = (y + down) % height * width + (x + right) % width;
          target[to + moved] = sign * source[from + row * width + column];
        }
      }
    }
  }

  // Reflects about the start of a periodic axis, which may be a point, or about the middle of an
  // axis with walls.
  private static int mirrored(int index, boolean mirror, Axis axis) {
    if (!mirror) {
      return index;
    }
    int size = axis.points();
    return axis.periodic() && axis.placement() == Axis.Placement.NODES
        ? (size - index) % size
        : size - 1 - index;
  }
}
