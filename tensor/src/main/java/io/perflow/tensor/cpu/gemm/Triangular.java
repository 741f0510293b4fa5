package io.perflow.tensor.cpu.gemm;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.loop.Ranges;
import io.perflow.tensor.cpu.memory.Fresh;
import io.perflow.tensor.cpu.memory.ScalarCopy;
import java.util.Arrays;

/**
 * Cholesky factorization and triangular systems in double precision.
 *
 * <p>Each routine halves its matrix until a block has {@link #LEAF} rows, and the off-diagonal
 * blocks are matrix products. Nearly all of the work is then done by products of large matrices; a
 * single right-hand side goes to {@link TriangularColumn}. The cut depends on the sizes alone, so
 * the result has the same bits for any number of threads.
 */
public final class Triangular {
  /** Rows of a block that plain loops work on. */
  private static final int LEAF = 16;

  private Triangular() {}

  /** Whether these routines can read a tensor: one in the memory of the CPU. */
  public static boolean reads(Tensor x) {
    return x.device().backend().gemm() instanceof ScalarGemm;
  }

  /**
   * The lower triangular L with L L' = a.
   *
   * @param a (n, n), F64, of which the lower triangle is read
   * @throws IllegalArgumentException when a is not positive definite
   */
  public static Tensor cholesky(Tensor a) {
    Tensor factor = Fresh.like(a, a.shape());
    DoubleMatrix from = DoubleMatrix.of(a);
    DoubleMatrix l = DoubleMatrix.of(factor);
    int n = l.rows();
    Ranges.run(
        n,
        n,
        (first, end) -> {
          for (int r = first; r < end; r++) {
            for (int c = 0; c <= r; c++) {
              l.data()[l.at(r, c)] = from.data()[from.at(r, c)];
            }
          }
        });
    factorize(products(a), l, 0);
    for (int r = 0; r < n; r++) { // the products also wrote above the diagonal
      Arrays.fill(l.data(), l.at(r, r) + 1, l.at(r, 0) + n, 0);
    }
    return factor;
  }

  /** L⁻¹ b for a lower triangular L (n, n) and b (n, m), both F64. */
  public static Tensor lower(Tensor l, Tensor b) {
    Tensor x = copy(b);
    DoubleMatrix factor = DoubleMatrix.of(l);
    DoubleMatrix columns = DoubleMatrix.of(x);
    if (products(l) instanceof SimdGemm && TriangularColumn.suits(factor, columns)) {
      TriangularColumn.lower(factor, columns);
    } else {
      solve(products(l), factor, columns);
    }
    return x;
  }

  /** L'⁻¹ b for a lower triangular L (n, n) and b (n, m), both F64. */
  public static Tensor upper(Tensor l, Tensor b) {
    Tensor x = copy(b);
    DoubleMatrix factor = DoubleMatrix.of(l);
    DoubleMatrix columns = DoubleMatrix.of(x);
    if (products(l) instanceof SimdGemm && TriangularColumn.suits(factor, columns)) {
      TriangularColumn.upper(factor, columns);
    } else {
      // Counted from the last row and column, L' is lower triangular.
      solve(products(l), factor.flipped().transposed().flipped(), columns.flipped());
    }
    return x;
  }

  private static ScalarGemm products(Tensor x) {
    return (ScalarGemm) x.device().backend().gemm();
  }

  private static Tensor copy(Tensor x) {
    return ScalarCopy.of(x, Layout.contiguous(x.shape()));
  }

  /** Replaces the lower triangle of a by its factor; {@code first} is the number of its row 0. */
  private static void factorize(ScalarGemm products, DoubleMatrix a, int first) {
    int n = a.rows();
    if (n <= LEAF) {
      factorizeLeaf(a, first);
      return;
    }
    int half = half(n);
    int rest = n - half;
    DoubleMatrix top = a.block(0, half, 0, half);
    DoubleMatrix left = a.block(half, rest, 0, half);
    DoubleMatrix corner = a.block(half, rest, half, rest);
    factorize(products, top, first);
    solve(products, top, left.transposed()); // left = left L'⁻¹
    subtractSquare(products, left, corner);
    factorize(products, corner, first + half);
  }

