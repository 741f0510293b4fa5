package io.perflow.tensor.cpu.gemm;

import static io.perflow.tensor.cpu.vector.Simd.F;
import static io.perflow.tensor.cpu.vector.Simd.V;
import static io.perflow.tensor.cpu.vector.Simd.W;

import io.perflow.tensor.cpu.vector.Simd;
import jdk.incubator.vector.FloatVector;

/**
 * The innermost loops of every matrix product and convolution: small blocks of C = init + A B held
 * in vector registers.
 *
 * <p>A block is 5, 6 or 8 rows by {@link #NR} columns, two vectors wide. Each step along the depth
 * k loads two vectors of B and multiplies them by one broadcast element of A per row: ten
 * multiply-adds for seven loads, and ten independent sums hide the latency of the multiply-add.
 * Four rows are too few for that; seven do not fit the 16 registers of AVX2. AVX-512 has 32, and
 * blocks of eight rows there: of a network applied to one image, weights come from a far cache, and
 * the first block of rows has to wait for them. A sample of {@code perflow reproduce time} takes 6
 * % less.
 *
 * <p>Every element of C is one chain of multiply-adds in the order of k, whatever block it falls
 * into, so results do not depend on how rows are cut into blocks. The blocks are written out
 * because only local variables stay in registers.
 *
 * <p>No call here is bound by what was seen of its receiver at run time ({@link Simd#V}), nor left
 * to a method of ours that the compiler might not inline: either has cost the registers. The sums
 * were then objects, and a training ran three to eight times as slowly, in one start of eight.
 */
public final class MicroKernel {
  /** Columns of a block. */
  public static final int NR = 2 * W;

  /** Width of a tall panel: whole vectors as well as whole blocks of five rows, and of eight. */
  public static final int TALL = 5 * W;

  // with 512 bits there are 32 registers
  private static final boolean EIGHT = W == 16;

  /** Rows of the blocks of {@link #panels}. */
  public static final int TALL_BLOCK = EIGHT ? 8 : 5;

  /** Rows of the largest block of {@link #rows}: a multiple of it needs no other. */
  public static final int ROWS = EIGHT ? 8 : 6;

  private MicroKernel() {}

  /**
   * The number of rows that {@link #rows} computes when asked for {@code count}: the smallest sum
   * of blocks that is no less. It is {@code count} itself from 20 on.
   */
  public static int paddedRows(int count) {
    int rows = count;
    while (eights(rows) < 0) {
      rows++;
    }
    return rows;
  }

  /** Blocks of five among {@code rows} when all others have six. */
  static int fives(int rows) {
    return Math.floorMod(-rows, 6);
  }

  /**
   * How many of {@code rows} go in blocks of eight, the others being a sum of fives and sixes;
   * negative when {@code rows} is no such sum.
   */
  static int eights(int rows) {
    int rest = EIGHT ? rows % 8 : rows;
    while (5 * fives(rest) > rest && rest < rows) {
      rest += 8;
    }
    return 5 * fives(rest) > rest ? -1 : rows - rest;
  }

  /** {@code columns} rounded up to whole blocks. */
  public static int paddedColumns(int columns) {
    return (columns + NR - 1) / NR * NR;
  }

  /**
   * C[r][j] = start[j] + sum_k A[r][k] B[k][j] for j &lt; NR, with the rows of A contiguous.
   *
   * @param rows a value of {@link #paddedRows}
   * @param a A[r][k] at {@code a[ao + r * ar + k]}
   * @param b B[k][j] at {@code b[bo + k * NR + j]}: a packed panel
   * @param start at {@code start[so + j]}: zeros or a bias
   * @param c at {@code c[co + r * cr + j]}
   */
  public static void rows(
      int rows,
      float[] a,
      int ao,
      int ar,
      int depth,
      float[] b,
      int bo,
      float[] start,
      int so,
      float[] c,
      int co,
      int cr) {
    int eight = eights(rows);
    if (eight > 0) {
      rows8(eight, a, ao, ar, depth, b, bo, start, so, c, co, cr);
    }
    int five = 5 * fives(rows - eight);
    int six = rows - five; // where the blocks of six end
    if (six > eight) {
      rows6(six - eight, a, ao + eight * ar, ar, depth, b, bo, start, so, c, co + eight * cr, cr);
    }
    if (five > 0) {
      rows5(five, a, ao + six * ar, ar, depth, b, bo, start, so, c, co + six * cr, cr);
    }
  }

