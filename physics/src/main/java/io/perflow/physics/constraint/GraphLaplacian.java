package io.perflow.physics.constraint;

/**
 * The matrix of a network of conductances: -weight between two joined nodes, and on the diagonal
 * the sum of the weights at a node. It is positive definite when every node is joined, over others,
 * to the ground.
 */
final class GraphLaplacian {
  /** The ground, whose potential is 0. */
  static final int GROUND = -1;

  private static final int MOST_EDGES = 4; // the number of a node: those of a cell in a plane

  private final double[] diagonal;
  private final int[][] lower; // neighbours of each node that come before it
  private final double[][] values;
  private final int[] count;

  GraphLaplacian(int nodes) {
    diagonal = new double[nodes];
    lower = new int[nodes][MOST_EDGES];
    values = new double[nodes][MOST_EDGES];
    count = new int[nodes];
  }

  /** Joins two nodes, or a node and the ground. */
  void join(int a, int b, double weight) {
    if (a != GROUND) {
      diagonal[a] += weight;
    }
    if (b != GROUND) {
      diagonal[b] += weight;
    }
    if (a != GROUND && b != GROUND) {
      int later = Math.max(a, b);
      lower[later][count[later]] = Math.min(a, b);
      values[later][count[later]++] = -weight;
    }
  }

  /** Returns the matrix, for a factorisation. */
  SparseCholesky.Upper upper() {
    int size = diagonal.length;
    int[] start = new int[size + 1];
    for (int j = 0; j < size; j++) {
      start[j + 1] = start[j] + count[j] + 1;
    }
    int[] rowOf = new int[start[size]];
    double[] all = new double[start[size]];
    for (int j = 0; j < size; j++) {
      System.arraycopy(lower[j], 0, rowOf, start[j], count[j]);
      System.arraycopy(values[j], 0, all, start[j], count[j]);
      rowOf[start[j + 1] - 1] = j;
      all[start[j + 1] - 1] = diagonal[j];
    }
    return new SparseCholesky.Upper(size, start, rowOf, all);
  }
}
