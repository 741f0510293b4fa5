package io.perflow.tensor.cpu.gemm;

import static io.perflow.tensor.cpu.vector.Simd.D;
import static io.perflow.tensor.cpu.vector.Simd.VD;
import static io.perflow.tensor.cpu.vector.Simd.WD;

import jdk.incubator.vector.DoubleVector;

/**
 * The innermost loops of F64 matrix products: the blocks of {@link MicroKernel} with vectors of
 * doubles. What is said there of registers, of the order of sums and of calls holds here too.
 */
final class DoubleMicroKernel {
  /** Columns of a block. */
  static final int NR = 2 * WD;

  private DoubleMicroKernel() {}

  /** {@code columns} rounded up to whole blocks. */
  static int paddedColumns(int columns) {
    return (columns + NR - 1) / NR * NR;
  }

  /**
   * C[r][j] = sum_k A[r][k] B[k][j] for j &lt; NR, with the rows of A contiguous.
   *
   * @param rows a value of {@link MicroKernel#paddedRows}
   * @param a A[r][k] at {@code a[ao + r * ar + k]}
   * @param b B[k][j] at {@code b[bo + k * NR + j]}: a packed panel
   * @param c at {@code c[co + r * cr + j]}
   */
  static void rows(
      int rows,
      double[] a,
      int ao,
      int ar,
      int depth,
      double[] b,
      int bo,
      double[] c,
      int co,
      int cr) {
    int eight = MicroKernel.eights(rows);
    if (eight > 0) {
      rows8(eight, a, ao, ar, depth, b, bo, c, co, cr);
    }
    int five = 5 * MicroKernel.fives(rows - eight);
    int six = rows - five; // where the blocks of six end
    if (six > eight) {
      rows6(six - eight, a, ao + eight * ar, ar, depth, b, bo, c, co + eight * cr, cr);
    }
    if (five > 0) {
      rows5(five, a, ao + six * ar, ar, depth, b, bo, c, co + six * cr, cr);
    }
  }

  private static void rows5(
      int rows,
      double[] a,
      int ao,
      int ar,
      int depth,
      double[] b,
      int bo,
      double[] c,
      int co,
      int cr) {
    for (int r = 0; r + 5 <= rows; r += 5) {
      DoubleVector c00 = DoubleVector.zero(D);
      DoubleVector c01 = DoubleVector.zero(D);
      DoubleVector c10 = DoubleVector.zero(D);
      DoubleVector c11 = DoubleVector.zero(D);
      DoubleVector c20 = DoubleVector.zero(D);
      DoubleVector c21 = DoubleVector.zero(D);
      DoubleVector c30 = DoubleVector.zero(D);
      DoubleVector c31 = DoubleVector.zero(D);
      DoubleVector c40 = DoubleVector.zero(D);
      DoubleVector c41 = DoubleVector.zero(D);
      int a0 = ao + r * ar;
      int a1 = a0 + ar;
      int a2 = a1 + ar;
      int a3 = a2 + ar;
      int a4 = a3 + ar;
      for (int k = 0; k < depth; k++) {
        DoubleVector b0 = DoubleVector.fromArray(D, b, bo + k * NR);
        DoubleVector b1 = DoubleVector.fromArray(D, b, bo + k * NR + WD);
        DoubleVector x = VD.cast(DoubleVector.broadcast(D, a[a0 + k]));
        c00 = x.fma(b0, c00);
        c01 = x.fma(b1, c01);
        x = VD.cast(DoubleVector.broadcast(D, a[a1 + k]));
        c10 = x.fma(b0, c10);
        c11 = x.fma(b1, c11);
        x = VD.cast(DoubleVector.broadcast(D, a[a2 + k]));
        c20 = x.fma(b0, c20);
        c21 = x.fma(b1, c21);
        x = VD.cast(DoubleVector.broadcast(D, a[a3 + k]));
        c30 = x.fma(b0, c30);
        c31 = x.fma(b1, c31);
        x = VD.cast(DoubleVector.broadcast(D, a[a4 + k]));
        c40 = x.fma(b0, c40);
        c41 = x.fma(b1, c41);
      }
      int j = co + r * cr;
      VD.cast(c00).intoArray(c, j);
      VD.cast(c01).intoArray(c, j + WD);
      VD.cast(c10).intoArray(c, j + cr);
      VD.cast(c11).intoArray(c, j + cr + WD);
      VD.cast(c20).intoArray(c, j + 2 * cr);
      VD.cast(c21).intoArray(c, j + 2 * cr + WD);
      VD.cast(c30).intoArray(c, j + 3 * cr);
      VD.cast(c31).intoArray(c, j + 3 * cr + WD);
      VD.cast(c40).intoArray(c, j + 4 * cr);
      VD.cast(c41).intoArray(c, j + 4 * cr + WD);
    }
  }