  private static void rows5(
      int rows,
      float[] a,
      int ao,
      int ar,
      int depth,
      float[] b,
      int bo,
      float[] start,
      int so,
      float[] c,
      int co,
      int cr) {
    for (int r = 0; r + 5 <= rows; r += 5) {
      FloatVector c00 = FloatVector.fromArray(F, start, so);
      FloatVector c01 = FloatVector.fromArray(F, start, so + W);
      FloatVector c10 = FloatVector.fromArray(F, start, so);
      FloatVector c11 = FloatVector.fromArray(F, start, so + W);
      FloatVector c20 = FloatVector.fromArray(F, start, so);
      FloatVector c21 = FloatVector.fromArray(F, start, so + W);
      FloatVector c30 = FloatVector.fromArray(F, start, so);
      FloatVector c31 = FloatVector.fromArray(F, start, so + W);
      FloatVector c40 = FloatVector.fromArray(F, start, so);
      FloatVector c41 = FloatVector.fromArray(F, start, so + W);
      int a0 = ao + r * ar;
      int a1 = a0 + ar;
      int a2 = a1 + ar;
      int a3 = a2 + ar;
      int a4 = a3 + ar;
      for (int k = 0; k < depth; k++) {
        FloatVector b0 = FloatVector.fromArray(F, b, bo + k * NR);
        FloatVector b1 = FloatVector.fromArray(F, b, bo + k * NR + W);
        FloatVector x = V.cast(FloatVector.broadcast(F, a[a0 + k]));
        c00 = x.fma(b0, c00);
        c01 = x.fma(b1, c01);
        x = V.cast(FloatVector.broadcast(F, a[a1 + k]));
        c10 = x.fma(b0, c10);
        c11 = x.fma(b1, c11);
        x = V.cast(FloatVector.broadcast(F, a[a2 + k]));
        c20 = x.fma(b0, c20);
        c21 = x.fma(b1, c21);
        x = V.cast(FloatVector.broadcast(F, a[a3 + k]));
        c30 = x.fma(b0, c30);
        c31 = x.fma(b1, c31);
        x = V.cast(FloatVector.broadcast(F, a[a4 + k]));
        c40 = x.fma(b0, c40);
        c41 = x.fma(b1, c41);
      }
      int j = co + r * cr;
      V.cast(c00).intoArray(c, j);
      V.cast(c01).intoArray(c, j + W);
      V.cast(c10).intoArray(c, j + cr);
      V.cast(c11).intoArray(c, j + cr + W);
      V.cast(c20).intoArray(c, j + 2 * cr);
      V.cast(c21).intoArray(c, j + 2 * cr + W);
      V.cast(c30).intoArray(c, j + 3 * cr);
      V.cast(c31).intoArray(c, j + 3 * cr + W);
      V.cast(c40).intoArray(c, j + 4 * cr);
      V.cast(c41).intoArray(c, j + 4 * cr + W);
    }
  }

