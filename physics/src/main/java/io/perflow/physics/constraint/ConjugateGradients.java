package io.perflow.physics.constraint;

import java.util.Arrays;
import java.util.function.UnaryOperator;

/**
 * A solver by preconditioned conjugate gradients for K λ = r with a symmetric, positive
 * semidefinite K, for several samples at once: K does not couple them, and each has its own step
 * lengths.
 *
 * <p>Redundant rows do no harm, since the iterates leave the span of K only by round-off, which
 * {@link #below} detects. The iteration ends when the misfit of every sample has fallen to a given
 * fraction, or when none has improved for a while, and returns the best iterates.
 */
final class ConjugateGradients {
  private static final int MOST_ITERATIONS = 5000;
  private static final int PATIENCE = 200;

  // The share of pᵀ K p that is round-off: about 1e-16 of its bound.
  private static final double ROUND_OFF = 1e-13;

  private final UnaryOperator<double[]> matrix;
  private final UnaryOperator<double[]> preconditioner;
  private final int samples;
  private final double tolerance;
  private UnaryOperator<double[]> bound;

  ConjugateGradients(
      UnaryOperator<double[]> matrix,
      UnaryOperator<double[]> preconditioner,
      int samples,
      double tolerance) {
    this.matrix = matrix;
    this.preconditioner = preconditioner;
    this.samples = samples;
    this.tolerance = tolerance;
    this.bound = _ -> new double[samples];
  }

  /**
   * Sets a function that returns an upper bound of pᵀ K p for each sample. If pᵀ K p is a tiny
   * fraction of it, K cannot remove the remaining misfit, and the sample is finished: a step along
   * such a p would divide round-off by round-off.
   */
  ConjugateGradients below(UnaryOperator<double[]> most) {
    bound = most;
    return this;
  }

  /** Solves for λ given r; both hold the rows of all samples, sample after sample. */
  double[] solve(double[] r) {
    double[] x = new double[r.length];
    double[] best = x.clone();
    double[] misfit = r.clone();
    double[] z = preconditioner.apply(misfit);
    double[] p = z.clone();
    double[] rz = dot(misfit, z);
    double[] goal = Arrays.stream(dot(r, r)).map(s -> s * tolerance * tolerance).toArray();
    double[] lowest = dot(r, r);
    int idle = 0;
    for (int i = 0; i < MOST_ITERATIONS && idle < PATIENCE; i++) {
      double[] kp = matrix.apply(p);
      double[] curvature = dot(p, kp);
      endWithoutCurvature(curvature, bound.apply(p), goal);
      double[] alpha = ratio(rz, curvature);
      addScaled(x, alpha, p, 1);
      addScaled(misfit, alpha, kp, -1);
      idle = keepBest(x, best, dot(misfit, misfit), lowest) ? 0 : idle + 1;
      if (reached(lowest, goal)) {
        break;
      }
      z = preconditioner.apply(misfit);
      double[] next = dot(misfit, z);
      double[] beta = ratio(next, rz);
      rz = next;
      int rows = p.length / samples;
      for (int j = 0; j < p.length; j++) {
        p[j] = z[j] + beta[j / rows] * p[j];
      }
    }
    return best;
  }

  // A sample that has ended keeps a curvature of zero, and any misfit is its goal.
  private static void endWithoutCurvature(double[] curvature, double[] most, double[] goal) {
    for (int s = 0; s < goal.length; s++) {
      if (curvature[s] < ROUND_OFF * most[s] || Double.isInfinite(goal[s])) {
        curvature[s] = 0;
        goal[s] = Double.POSITIVE_INFINITY;
      }
    }
  }

  private boolean keepBest(double[] x, double[] best, double[] now, double[] lowest) {
    int rows = x.length / samples;
    boolean better = false;
    for (int s = 0; s < samples; s++) {
      if (now[s] < lowest[s]) {
        lowest[s] = now[s];
        System.arraycopy(x, s * rows, best, s * rows, rows);
        better = true;
      }
    }
    return better;
  }

  private static boolean reached(double[] now, double[] goal) {
    for (int s = 0; s < now.length; s++) {
      if (now[s] > goal[s]) {
        return false;
      }
    }
    return true;
  }

  private double[] dot(double[] a, double[] b) {
    int rows = a.length / samples;
    double[] sums = new double[samples];
    for (int s = 0; s < samples; s++) {
      double sum = 0;
      for (int j = s * rows; j < (s + 1) * rows; j++) {
        sum += a[j] * b[j];
      }
      sums[s] = sum;
    }
    return sums;
  }

  // A sample that has converged has nothing left to divide by and stays where it is.
  private static double[] ratio(double[] a, double[] b) {
    double[] ratio = new double[a.length];
    for (int s = 0; s < a.length; s++) {
      ratio[s] = b[s] > 0 ? a[s] / b[s] : 0;
    }
    return ratio;
  }

  private void addScaled(double[] x, double[] alpha, double[] p, double sign) {
    int rows = x.length / samples;
    for (int s = 0; s < samples; s++) {
      double factor = sign * alpha[s];
      for (int j = s * rows; j < (s + 1) * rows; j++) {
        x[j] += factor * p[j];
      }
    }
  }
}