  private static void rows6(
      int rows,
      double[] a,
      int ao,
      int ar,
      int depth,
      double[] b,
      int bo,
      double[] c,
      int co,
      int cr) {
    for (int r = 0; r + 6 <= rows; r += 6) {
      DoubleVector c00 = DoubleVector.zero(D);
      DoubleVector c01 = DoubleVector.zero(D);
      DoubleVector c10 = DoubleVector.zero(D);
      DoubleVector c11 = DoubleVector.zero(D);
      DoubleVector c20 = DoubleVector.zero(D);
      DoubleVector c21 = DoubleVector.zero(D);
      DoubleVector c30 = DoubleVector.zero(D);
      DoubleVector c31 = DoubleVector.zero(D);
      DoubleVector c40 = DoubleVector.zero(D);
      DoubleVector c41 = DoubleVector.zero(D);
      DoubleVector c50 = DoubleVector.zero(D);
      DoubleVector c51 = DoubleVector.zero(D);
      int a0 = ao + r * ar;
      int a1 = a0 + ar;
      int a2 = a1 + ar;
      int a3 = a2 + ar;
      int a4 = a3 + ar;
      int a5 = a4 + ar;
      for (int k = 0; k < depth; k++) {
        DoubleVector b0 = DoubleVector.fromArray(D, b, bo + k * NR);
        DoubleVector b1 = DoubleVector.fromArray(D, b, bo + k * NR + WD);
        DoubleVector x = VD.cast(DoubleVector.broadcast(D, a[a0 + k]));
        c00 = x.fma(b0, c00);
        c01 = x.fma(b1, c01);
        x = VD.cast(DoubleVector.broadcast(D, a[a1 + k]));
        c10 = x.fma(b0, c10);
        c11 = x.fma(b1, c11);
        x = VD.cast(DoubleVector.broadcast(D, a[a2 + k]));
        c20 = x.fma(b0, c20);
        c21 = x.fma(b1, c21);
        x = VD.cast(DoubleVector.broadcast(D, a[a3 + k]));
        c30 = x.fma(b0, c30);
        c31 = x.fma(b1, c31);
        x = VD.cast(DoubleVector.broadcast(D, a[a4 + k]));
        c40 = x.fma(b0, c40);
        c41 = x.fma(b1, c41);
        x = VD.cast(DoubleVector.broadcast(D, a[a5 + k]));
        c50 = x.fma(b0, c50);
        c51 = x.fma(b1, c51);
      }
      int j = co + r * cr;
      VD.cast(c00).intoArray(c, j);
      VD.cast(c01).intoArray(c, j + WD);
      VD.cast(c10).intoArray(c, j + cr);
      VD.cast(c11).intoArray(c, j + cr + WD);
      VD.cast(c20).intoArray(c, j + 2 * cr);
      VD.cast(c21).intoArray(c, j + 2 * cr + WD);
      VD.cast(c30).intoArray(c, j + 3 * cr);
      VD.cast(c31).intoArray(c, j + 3 * cr + WD);
      VD.cast(c40).intoArray(c, j + 4 * cr);
      VD.cast(c41).intoArray(c, j + 4 * cr + WD);
      VD.cast(c50).intoArray(c, j + 5 * cr);
      VD.cast(c51).intoArray(c, j + 5 * cr + WD);
    }
  }

