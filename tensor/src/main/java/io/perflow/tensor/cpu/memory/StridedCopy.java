package io.perflow.tensor.cpu.memory;

import static io.perflow.tensor.cpu.vector.Simd.F;
import static io.perflow.tensor.cpu.vector.Simd.W;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.loop.Walk;
import io.perflow.tensor.cpu.vector.FloatTranspose;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;

/** Moves elements between layouts of one shape: runs where both are contiguous, else tiles. */
public final class StridedCopy {
  // A tile's rows and columns both stay in the first-level cache, whichever side is strided.
  private static final int TILE = 16;

  // Rows of several tensors that are joined together while their lines are in the first-level
  // cache.
  private static final int BLOCK = 8;

  // Source rows of a transposition that are read together, in lines that the first-level cache
  // holds.
  private static final int LINES = 64;

  // Steps up to which a run is read along, because neighbours share cache lines.
  private static final int NEAR = 8;

  // Every second element of each of two vectors, in the lower and the upper half; every third one
  // of each of three vectors, in their lanes of the result.
  private static final VectorShuffle<Float> SECOND = VectorShuffle.fromOp(F, i -> 2 * i % W);
  private static final VectorMask<Float> UPPER = lanesOf(1, 2);
  private static final VectorShuffle<Float> THIRD = VectorShuffle.fromOp(F, i -> 3 * i % W);
  private static final VectorMask<Float> MIDDLE = lanesOf(1, 3);
  private static final VectorMask<Float> LAST = lanesOf(2, 3);

  private StridedCopy() {}

  /** The same elements in new memory of the given layout. */
  public static Tensor of(Tensor x, Layout target) {
    Tensor y = Fresh.like(x, target);
    copy(FloatStorage.data(x), x.layout(), FloatStorage.data(y), target);
    return y;
  }