  private static void rows6(
      int rows,
      float[] a,
      int ao,
      int ar,
      int depth,
      float[] b,
      int bo,
      float[] start,
      int so,
      float[] c,
      int co,
      int cr) {
    for (int r = 0; r + 6 <= rows; r += 6) {
      FloatVector c00 = FloatVector.fromArray(F, start, so);
      FloatVector c01 = FloatVector.fromArray(F, start, so + W);
      FloatVector c10 = FloatVector.fromArray(F, start, so);
      FloatVector c11 = FloatVector.fromArray(F, start, so + W);
      FloatVector c20 = FloatVector.fromArray(F, start, so);
      FloatVector c21 = FloatVector.fromArray(F, start, so + W);
      FloatVector c30 = FloatVector.fromArray(F, start, so);
      FloatVector c31 = FloatVector.fromArray(F, start, so + W);
      FloatVector c40 = FloatVector.fromArray(F, start, so);
      FloatVector c41 = FloatVector.fromArray(F, start, so + W);
      FloatVector c50 = FloatVector.fromArray(F, start, so);
      FloatVector c51 = FloatVector.fromArray(F, start, so + W);
      int a0 = ao + r * ar;
      int a1 = a0 + ar;
      int a2 = a1 + ar;
      int a3 = a2 + ar;
      int a4 = a3 + ar;
      int a5 = a4 + ar;
      for (int k = 0; k < depth; k++) {
        FloatVector b0 = FloatVector.fromArray(F, b, bo + k * NR);
        FloatVector b1 = FloatVector.fromArray(F, b, bo + k * NR + W);
        FloatVector x = V.cast(FloatVector.broadcast(F, a[a0 + k]));
        c00 = x.fma(b0, c00);
        c01 = x.fma(b1, c01);
        x = V.cast(FloatVector.broadcast(F, a[a1 + k]));
        c10 = x.fma(b0, c10);
        c11 = x.fma(b1, c11);
        x = V.cast(FloatVector.broadcast(F, a[a2 + k]));
        c20 = x.fma(b0, c20);
        c21 = x.fma(b1, c21);
        x = V.cast(FloatVector.broadcast(F, a[a3 + k]));
        c30 = x.fma(b0, c30);
        c31 = x.fma(b1, c31);
        x = V.cast(FloatVector.broadcast(F, a[a4 + k]));
        c40 = x.fma(b0, c40);
        c41 = x.fma(b1, c41);
        x = V.cast(FloatVector.broadcast(F, a[a5 + k]));
        c50 = x.fma(b0, c50);
        c51 = x.fma(b1, c51);
      }
      int j = co + r * cr;
      V.cast(c00).intoArray(c, j);
      V.cast(c01).intoArray(c, j + W);
      V.cast(c10).intoArray(c, j + cr);
      V.cast(c11).intoArray(c, j + cr + W);
      V.cast(c20).intoArray(c, j + 2 * cr);
      V.cast(c21).intoArray(c, j + 2 * cr + W);
      V.cast(c30).intoArray(c, j + 3 * cr);
      V.cast(c31).intoArray(c, j + 3 * cr + W);
      V.cast(c40).intoArray(c, j + 4 * cr);
      V.cast(c41).intoArray(c, j + 4 * cr + W);
      V.cast(c50).intoArray(c, j + 5 * cr);
      V.cast(c51).intoArray(c, j + 5 * cr + W);
    }
  }

