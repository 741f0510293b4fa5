package io.perflow.physics.solver;

import java.util.ArrayList;
import java.util.List;

/**
 * A solver of A x = b for a symmetric positive definite {@link Stencil} by conjugate gradients,
 * with one V cycle of multigrid as the preconditioner. It takes one forward sweep of Gauss and
 * Seidel on the way down and one backward sweep on the way up, which keeps the preconditioner
 * symmetric.
 */
final class Multigrid {
  private static final int MOST_ITERATIONS = 200;

  private final List<Level> levels = new ArrayList<>();
  private int iterations;

  private record Level(
      Stencil operator, Interpolation interpolation, double[] b, double[] x, double[] r) {}

  Multigrid(Stencil finest) {
    Stencil operator = finest.seal();
    while (operator.rows > 1 && operator.cols > 1) {
      Interpolation interpolation = new Interpolation(operator);
      levels.add(level(operator, interpolation));
      operator = interpolation.coarse();
    }
    levels.add(level(operator, null));
  }

  private static Level level(Stencil operator, Interpolation interpolation) {
    return new Level(operator, interpolation, operator.grid(), operator.grid(), operator.grid());
  }

  /** Returns the number of iterations of the last solve. */
  int iterations() {
    return iterations;
  }

  /**
   * Returns the solution, as an array with the ring of the finest stencil.
   *
   * @param b right-hand side, zero on the ring
   * @param tolerance bound on |b - A x| / |b|
   * @throws ArithmeticException when it is not met in 200 iterations, as for a coefficient that is
   *     not positive
   */
  double[] solve(double[] b, double tolerance) {
    Stencil a = levels.getFirst().operator;
    double[] x = a.grid();
    double[] r = b.clone();
    double[] direction = a.grid();
    double[] image = a.grid();
    double target = tolerance * tolerance * dot(b, b);
    double before = 0;
    for (iterations = 0; !(dot(r, r) <= target); iterations++) {
      double[] z = precondition(r);
      double now = dot(r, z);
      double keep = iterations == 0 ? 0 : now / before;
      for (int i = 0; i < x.length; i++) {
        direction[i] = z[i] + keep * direction[i];
      }
      a.apply(direction, image);
      double step = now / dot(direction, image);
      if (iterations == MOST_ITERATIONS || !(step > 0)) {
        throw new ArithmeticException(
            "[multigrid] residual %.1e of %.1e after %d iterations; is the coefficient positive?"
                .formatted(Math.sqrt(dot(r, r) / dot(b, b)), tolerance, iterations));
      }
      for (int i = 0; i < x.length; i++) {
        x[i] += step * direction[i];
        r[i] -= step * image[i];
      }
      before = now;
    }
    return x;
  }

  private double[] precondition(double[] r) {
    Level finest = levels.getFirst();
    System.arraycopy(r, 0, finest.b, 0, r.length);
    cycle(0);
    return finest.x;
  }

  private void cycle(int depth) {
    Level level = levels.get(depth);
    Stencil a = level.operator;
    java.util.Arrays.fill(level.x, 0);
    a.sweepForward(level.b, level.x);
    if (level.interpolation != null) {
      Level below = levels.get(depth + 1);
      a.residual(level.b, level.x, level.r);
      level.interpolation.restrict(level.r, below.b);
      cycle(depth + 1);
      level.interpolation.prolong(below.x, level.x);
    }
    a.sweepBackward(level.b, level.x);
  }

  private static double dot(double[] x, double[] y) {
    double sum = 0;
    for (int i = 0; i < x.length; i++) {
      sum += x[i] * y[i];
    }
    return sum;
  }
}
