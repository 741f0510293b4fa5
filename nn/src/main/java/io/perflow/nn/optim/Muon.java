package io.perflow.nn.optim;

import io.perflow.nn.Parameter;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.AdamSpec;
import java.util.List;
import java.util.Map;

/**
 * The optimizer Muon (Jordan et al., 2024): gradient descent with momentum that is made orthogonal,
 * so that a step changes all directions of a weight by the same amount and not mainly the few that
 * dominate its gradient.
 *
 * <pre>
 * u = momentum u + (1 - momentum) g,   h = momentum u + (1 - momentum) g
 * p = p (1 - rate weightDecay) - rate 0.2 sqrt(max(rows, columns)) orthogonal(h)
 * </pre>
 *
 * <p>A weight [out, in, …] is taken as a matrix of out rows. {@code orthogonal} moves all singular
 * values near 1 by five Newton-Schulz steps, which are matrix products. The factor gives a step the
 * size of one of {@link AdamW} (Liu et al., 2025), so that both take the same learning rates.
 * Vectors, and matrices with fewer than {@value #LEAST} rows or columns, follow AdamW.
 */
public final class Muon extends Optimizer {
  private static final int LEAST = 16;
  private static final int ITERATIONS = 5;
  // The coefficients of the odd polynomial a x + b x³ + c x⁵, which is steep at 0 and ends between
  // 0.7 and 1.2.
  private static final double A = 3.4445;
  private static final double B = -4.7750;
  private static final double C = 2.0315;
  private static final double ADAM_SIZE = 0.2; // the root mean square of AdamW's usual step
  private static final double EPS = 1e-7;

  private final Options options;

  private Muon(Options options, Map<String, Parameter> parameters) {
    super(parameters, options.schedule, options.clip);
    this.options = options;
  }

  /** Returns Muon at a constant learning rate. */
  public static Options of(double rate) {
    return of(Schedule.constant(rate));
  }

  /** Returns Muon at the learning rates of a schedule. */
  public static Options of(Schedule schedule) {
    return new Options(schedule);
  }

  @Override
  protected void update(String name, Tensor value, Tensor gradient, double rate, double scale) {
    if (!isMatrix(value)) {
      AdamSpec spec =
          new AdamSpec(
              rate, 0.9, 0.999, 1e-8, options.weightDecay, true, Math.toIntExact(steps()), scale);
      value
          .device()
          .backend()
          .optimizer()
          .adam(value, gradient, slot("m", name, value), slot("v", name, value), spec);
      return;
    }
    try (Scope _ = Scope.open()) {
      int rows = value.dim(0);
      int columns = value.size() / rows;
      Tensor fresh = gradient.mul(scale * (1 - options.momentum));
      Tensor u = slot("momentum", name, value);
      Tensor next = u.mul(options.momentum).add(fresh);
      assign(u, next);
      Tensor ahead = next.mul(options.momentum).add(fresh).reshape(rows, columns);
      double size = rate * ADAM_SIZE * Math.sqrt(Math.max(rows, columns));
      Tensor step = orthogonal(ahead).mul(size).reshape(value.shape());
      assign(value, value.mul(1 - rate * options.weightDecay).sub(step));
    }
  }

  private static boolean isMatrix(Tensor value) {
    return value.rank() >= 2 && value.dim(0) >= LEAST && value.size() / value.dim(0) >= LEAST;
  }

  /**
   * Returns a matrix [m, n] with the singular vectors of the given one and singular values near 1.
   */
  static Tensor orthogonal(Tensor matrix) {
    if (matrix.dim(0) > matrix.dim(1)) {
      return orthogonal(matrix.transpose().contiguous()).transpose().contiguous();
    }
    // The whole computation stays on the device: no number is copied to the host.
    Tensor x = matrix.div(matrix.square().sum().sqrt().add(EPS));
    for (int i = 0; i < ITERATIONS; i++) {
      Tensor square = x.matmul(x.transpose());
      Tensor quartic = square.matmul(square);
      x = x.mul(A).add(square.mul(B).add(quartic.mul(C)).matmul(x));
    }
    return x;
  }

  @Override
  protected List<String> slots() {
    return List.of("momentum", "m", "v");
  }

  /** The options of Muon. */
  public static final class Options extends Optimizer.Options<Options> {
    private double momentum = 0.95;

    private Options(Schedule schedule) {
      super(schedule);
    }

    /** Sets the decay of the average of gradients, 0.95 by default. */
    public Options momentum(double momentum) {
      this.momentum = momentum;
      return this;
    }

    @Override
    Options self() {
      return this;
    }

    @Override
    public Muon build(Map<String, Parameter> parameters) {
      return new Muon(this, parameters);
    }
  }
}