  private static void rows8(
      int rows,
      float[] a,
      int ao,
      int ar,
      int depth,
      float[] b,
      int bo,
      float[] start,
      int so,
      float[] c,
      int co,
      int cr) {
    for (int r = 0; r + 8 <= rows; r += 8) {
      FloatVector c00 = FloatVector.fromArray(F, start, so);
      FloatVector c01 = FloatVector.fromArray(F, start, so + W);
      FloatVector c10 = FloatVector.fromArray(F, start, so);
      FloatVector c11 = FloatVector.fromArray(F, start, so + W);
      FloatVector c20 = FloatVector.fromArray(F, start, so);
      FloatVector c21 = FloatVector.fromArray(F, start, so + W);
      FloatVector c30 = FloatVector.fromArray(F, start, so);
      FloatVector c31 = FloatVector.fromArray(F, start, so + W);
      FloatVector c40 = FloatVector.fromArray(F, start, so);
      FloatVector c41 = FloatVector.fromArray(F, start, so + W);
      FloatVector c50 = FloatVector.fromArray(F, start, so);
      FloatVector c51 = FloatVector.fromArray(F, start, so + W);
      FloatVector c60 = FloatVector.fromArray(F, start, so);
      FloatVector c61 = FloatVector.fromArray(F, start, so + W);
      FloatVector c70 = FloatVector.fromArray(F, start, so);
      FloatVector c71 = FloatVector.fromArray(F, start, so + W);
      int a0 = ao + r * ar;
      int a1 = a0 + ar;
      int a2 = a1 + ar;
      int a3 = a2 + ar;
      int a4 = a3 + ar;
      int a5 = a4 + ar;
      int a6 = a5 + ar;
      int a7 = a6 + ar;
      for (int k = 0; k < depth; k++) {
        FloatVector b0 = FloatVector.fromArray(F, b, bo + k * NR);
        FloatVector b1 = FloatVector.fromArray(F, b, bo + k * NR + W);
        FloatVector x = V.cast(FloatVector.broadcast(F, a[a0 + k]));
        c00 = x.fma(b0, c00);
        c01 = x.fma(b1, c01);
        x = V.cast(FloatVector.broadcast(F, a[a1 + k]));
        c10 = x.fma(b0, c10);
        c11 = x.fma(b1, c11);
        x = V.cast(FloatVector.broadcast(F, a[a2 + k]));
        c20 = x.fma(b0, c20);
        c21 = x.fma(b1, c21);
        x = V.cast(FloatVector.broadcast(F, a[a3 + k]));
        c30 = x.fma(b0, c30);
        c31 = x.fma(b1, c31);
        x = V.cast(FloatVector.broadcast(F, a[a4 + k]));
        c40 = x.fma(b0, c40);
        c41 = x.fma(b1, c41);
        x = V.cast(FloatVector.broadcast(F, a[a5 + k]));
        c50 = x.fma(b0, c50);
        c51 = x.fma(b1, c51);
        x = V.cast(FloatVector.broadcast(F, a[a6 + k]));
        c60 = x.fma(b0, c60);
        c61 = x.fma(b1, c61);
        x = V.cast(FloatVector.broadcast(F, a[a7 + k]));
        c70 = x.fma(b0, c70);
        c71 = x.fma(b1, c71);
      }
      int j = co + r * cr;
      V.cast(c00).intoArray(c, j);
      V.cast(c01).intoArray(c, j + W);
      V.cast(c10).intoArray(c, j + cr);
      V.cast(c11).intoArray(c, j + cr + W);
      V.cast(c20).intoArray(c, j + 2 * cr);
      V.cast(c21).intoArray(c, j + 2 * cr + W);
      V.cast(c30).intoArray(c, j + 3 * cr);
      V.cast(c31).intoArray(c, j + 3 * cr + W);
      V.cast(c40).intoArray(c, j + 4 * cr);
      V.cast(c41).intoArray(c, j + 4 * cr + W);
      V.cast(c50).intoArray(c, j + 5 * cr);
      V.cast(c51).intoArray(c, j + 5 * cr + W);
      V.cast(c60).intoArray(c, j + 6 * cr);
      V.cast(c61).intoArray(c, j + 6 * cr + W);
      V.cast(c70).intoArray(c, j + 7 * cr);
      V.cast(c71).intoArray(c, j + 7 * cr + W);
    }
  }

  /**
   * C[r][j] += A[r][j] for j &lt; NR. A long product is summed in parts by {@link #rows} and this,
   * which is faster than blocks that load C before they begin: the loads here do not wait for one
   * another.
   *
   * @param a at {@code a[r * NR + j]}
   */
  public static void add(int rows, float[] a, float[] c, int co, int cr) {
    for (int r = 0; r < rows; r++) {
      int j = co + r * cr;
      FloatVector.fromArray(F, c, j).add(FloatVector.fromArray(F, a, r * NR)).intoArray(c, j);
      FloatVector.fromArray(F, c, j + W)
          .add(FloatVector.fromArray(F, a, r * NR + W))
          .intoArray(c, j + W);
    }
  }

