package io.perflow.physics.prior;

import java.util.ArrayList;
import java.util.List;

/**
 * A factorization C ≈ L Lᵀ of the blocks of a covariance, with a given total number of columns.
 * Each step adds the column of the coefficient, in any block, whose variance is explained worst so
 * far. In a {@link SpectralBasis} the variances of coefficients differ much, and there this comes
 * close to the best factors of that rank without computing eigenvalues (Harbrecht, Peters and
 * Schneider 2012).
 */
final class PivotedCholesky {
  // Below this part of the largest variance a pivot is rounding.
  private static final double NEGLIGIBLE = 1e-12;

  private final List<double[]> covariances;
  private final List<List<double[]>> columns = new ArrayList<>();
  private final List<double[]> left = new ArrayList<>(); // variances not yet explained
  private final int[] worst;

  private PivotedCholesky(List<double[]> covariances) {
    this.covariances = covariances;
    worst = new int[covariances.size()];
    for (int b = 0; b < worst.length; b++) {
      double[] c = covariances.get(b);
      int n = (int) Math.round(Math.sqrt(c.length));
      double[] diagonal = new double[n];
      for (int i = 0; i < n; i++) {
        diagonal[i] = c[i * n + i];
      }
      left.add(diagonal);
      columns.add(new ArrayList<>());
      worst[b] = largest(diagonal);
    }
  }

  /** Factors with at most {@code rank} columns in all. */
  static PivotedCholesky of(List<double[]> covariances, int rank) {
    PivotedCholesky factors = new PivotedCholesky(covariances);
    double scale = factors.variance(factors.next());
    for (int i = 0; i < rank; i++) {
      int block = factors.next();
      if (!(factors.variance(block) > NEGLIGIBLE * scale)) {
        break;
      }
      factors.step(block);
    }
    return factors;
  }

  private int next() {
    int best = 0;
    for (int b = 1; b < worst.length; b++) {
      best = variance(b) > variance(best) ? b : best;
    }
    return best;
  }

  private double variance(int block) {
    return left.get(block)[worst[block]];
  }

  private void step(int block) {
    double[] c = covariances.get(block);
    double[] diagonal = left.get(block);
    int n = diagonal.length;
    int pivot = worst[block];
    double[] column = new double[n];
    System.arraycopy(c, pivot * n, column, 0, n);
    for (double[] earlier : columns.get(block)) {
      double factor = earlier[pivot];
      for (int i = 0; i < n; i++) {
        column[i] -= factor * earlier[i];
      }
    }
    double scale = 1 / Math.sqrt(diagonal[pivot]);
    for (int i = 0; i < n; i++) {
      column[i] *= scale;
      diagonal[i] = Math.max(0, diagonal[i] - column[i] * column[i]);
    }
    diagonal[pivot] = 0;
    columns.get(block).add(column);
    worst[block] = largest(diagonal);
  }

  private static int largest(double[] numbers) {
    int best = 0;
    for (int i = 1; i < numbers.length; i++) {
      best = numbers[i] > numbers[best] ? i : best;
    }
    return best;
  }

  /** Returns the columns of L of a block. */
  List<double[]> columns(int block) {
    return columns.get(block);
  }

  /** Returns the part of each variance of a block that the columns do not explain. */
  double[] left(int block) {
    return left.get(block);
  }
}
