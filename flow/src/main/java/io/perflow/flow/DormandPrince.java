package io.perflow.flow;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/**
 * The embedded pair of Dormand and Prince (1980), orders 5 and 4, with steps chosen so that the
 * estimated error of a step, relative to {@code absolute + relative |x|} in the root-mean-square
 * sense over the whole batch, stays below one. The last velocity of a step is reused as the first
 * of the next step.
 *
 * @param relative tolerance relative to the size of the state
 * @param absolute tolerance in the units of the state
 */
public record DormandPrince(double relative, double absolute) implements OdeSolver {
  private static final double[] C = {0, 1 / 5.0, 3 / 10.0, 4 / 5.0, 8 / 9.0, 1, 1};
  private static final double[][] A = {
    {},
    {1 / 5.0},
    {3 / 40.0, 9 / 40.0},
    {44 / 45.0, -56 / 15.0, 32 / 9.0},
    {19372 / 6561.0, -25360 / 2187.0, 64448 / 6561.0, -212 / 729.0},
    {9017 / 3168.0, -355 / 33.0, 46732 / 5247.0, 49 / 176.0, -5103 / 18656.0},
    {35 / 384.0, 0, 500 / 1113.0, 125 / 192.0, -2187 / 6784.0, 11 / 84.0},
  };
  private static final double[] FOURTH = {
    5179 / 57600.0, 0, 7571 / 16695.0, 393 / 640.0, -92097 / 339200.0, 187 / 2100.0, 1 / 40.0
  };
  private static final double[] ERROR = new double[7];

  static {
    for (int i = 0; i < ERROR.length; i++) {
      ERROR[i] = (i < A[6].length ? A[6][i] : 0) - FOURTH[i];
    }
  }

  private static final double FIRST_STEP = 0.05;
  private static final double SMALLEST_STEP = 1e-4;

  /** Checks the tolerances. */
  public DormandPrince {
    if (!(relative > 0 && absolute > 0)) {
      throw new IllegalArgumentException(
          "[dopri5] tolerances %s and %s must be positive".formatted(relative, absolute));
    }
  }

  @Override
  public String describe() {
    return "dopri5(%s)".formatted(relative);
  }

  @Override
  public double resolution() {
    return FIRST_STEP;
  }

  @Override
  public Tensor integrate(VelocityField field, Tensor start, Retraction retraction) {
    Tensor x = OdeSolver.state(start);
    Tensor first = OdeSolver.state(field.at(x, 0));
    double t = 0;
    double h = FIRST_STEP;
    while (t < 1) {
      boolean last = t + h >= 1 - 1e-12;
      double step = last ? 1 - t : h;
      double error;
      try (Scope _ = Scope.open()) {
        Tensor[] k = stages(field, x, first, t, step);
        Tensor next = OdeSolver.advance(x, step, A[6], k);
        error = error(x, next, step, k);
        // A step of the smallest size is accepted whatever its error, so that the integration ends.
        if (error <= 1 || step <= SMALLEST_STEP) {
          OdeSolver.move(x, next);
          OdeSolver.move(first, k[6]);
          t = last ? 1 : t + step;
          OdeSolver.move(x, retraction.after(t, x));
        }
      }
      double factor = error == 0 ? 5 : Math.clamp(0.9 * Math.pow(error, -0.2), 0.2, 5);
      h = Math.max(SMALLEST_STEP, step * factor);
    }
    return x;
  }

  private static Tensor[] stages(
      VelocityField field, Tensor x, Tensor first, double t, double step) {
    Tensor[] k = new Tensor[7];
    k[0] = first;
    for (int i = 1; i < k.length; i++) {
      k[i] = field.at(OdeSolver.advance(x, step, A[i], k), t + C[i] * step);
    }
    return k;
  }

  private double error(Tensor x, Tensor next, double step, Tensor[] k) {
    Tensor difference = k[0].mul(step * ERROR[0]);
    difference = OdeSolver.advance(difference, step, tail(), k);
    Tensor size = x.abs().maximum(next.abs()).mul(relative).add(absolute);
    double error = Math.sqrt(difference.div(size).square().mean().item());
    // A state that is not finite is returned instead of being retried for ever.
    return Double.isNaN(error) ? 0 : error;
  }

  private static double[] tail() {
    double[] tail = ERROR.clone();
    tail[0] = 0;
    return tail;
  }
}