  /**
   * C[r][j] += sum_k A[k][r] B[k][j] for j &lt; NR: the product of two packed panels over their
   * long axis, as in the gradient of a weight, where k runs over pixels.
   *
   * @param rows at most {@link #TALL}; rounded up to a multiple of {@link #TALL_BLOCK}, and what
   *     the surplus rows of C receive has no meaning
   * @param a A[k][r] at {@code a[ao + k * TALL + r]}
   * @param b B[k][j] at {@code b[bo + k * NR + j]}
   * @param c at {@code c[co + r * cr + j]}
   */
  public static void panels(
      int rows, int depth, float[] a, int ao, float[] b, int bo, float[] c, int co, int cr) {
    if (EIGHT) {
      panels8(rows, depth, a, ao, b, bo, c, co, cr);
    } else {
      panels5(rows, depth, a, ao, b, bo, c, co, cr);
    }
  }

  private static void panels5(
      int rows, int depth, float[] a, int ao, float[] b, int bo, float[] c, int co, int cr) {
    for (int r = 0; r < rows; r += 5) {
      int j = co + r * cr;
      FloatVector c00 = FloatVector.fromArray(F, c, j);
      FloatVector c01 = FloatVector.fromArray(F, c, j + W);
      j += cr;
      FloatVector c10 = FloatVector.fromArray(F, c, j);
      FloatVector c11 = FloatVector.fromArray(F, c, j + W);
      j += cr;
      FloatVector c20 = FloatVector.fromArray(F, c, j);
      FloatVector c21 = FloatVector.fromArray(F, c, j + W);
      j += cr;
      FloatVector c30 = FloatVector.fromArray(F, c, j);
      FloatVector c31 = FloatVector.fromArray(F, c, j + W);
      j += cr;
      FloatVector c40 = FloatVector.fromArray(F, c, j);
      FloatVector c41 = FloatVector.fromArray(F, c, j + W);
      int p = ao + r;
      for (int k = 0; k < depth; k++) {
        FloatVector b0 = FloatVector.fromArray(F, b, bo + k * NR);
        FloatVector b1 = FloatVector.fromArray(F, b, bo + k * NR + W);
        FloatVector x = V.cast(FloatVector.broadcast(F, a[p + k * TALL]));
        c00 = x.fma(b0, c00);
        c01 = x.fma(b1, c01);
        x = V.cast(FloatVector.broadcast(F, a[p + k * TALL + 1]));
        c10 = x.fma(b0, c10);
        c11 = x.fma(b1, c11);
        x = V.cast(FloatVector.broadcast(F, a[p + k * TALL + 2]));
        c20 = x.fma(b0, c20);
        c21 = x.fma(b1, c21);
        x = V.cast(FloatVector.broadcast(F, a[p + k * TALL + 3]));
        c30 = x.fma(b0, c30);
        c31 = x.fma(b1, c31);
        x = V.cast(FloatVector.broadcast(F, a[p + k * TALL + 4]));
        c40 = x.fma(b0, c40);
        c41 = x.fma(b1, c41);
      }
      j = co + r * cr;
      V.cast(c00).intoArray(c, j);
      V.cast(c01).intoArray(c, j + W);
      j += cr;
      V.cast(c10).intoArray(c, j);
      V.cast(c11).intoArray(c, j + W);
      j += cr;
      V.cast(c20).intoArray(c, j);
      V.cast(c21).intoArray(c, j + W);
      j += cr;
      V.cast(c30).intoArray(c, j);
      V.cast(c31).intoArray(c, j + W);
      j += cr;
      V.cast(c40).intoArray(c, j);
      V.cast(c41).intoArray(c, j + W);
    }
  }

