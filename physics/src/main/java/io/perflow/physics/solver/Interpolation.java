package io.perflow.physics.solver;

/**
 * An interpolation from every second point of a grid, with weights from the operator itself (J. E.
 * Dendy, Black box multigrid, 1982), and the coarse operator P' A P that belongs to it. E. Dendy,
 * Black box multigrid, 1982), and the coarse operator P' A P that belongs to it.
 *
 * <p>Fine point (i, j), counted from 1, has the coarse point (i / 2, j / 2) where both are even. An
 * odd index lies between two coarse ones; one beyond the edge has weight zero. Weights of a point
 * between two coarse ones solve the operator's equation there with the couplings across summed;
 * those of a point between four solve it as it is. They therefore follow jumps of the coefficient,
 * and sizes need not be powers of two.
 */
final class Interpolation {
  private final Stencil fine;
  private final int coarseStride;
  // weights of the coarse points (i / 2 + a, j / 2 + b), for (a, b) = (0, 0), (0, 1), (1, 0), (1,
  // 1)
  private final double[][] weights = new double[4][];

  Interpolation(Stencil fine) {
    this.fine = fine;
    coarseStride = fine.cols / 2 + 2;
    for (int corner = 0; corner < 4; corner++) {
      weights[corner] = fine.grid();
    }
    for (int i = 1; i <= fine.rows; i++) {
      for (int j = 1; j <= fine.cols; j++) {
        int p = fine.at(i, j);
        if (i % 2 == 0 && j % 2 == 0) {
          weights[0][p] = 1;
        } else if (i % 2 == 0) {
          alongRow(p);
        } else if (j % 2 == 0) {
          alongColumn(p);
        }
      }
    }
    for (int i = 1; i <= fine.rows; i += 2) {
      for (int j = 1; j <= fine.cols; j += 2) {
        amongFour(fine.at(i, j));
      }
    }
  }

  private void alongRow(int p) {
    int s = fine.stride;
    double west = fine.east[p - 1] + fine.southEast[p - s - 1] + fine.southWest[p];
    double east = fine.east[p] + fine.southEast[p] + fine.southWest[p - s + 1];
    double centre = fine.centre[p] + fine.south[p] + fine.south[p - s];
    weights[0][p] = -west / centre;
    weights[1][p] = -east / centre;
  }

  private void alongColumn(int p) {
    int s = fine.stride;
    double north = fine.south[p - s] + fine.southEast[p - s - 1] + fine.southWest[p - s + 1];
    double south = fine.south[p] + fine.southEast[p] + fine.southWest[p];
    double centre = fine.centre[p] + fine.east[p] + fine.east[p - 1];
    weights[0][p] = -north / centre;
    weights[2][p] = -south / centre;
  }

  /** Computes weights from those of the four points beside it. */
  private void amongFour(int p) {
    int s = fine.stride;
    double north = fine.south[p - s];
    double south = fine.south[p];
    double west = fine.east[p - 1];
    double east = fine.east[p];
    double[] first = weights[0];
    double[] next = weights[1];
    double[] below = weights[2];
    double scale = -1 / fine.centre[p];
    weights[0][p] =
        scale * (fine.southEast[p - s - 1] + north * first[p - s] + west * first[p - 1]);
    weights[1][p] = scale * (fine.southWest[p - s + 1] + north * next[p - s] + east * first[p + 1]);
    weights[2][p] = scale * (fine.southWest[p] + south * first[p + s] + west * below[p - 1]);
    weights[3][p] = scale * (fine.southEast[p] + south * next[p + s] + east * below[p + 1]);
  }

  private int parent(int i, int j) {
    return i / 2 * coarseStride + j / 2;
  }

  private int offset(int corner) {
    return corner / 2 * coarseStride + corner % 2;
  }

  /** Sets coarse = P' fine. */
  void restrict(double[] x, double[] coarse) {
    java.util.Arrays.fill(coarse, 0);
    for (int corner = 0; corner < 4; corner++) {
      double[] w = weights[corner];
      // corners 2 and 3 exist for odd rows only, 1 and 3 for odd columns only
      for (int i = 1; i <= fine.rows; i += corner / 2 + 1) {
        for (int j = 1; j <= fine.cols; j += corner % 2 + 1) {
          int p = fine.at(i, j);
          coarse[parent(i, j) + offset(corner)] += w[p] * x[p];
        }
      }
    }
  }

  /** Adds P coarse to fine. */
  void prolong(double[] coarse, double[] x) {
    for (int corner = 0; corner < 4; corner++) {
      double[] w = weights[corner];
      for (int i = 1; i <= fine.rows; i += corner / 2 + 1) {
        for (int j = 1; j <= fine.cols; j += corner % 2 + 1) {
          int p = fine.at(i, j);
          x[p] += w[p] * coarse[parent(i, j) + offset(corner)];
        }
      }
    }
  }

  /** Returns the operator P' A P on the coarse grid. */
  Stencil coarse() {
    Stencil coarse = new Stencil(fine.rows / 2, fine.cols / 2);
    int s = fine.stride;
    for (int i = 1; i <= fine.rows; i++) {
      for (int j = 1; j <= fine.cols; j++) {
        int p = fine.at(i, j);
        int parent = parent(i, j);
        add(coarse, fine.centre[p], p, parent, p, parent);
        couple(coarse, fine.east[p], p, parent, p + 1, parent(i, j + 1));
        couple(coarse, fine.south[p], p, parent, p + s, parent(i + 1, j));
        couple(coarse, fine.southEast[p], p, parent, p + s + 1, parent(i + 1, j + 1));
        couple(coarse, fine.southWest[p], p, parent, p + s - 1, parent(i + 1, j - 1));
      }
    }
    return coarse.seal();
  }

  /** Adds the coupling of p to q and of q to p. */
  private void couple(Stencil coarse, double value, int p, int parentP, int q, int parentQ) {
    if (value != 0) {
      add(coarse, value, p, parentP, q, parentQ);
      add(coarse, value, q, parentQ, p, parentP);
    }
  }

  /** Adds value w(p) w(q)' to the couplings of the parents of p to those of q. */
  private void add(Stencil coarse, double value, int p, int parentP, int q, int parentQ) {
    for (int a = 0; a < 4; a++) {
      double left = value * weights[a][p];
      if (left == 0) {
        continue;
      }
      int from = parentP + offset(a);
      for (int b = 0; b < 4; b++) {
        double right = weights[b][q];
        int distance = parentQ + offset(b) - from;
        if (right != 0 && distance >= 0) { // the other half follows by symmetry
          couplings(coarse, distance)[from] += left * right;
        }
      }
    }
  }

  private double[] couplings(Stencil coarse, int distance) {
    if (distance == 0) {
      return coarse.centre;
    }
    if (distance == 1) {
      return coarse.east;
    }
    return distance == coarseStride
        ? coarse.south
        : distance > coarseStride ? coarse.southEast : coarse.southWest;
  }
}
