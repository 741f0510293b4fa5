package io.perflow.physics.solver;

import io.perflow.tensor.Cholesky;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/**
 * The factorization of a five-point {@link Stencil} by the rows of its grid, for many right-hand
 * sides: a row is coupled to its neighbours only, by diagonal matrices, so that elimination row by
 * row consists of products with matrices of the size of a row. For one right-hand side {@link
 * Multigrid} is faster.
 */
final class BlockTridiagonal {
  private final Tensor[] inverses; // of what is left of each row when those above are eliminated
  private final Tensor[] couplings; // of each row to the next, [cols, 1]

  BlockTridiagonal(Stencil stencil) {
    int cols = stencil.cols;
    Tensor identity = Tensor.of(identity(cols), cols, cols);
    inverses = new Tensor[stencil.rows];
    couplings = new Tensor[stencil.rows];
    for (int i = 0; i < stencil.rows; i++) {
      try (Scope scope = Scope.open()) {
        Tensor block = Tensor.of(row(stencil, i + 1), cols, cols);
        if (i > 0) {
          Tensor e = couplings[i - 1];
          block = block.sub(e.mul(inverses[i - 1]).mul(e.transpose()));
        }
        inverses[i] = scope.keep(Cholesky.of(block).solve(identity));
        double[] south = new double[cols];
        System.arraycopy(stencil.south, stencil.at(i + 1, 1), south, 0, cols);
        couplings[i] = scope.keep(Tensor.of(south, cols, 1));
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

  // the couplings within one row
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

  /** Solves for right-hand sides [rows, cols, count]. */
  Tensor solve(Tensor right) {
    int rows = inverses.length;
    Tensor[] x = new Tensor[rows];
    try (Scope scope = Scope.open()) {
      for (int i = 0; i < rows; i++) {
        Tensor own = right.select(0, i);
        x[i] = inverses[i].matmul(i == 0 ? own : own.sub(couplings[i - 1].mul(x[i - 1])));
      }
      for (int i = rows - 2; i >= 0; i--) {
        x[i] = x[i].sub(inverses[i].matmul(couplings[i].mul(x[i + 1])));
      }
      return scope.keep(Tensor.concat(0, x).reshape(right.shape().toArray()));
    }
  }
}