  /** target[i] = source[i] for every index of their common shape. */
  public static void copy(float[] source, Layout from, float[] target, Layout to) {
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

  /**
   * Joins dense tensors along their innermost axis, row by row in one pass, so that the target is
   * written from front to back.
   */
  public static void concatRows(Tensor[] parts, int axis, float[] target, int total) {
    int rows = total == 0 ? 0 : parts[0].size() / Math.max(1, parts[0].dim(axis));
    int perTask = Math.max(1, Walk.TASK / Math.max(1, total));
    Parallel.run(
        (rows + perTask - 1) / perTask,
        task -> {
          int end = Math.min(rows, (task + 1) * perTask);
          for (int first = task * perTask; first < end; first += BLOCK) {
            int count = Math.min(BLOCK, end - first);
            int to = first * total;
            for (Tensor part : parts) {
              int cols = part.dim(axis);
              int from = part.layout().offset() + first * cols;
              block(FloatStorage.data(part), from, cols, 1, target, to, total, 1, count, cols);
              to += cols;
            }
          }
        });
  }

  /** Copies {@code count} rows of {@code cols} elements between arrays of different row strides. */
  public static void rows(
      float[] source,
      int from,
      int fromRow,
      int cols,
      int count,
      float[] target,
      int to,
      int toRow) {
    if (fromRow == cols && toRow == cols) {
      System.arraycopy(source, from, target, to, count * cols);
      return;
    }
    for (int i = 0; i < count; i++) {
      System.arraycopy(source, from + i * fromRow, target, to + i * toRow, cols);
    }
  }

  /**
   * Copies a run; up to a fifth faster than the virtual machine's own copy where that is long. Up
   * to eight vectors go without a loop, which would end before the compiler's unrolling begins;
   * they overlap where the run is shorter.
   */
  public static void run(float[] source, int from, float[] target, int to, int count) {
    int last = count - W;
    if (last < 0) {
      System.arraycopy(source, from, target, to, count);
    } else if (count <= 2 * W) {
      two(source, from, last, target, to);
    } else if (count <= 4 * W) {
      four(source, from, W, Math.min(2 * W, last), last, target, to);
    } else if (count <= 8 * W) {
      four(source, from, W, 2 * W, 3 * W, target, to);
      int rest = Math.min(4 * W, last);
      four(
          source,
          from + rest,
          Math.min(5 * W, last) - rest,
          Math.min(6 * W, last) - rest,
          last - rest,
          target,
          to + rest);
    } else {
      int bound = F.loopBound(count);
      for (int i = 0; i < bound; i += W) {
        FloatVector.fromArray(F, source, from + i).intoArray(target, to + i);
      }
      if (bound < count) {
        FloatVector.fromArray(F, source, from + last).intoArray(target, to + last);
      }
    }
  }

  // The vectors at 0 and b.
  private static void two(float[] source, int from, int b, float[] target, int to) {
    FloatVector first = FloatVector.fromArray(F, source, from);
    FloatVector second = FloatVector.fromArray(F, source, from + b);
    first.intoArray(target, to);
    second.intoArray(target, to + b);
  }

  // The vectors at 0, b, c and d.
  private static void four(float[] source, int from, int b, int c, int d, float[] target, int to) {
    FloatVector first = FloatVector.fromArray(F, source, from);
    FloatVector second = FloatVector.fromArray(F, source, from + b);
    FloatVector third = FloatVector.fromArray(F, source, from + c);
    FloatVector fourth = FloatVector.fromArray(F, source, from + d);
    first.intoArray(target, to);
    second.intoArray(target, to + b);
    third.intoArray(target, to + c);
    fourth.intoArray(target, to + d);
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
    if (sCol == 1 && tCol == 1 && cols >= W) {
      for (int r = 0; r < rows; r++) {
        run(source, s + r * sRow, target, t + r * tRow, cols);
      }
    } else if (sCol == 0 && tCol == 1) {
      for (int r = 0; r < rows; r++) {
        int to = t + r * tRow;
        Arrays.fill(target, to, to + cols, source[s + r * sRow]);
      }
    } else if (sRow == 1 && tCol == 1) {
      transposed(source, s, sCol, target, t, tRow, rows, cols);
    } else if (tCol == 1 && sCol > 0 && sCol <= NEAR) {
      for (int r = 0; r < rows; r++) {
        int from = s + r * sRow;
        int to = t + r * tRow;
        int done =
            switch (sCol) {
              case 2 -> everySecond(source, from, target, to, cols);
              case 3 -> everyThird(source, from, target, to, cols);
              default -> 0;
            };
        every(source, from + done * sCol, sCol, target, to + done, cols - done);
      }
    } else {
      tiles(source, s, sRow, sCol, target, t, tRow, tCol, rows, cols);
    }
  }

  // The source lies the other way round.
  private static void transposed(
      float[] source, int s, int sCol, float[] target, int t, int tRow, int rows, int cols) {
    for (int r = 0; r < rows; r += TILE) {
      int height = Math.min(TILE, rows - r);
      for (int c = 0; c < cols; c += LINES) {
        int width = Math.min(LINES, cols - c);
        FloatTranspose.transpose(
            width, height, source, s + c * sCol + r, sCol, target, t + r * tRow + c, tRow);
      }
    }
  }

  // Lanes i of a result with every step-th element whose source is vector number {@code part}.
  private static VectorMask<Float> lanesOf(int part, int step) {
    boolean[] lanes = new boolean[W];
    for (int i = 0; i < W; i++) {
      lanes[i] = step * i / W == part;
    }
    return VectorMask.fromArray(F, lanes, 0);
  }

  /** Returns how many elements vectors can copy without reading beyond the end of the array. */
  private static int whole(float[] source, int s, int step, int count) {
    int room = (source.length - s) / step;
    return count >= W && count <= room ? count : Math.min(count, room) / W * W;
  }

  /** Copies every second element by vectors and returns the number of elements copied. */
  private static int everySecond(float[] source, int s, float[] target, int t, int count) {
    int done = whole(source, s, 2, count);
    for (int i = 0; i <= done - W; i += W) {
      second(source, s + 2 * i).intoArray(target, t + i);
    }
    if (done % W != 0) { // overlaps the one before
      second(source, s + 2 * (done - W)).intoArray(target, t + done - W);
    }
    return done;
  }

  private static FloatVector second(float[] source, int s) {
    FloatVector a = FloatVector.fromArray(F, source, s).rearrange(SECOND);
    return a.blend(FloatVector.fromArray(F, source, s + W).rearrange(SECOND), UPPER);
  }

  /** Copies every third element by vectors and returns the number of elements copied. */
  private static int everyThird(float[] source, int s, float[] target, int t, int count) {
    int done = whole(source, s, 3, count);
    for (int i = 0; i <= done - W; i += W) {
      third(source, s + 3 * i).intoArray(target, t + i);
    }
    if (done % W != 0) { // overlaps the one before
      third(source, s + 3 * (done - W)).intoArray(target, t + done - W);
    }
    return done;
  }

  private static FloatVector third(float[] source, int s) {
    FloatVector a = FloatVector.fromArray(F, source, s).rearrange(THIRD);
    FloatVector b = FloatVector.fromArray(F, source, s + W).rearrange(THIRD);
    FloatVector c = FloatVector.fromArray(F, source, s + 2 * W).rearrange(THIRD);
    return a.blend(b, MIDDLE).blend(c, LAST);
  }

  // Every second, third … element, several of a cache line; four at a time, for the compiler does
  // not unroll a loop whose step it does not know.
  private static void every(float[] source, int s, int step, float[] target, int t, int count) {
    int i = 0;
    int from = s;
    for (; i <= count - 4; i += 4, from += 4 * step) {
      target[t + i] = source[from];
      target[t + i + 1] = source[from + step];
      target[t + i + 2] = source[from + 2 * step];
      target[t + i + 3] = source[from + 3 * step];
    }
    for (; i < count; i++, from += step) {
      target[t + i] = source[from];
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
