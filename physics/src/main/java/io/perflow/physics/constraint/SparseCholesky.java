package io.perflow.physics.constraint;

import java.util.Arrays;

/**
 * The factorization L Lᵀ = K of a sparse, symmetric, positive definite K, row by row of L (Davis,
 * Direct Methods for Sparse Linear Systems, 2006, section 4.7).
 *
 * <p>Row j of L solves a triangular system; its nonzero places are found by walking up the
 * elimination tree from those of K.
 */
final class SparseCholesky {
  private final int size;
  private final int[] start; // of each column of L, one more at the end
  private final int[] rowOf; // the diagonal comes first
  private final double[] values;

  /**
   * The upper triangle of a symmetric matrix by columns: column j has the entries {@code start[j]}
   * to {@code start[j + 1]}, with rows up to j. Several entries for one place add up.
   */
  record Upper(int size, int[] start, int[] rowOf, double[] values) {}

  /** Factors a matrix; the order of its rows decides how dense the factor is. */
  SparseCholesky(Upper k) {
    size = k.size;
    Pattern pattern = new Pattern(k);
    start = columns(pattern);
    rowOf = new int[start[size]];
    values = new double[start[size]];
    factor(k, pattern);
  }

  private static int[] columns(Pattern pattern) {
    int size = pattern.k.size;
    int[] start = new int[size + 1];
    for (int j = 0; j < size; j++) {
      start[j + 1]++; // the diagonal
      for (int top = pattern.row(j); top < size; top++) {
        start[pattern.stack[top] + 1]++;
      }
    }
    Arrays.parallelPrefix(start, Integer::sum);
    return start;
  }

  private void factor(Upper k, Pattern pattern) {
    int[] end = Arrays.copyOf(start, size); // the number of entries that each column has so far
    double[] x = new double[size]; // row j of K, then of L
    for (int j = 0; j < size; j++) {
      int top = pattern.row(j);
      for (int p = k.start[j]; p < k.start[j + 1]; p++) {
        x[k.rowOf[p]] += k.values[p];
      }
      double diagonal = x[j];
      x[j] = 0;
      for (; top < size; top++) {
        int i = pattern.stack[top];
        double lji = x[i] / values[start[i]];
        x[i] = 0;
        for (int p = start[i] + 1; p < end[i]; p++) {
          x[rowOf[p]] -= values[p] * lji;
        }
        diagonal -= lji * lji;
        rowOf[end[i]] = j;
        values[end[i]++] = lji;
      }
      if (!(diagonal > 0)) {
        throw new IllegalArgumentException(
            "[sparse cholesky] the matrix is not positive definite: pivot %d of %d is %s"
                .formatted(j, size, diagonal));
      }
      rowOf[end[j]] = j;
      values[end[j]++] = Math.sqrt(diagonal);
    }
  }

  /** Replaces r by the solution of K x = r. */
  void solve(double[] r) {
    for (int j = 0; j < size; j++) {
      double x = r[j] / values[start[j]];
      r[j] = x;
      for (int p = start[j] + 1; p < start[j + 1]; p++) {
        r[rowOf[p]] -= values[p] * x;
      }
    }
    for (int j = size - 1; j >= 0; j--) {
      double x = r[j];
      for (int p = start[j] + 1; p < start[j + 1]; p++) {
        x -= values[p] * r[rowOf[p]];
      }
      r[j] = x / values[start[j]];
    }
  }

  /** The places at which L has nonzero entries, row by row. */
  private static final class Pattern {
    private final Upper k;
    private final int[] parent; // in the elimination tree; -1 for a root
    private final int[] visited; // the row that passed last
    private final int[] path;
    private final int[] stack;
    private int calls;

    Pattern(Upper k) {
      this.k = k;
      parent = new int[k.size];
      visited = new int[k.size];
      path = new int[k.size];
      stack = new int[k.size];
      plantTree();
    }

    private void plantTree() {
      int[] ancestor = new int[k.size]; // parents with shortcuts
      for (int j = 0; j < k.size; j++) {
        parent[j] = -1;
        ancestor[j] = -1;
        for (int p = k.start[j]; p < k.start[j + 1]; p++) {
          for (int i = k.rowOf[p]; i != -1 && i < j; ) {
            int next = ancestor[i];
            ancestor[i] = j;
            if (next == -1) {
              parent[i] = j;
            }
            i = next;
          }
        }
      }
    }

    /**
     * Puts the places left of the diagonal of row j at the end of the stack, in an order in which
     * they can be solved for, and returns where they begin.
     */
    int row(int j) {
      int top = k.size;
      int mark = ++calls;
      visited[j] = mark;
      for (int p = k.start[j]; p < k.start[j + 1]; p++) {
        int length = 0;
        for (int i = k.rowOf[p]; visited[i] != mark; i = parent[i]) {
          path[length++] = i;
          visited[i] = mark;
        }
        while (length > 0) {
          stack[--top] = path[--length];
        }
      }
      return top;
    }
  }
}
