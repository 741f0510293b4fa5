package io.perflow.tensor.cpu;

import io.perflow.tensor.Layout;

/** Moves elements between layouts of one shape: runs where both are contiguous, else tiles. */
final class StridedCopy {
  // A tile's rows and columns both stay in the first-level cache, whichever side is strided.
  private static final int TILE = 16;

  private StridedCopy() {}

  /** target[i] = source[i] for every index of their common shape. */
  static void copy(float[] source, Layout from, float[] target, Layout to) {
    Walk walk = Walk.of(to, from);
    walk.forEach(
        (row, count, lo, hi) -> {
          int t = walk.start(0, row) + lo * walk.step(0);
          int s = walk.start(1, row) + lo * walk.step(1);
          block(
              source,
              s,
              walk.rowStep(1),
              walk.step(1),
              target,
              t,
              walk.rowStep(0),
              walk.step(0),
              count,
              hi - lo);
        });
  }

  private static void block(
      float[] source,
      int s,
      int sRow,
      int sCol,
      float[] target,
      int t,
      int tRow,
      int tCol,
      int rows,
      int cols) {
    if (sCol == 1 && tCol == 1) {
      for (int r = 0; r < rows; r++) {
        Elementwise.copy(source, s + r * sRow, target, t + r * tRow, cols);
      }
    } else if (sCol == 0 && tCol == 1) {
      for (int r = 0; r < rows; r++) {
        Elementwise.fill(target, t + r * tRow, cols, source[s + r * sRow]);
      }
    } else {
      tiles(source, s, sRow, sCol, target, t, tRow, tCol, rows, cols);
    }
  }

  private static void tiles(
      float[] source,
      int s,
      int sRow,
      int sCol,
      float[] target,
      int t,
      int tRow,
      int tCol,
      int rows,
      int cols) {
    for (int r0 = 0; r0 < rows; r0 += TILE) {
      int rEnd = Math.min(rows, r0 + TILE);
      for (int c0 = 0; c0 < cols; c0 += TILE) {
        int cEnd = Math.min(cols, c0 + TILE);
        for (int r = r0; r < rEnd; r++) {
          int si = s + r * sRow + c0 * sCol;
          int ti = t + r * tRow + c0 * tCol;
          for (int c = c0; c < cEnd; c++, si += sCol, ti += tCol) {
            target[ti] = source[si];
          }
        }
      }
    }
  }
}