  private static void rows8(
      int rows,
      double[] a,
      int ao,
      int ar,
      int depth,
      double[] b,
      int bo,
      double[] c,
      int co,
      int cr) {
    for (int r = 0; r + 8 <= rows; r += 8) {
      DoubleVector c00 = DoubleVector.zero(D);
      DoubleVector c01 = DoubleVector.zero(D);
      DoubleVector c10 = DoubleVector.zero(D);
      DoubleVector c11 = DoubleVector.zero(D);
      DoubleVector c20 = DoubleVector.zero(D);
      DoubleVector c21 = DoubleVector.zero(D);
      DoubleVector c30 = DoubleVector.zero(D);
      DoubleVector c31 = DoubleVector.zero(D);
      DoubleVector c40 = DoubleVector.zero(D);
      DoubleVector c41 = DoubleVector.zero(D);
      DoubleVector c50 = DoubleVector.zero(D);
      DoubleVector c51 = DoubleVector.zero(D);
      DoubleVector c60 = DoubleVector.zero(D);
      DoubleVector c61 = DoubleVector.zero(D);
      DoubleVector c70 = DoubleVector.zero(D);
      DoubleVector c71 = DoubleVector.zero(D);
      int a0 = ao + r * ar;
      int a1 = a0 + ar;
      int a2 = a1 + ar;
      int a3 = a2 + ar;
      int a4 = a3 + ar;
      int a5 = a4 + ar;
      int a6 = a5 + ar;
      int a7 = a6 + ar;
      for (int k = 0; k < depth; k++) {
        DoubleVector b0 = DoubleVector.fromArray(D, b, bo + k * NR);
        DoubleVector b1 = DoubleVector.fromArray(D, b, bo + k * NR + WD);
        DoubleVector x = VD.cast(DoubleVector.broadcast(D, a[a0 + k]));
        c00 = x.fma(b0, c00);
        c01 = x.fma(b1, c01);
        x = VD.cast(DoubleVector.broadcast(D, a[a1 + k]));
        c10 = x.fma(b0, c10);
        c11 = x.fma(b1, c11);
        x = VD.cast(DoubleVector.broadcast(D, a[a2 + k]));
        c20 = x.fma(b0, c20);
        c21 = x.fma(b1, c21);
        x = VD.cast(DoubleVector.broadcast(D, a[a3 + k]));
        c30 = x.fma(b0, c30);
        c31 = x.fma(b1, c31);
        x = VD.cast(DoubleVector.broadcast(D, a[a4 + k]));
        c40 = x.fma(b0, c40);
        c41 = x.fma(b1, c41);
        x = VD.cast(DoubleVector.broadcast(D, a[a5 + k]));
        c50 = x.fma(b0, c50);
        c51 = x.fma(b1, c51);
        x = VD.cast(DoubleVector.broadcast(D, a[a6 + k]));
        c60 = x.fma(b0, c60);
        c61 = x.fma(b1, c61);
        x = VD.cast(DoubleVector.broadcast(D, a[a7 + k]));
        c70 = x.fma(b0, c70);
        c71 = x.fma(b1, c71);
      }
      int j = co + r * cr;
      VD.cast(c00).intoArray(c, j);
      VD.cast(c01).intoArray(c, j + WD);
      VD.cast(c10).intoArray(c, j + cr);
      VD.cast(c11).intoArray(c, j + cr + WD);
      VD.cast(c20).intoArray(c, j + 2 * cr);
      VD.cast(c21).intoArray(c, j + 2 * cr + WD);
      VD.cast(c30).intoArray(c, j + 3 * cr);
      VD.cast(c31).intoArray(c, j + 3 * cr + WD);
      VD.cast(c40).intoArray(c, j + 4 * cr);
      VD.cast(c41).intoArray(c, j + 4 * cr + WD);
      VD.cast(c50).intoArray(c, j + 5 * cr);
      VD.cast(c51).intoArray(c, j + 5 * cr + WD);
      VD.cast(c60).intoArray(c, j + 6 * cr);
      VD.cast(c61).intoArray(c, j + 6 * cr + WD);
      VD.cast(c70).intoArray(c, j + 7 * cr);
      VD.cast(c71).intoArray(c, j + 7 * cr + WD);
    }
  }

  /**
   * C[r][j] += scale A[r][j] for j &lt; NR.
   *
   * @param a at {@code a[r * NR + j]}
   */
  static void add(int rows, double scale, double[] a, double[] c, int co, int cr) {
    for (int r = 0; r < rows; r++) {
      int j = co + r * cr;
      DoubleVector.fromArray(D, a, r * NR)
          .mul(scale)
          .add(DoubleVector.fromArray(D, c, j))
          .intoArray(c, j);
      DoubleVector.fromArray(D, a, r * NR + WD)
          .mul(scale)
          .add(DoubleVector.fromArray(D, c, j + WD))
          .intoArray(c, j + WD);
    }
  }
}