  private static void panels8(
      int rows, int depth, float[] a, int ao, float[] b, int bo, float[] c, int co, int cr) {
    for (int r = 0; r < rows; r += 8) {
      int j = co + r * cr;
      FloatVector c00 = FloatVector.fromArray(F, c, j);
      FloatVector c01 = FloatVector.fromArray(F, c, j + W);
      j += cr;
      FloatVector c10 = FloatVector.fromArray(F, c, j);
      FloatVector c11 = FloatVector.fromArray(F, c, j + W);
      j += cr;
      FloatVector c20 = FloatVector.fromArray(F, c, j);
      FloatVector c21 = FloatVector.fromArray(F, c, j + W);
      j += cr;
      FloatVector c30 = FloatVector.fromArray(F, c, j);
      FloatVector c31 = FloatVector.fromArray(F, c, j + W);
      j += cr;
      FloatVector c40 = FloatVector.fromArray(F, c, j);
      FloatVector c41 = FloatVector.fromArray(F, c, j + W);
      j += cr;
      FloatVector c50 = FloatVector.fromArray(F, c, j);
      FloatVector c51 = FloatVector.fromArray(F, c, j + W);
      j += cr;
      FloatVector c60 = FloatVector.fromArray(F, c, j);
      FloatVector c61 = FloatVector.fromArray(F, c, j + W);
      j += cr;
      FloatVector c70 = FloatVector.fromArray(F, c, j);
      FloatVector c71 = FloatVector.fromArray(F, c, j + W);
      int p = ao + r;
      for (int k = 0; k < depth; k++) {
        FloatVector b0 = FloatVector.fromArray(F, b, bo + k * NR);
        FloatVector b1 = FloatVector.fromArray(F, b, bo + k * NR + W);
        FloatVector x = V.cast(FloatVector.broadcast(F, a[p + k * TALL]));
        c00 = x.fma(b0, c00);
        c01 = x.fma(b1, c01);
        x = V.cast(FloatVector.broadcast(F, a[p + k * TALL + 1]));
        c10 = x.fma(b0, c10);
        c11 = x.fma(b1, c11);
        x = V.cast(FloatVector.broadcast(F, a[p + k * TALL + 2]));
        c20 = x.fma(b0, c20);
        c21 = x.fma(b1, c21);
        x = V.cast(FloatVector.broadcast(F, a[p + k * TALL + 3]));
        c30 = x.fma(b0, c30);
        c31 = x.fma(b1, c31);
        x = V.cast(FloatVector.broadcast(F, a[p + k * TALL + 4]));
        c40 = x.fma(b0, c40);
        c41 = x.fma(b1, c41);
        x = V.cast(FloatVector.broadcast(F, a[p + k * TALL + 5]));
        c50 = x.fma(b0, c50);
        c51 = x.fma(b1, c51);
        x = V.cast(FloatVector.broadcast(F, a[p + k * TALL + 6]));
        c60 = x.fma(b0, c60);
        c61 = x.fma(b1, c61);
        x = V.cast(FloatVector.broadcast(F, a[p + k * TALL + 7]));
        c70 = x.fma(b0, c70);
        c71 = x.fma(b1, c71);
      }
      j = co + r * cr;
      V.cast(c00).intoArray(c, j);
      V.cast(c01).intoArray(c, j + W);
      j += cr;
      V.cast(c10).intoArray(c, j);
      V.cast(c11).intoArray(c, j + W);
      j += cr;
      V.cast(c20).intoArray(c, j);
      V.cast(c21).intoArray(c, j + W);
      j += cr;
      V.cast(c30).intoArray(c, j);
      V.cast(c31).intoArray(c, j + W);
      j += cr;
      V.cast(c40).intoArray(c, j);
      V.cast(c41).intoArray(c, j + W);
      j += cr;
      V.cast(c50).intoArray(c, j);
      V.cast(c51).intoArray(c, j + W);
      j += cr;
      V.cast(c60).intoArray(c, j);
      V.cast(c61).intoArray(c, j + W);
      j += cr;
      V.cast(c70).intoArray(c, j);
      V.cast(c71).intoArray(c, j + W);
    }
  }
}
