package io.perflow.physics.solver;

import io.perflow.tensor.Cholesky;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/**
 * The factorization of a five-point {@link Stencil} by the rows of its grid, for many right-hand
 * sides: each row is coupled only to its neighbours, by diagonal matrices, so that elimination row
 * by row consists of products with matrices of the size of a row. For one right-hand side {@link
 * Multigrid} is faster.
 */
final class BlockTridiagonal {
  private final Tensor[] inverses; // of the remainder of each row after those above are eliminated
  private final Tensor[] couplings; // of each row to the next, [cols, 1]
  private final Tensor[] behind; // inverses times couplings

  BlockTridiagonal(Stencil stencil) {
    int cols = stencil.cols;
    Tensor identity = Tensor.of(identity(cols), cols, cols);
    inverses = new Tensor[stencil.rows];
    couplings = new Tensor[stencil.rows];
    behind = new Tensor[stencil.rows];
    for (int i = 0; i < stencil.rows; i++) {
      try (Scope scope = Scope.open()) {
        Tensor block = Tensor.of(row(stencil, i + 1), cols, cols);
        if (i > 0) {
          block = block.sub(couplings[i - 1].mul(behind[i - 1]));
        }
        inverses[i] = scope.keep(Cholesky.of(block).solve(identity));
        double[] south = new double[cols];
        System.arraycopy(stencil.south, stencil.at(i + 1, 1), south, 0, cols);
        couplings[i] = scope.keep(Tensor.of(south, cols, 1));
        behind[i] = scope.keep(inverses[i].mul(couplings[i].transpose()));
      }
    }
  }

  private static double[] identity(int n) {
    double[] m = new double[n * n];
    for (int i = 0; i < n; i++) {
      m[i * n + i] = 1;
    }
    return m;
  }

  // The couplings within one row.
  private static double[] row(Stencil s, int i) {
    int n = s.cols;
    double[] block = new double[n * n];
    for (int j = 0; j < n; j++) {
      int p = s.at(i, j + 1);
      block[j * n + j] = s.centre[p];
      if (j + 1 < n) {
        block[j * n + j + 1] = s.east[p];
        block[(j + 1) * n + j] = s.east[p];
      }
    }
    return block;
  }

  /**
   * Solves for several right-hand sides, row by row of the grid: [cols, count]. Early rows may have
   * fewer columns than later ones where the last right-hand sides are zero down to there.
   */
  Tensor[] solve(Tensor... right) {
    int rows = inverses.length;
    int count = right[rows - 1].dim(1);
    Tensor[] x = new Tensor[rows];
    try (Scope scope = Scope.open()) {
      for (int i = 0; i < rows; i++) {
        Tensor left = right[i];
        if (i > 0) {
          left = left.sub(widened(couplings[i - 1].mul(x[i - 1]), left.dim(1)));
        }
        x[i] = inverses[i].matmul(left);
      }
      x[rows - 1] = scope.keep(x[rows - 1]);
      for (int i = rows - 2; i >= 0; i--) {
        x[i] = scope.keep(widened(x[i], count).sub(behind[i].matmul(x[i + 1])));
      }
      return x;
    }
  }

  /** Returns the columns, extended by columns of zeros to this count. */
  static Tensor widened(Tensor columns, int count) {
    int missing = count - columns.dim(1);
    return missing == 0 ? columns : columns.pad(1, 0, missing);
  }
}