  private static void factorizeLeaf(DoubleMatrix a, int first) {
    double[] l = a.data();
    for (int r = 0; r < a.rows(); r++) {
      for (int c = 0; c <= r; c++) {
        double sum = l[a.at(r, c)];
        for (int k = 0; k < c; k++) {
          sum -= l[a.at(r, k)] * l[a.at(c, k)];
        }
        if (c < r) {
          l[a.at(r, c)] = sum / l[a.at(c, c)];
        } else if (sum > 0 && sum < Double.POSITIVE_INFINITY) {
          l[a.at(r, r)] = Math.sqrt(sum);
        } else {
          throw new IllegalArgumentException(
              ("[cholesky] the matrix is not positive definite: pivot %d is %s;"
                      + " a small multiple of the identity added to it may help")
                  .formatted(first + r, sum));
        }
      }
    }
  }

  /** The lower triangle of c -= x x'. */
  private static void subtractSquare(ScalarGemm products, DoubleMatrix x, DoubleMatrix c) {
    int n = c.rows();
    if (n <= 8 * LEAF) { // half of the product is waste, but a small part of the whole
      products.addProduct(-1, x, x.transposed(), c);
      return;
    }
    int half = half(n);
    int rest = n - half;
    DoubleMatrix upper = x.block(0, half, 0, x.cols());
    DoubleMatrix lower = x.block(half, rest, 0, x.cols());
    subtractSquare(products, upper, c.block(0, half, 0, half));
    products.addProduct(-1, lower, upper.transposed(), c.block(half, rest, 0, half));
    subtractSquare(products, lower, c.block(half, rest, half, rest));
  }

  /** Replaces b by L⁻¹ b; l is read in its lower triangle only. */
  private static void solve(ScalarGemm products, DoubleMatrix l, DoubleMatrix b) {
    int n = l.rows();
    if (n <= LEAF) {
      // Each column of b is a system of its own.
      Ranges.run(b.cols(), n * n, (first, end) -> solveLeaf(l, b.block(0, n, first, end - first)));
      return;
    }
    int half = half(n);
    int rest = n - half;
    DoubleMatrix known = b.block(0, half, 0, b.cols());
    DoubleMatrix unknown = b.block(half, rest, 0, b.cols());
    solve(products, l.block(0, half, 0, half), known);
    products.addProduct(-1, l.block(half, rest, 0, half), known, unknown);
    solve(products, l.block(half, rest, half, rest), unknown);
  }

  private static void solveLeaf(DoubleMatrix l, DoubleMatrix b) {
    double[] x = b.data();
    if (b.colStride() != 1) { // columns contiguous
      for (int j = 0; j < b.cols(); j++) {
        for (int r = 0; r < b.rows(); r++) {
          double sum = x[b.at(r, j)];
          for (int k = 0; k < r; k++) {
            sum -= l.data()[l.at(r, k)] * x[b.at(k, j)];
          }
          x[b.at(r, j)] = sum / l.data()[l.at(r, r)];
        }
      }
      return;
    }
    for (int r = 0; r < b.rows(); r++) {
      for (int k = 0; k < r; k++) {
        ScalarGemm.addScaled(-l.data()[l.at(r, k)], x, b.at(k, 0), x, b.at(r, 0), b.cols());
      }
      for (int j = b.at(r, 0), end = j + b.cols(); j < end; j++) {
        x[j] /= l.data()[l.at(r, r)];
      }
    }
  }

  /** About half of n, in whole leaves. */
  private static int half(int n) {
    return (n / 2 + LEAF - 1) / LEAF * LEAF;
  }
}
