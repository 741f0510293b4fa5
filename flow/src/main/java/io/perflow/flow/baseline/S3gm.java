package io.perflow.flow.baseline;

import io.perflow.autograd.Tape;
import io.perflow.flow.Ensemble;
import io.perflow.flow.Observations;
import io.perflow.flow.OdeSolver;
import io.perflow.flow.Reconstructor;
import io.perflow.physics.Problem;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.List;

/**
 * The system S3GM (Li et al., Learning spatiotemporal dynamics with a pretrained generative model,
 * 2024): an unconditional score model, guided by readings.
 *
 * <p>Levels σ_j are N numbers from 0.1 to 20, evenly spaced in their logarithm, visited from the
 * largest. At each, with G² = σ_j² - σ_{j-1}² (σ_{-1} = 0) and fresh noise z,
 *
 * <pre>
 * x̂₁ = x + σ² s(x, σ),   x̄ = x + G² s,   x ← x̄ + G z - ∇ₓ α Σ M (y - x̂₁)²
 * </pre>
 *
 * <p>where the gradient runs back through the network, and the result is x̄ of the last level. α is
 * a number that depends on the problem, divided by the square root of the fraction of observed
 * pixels. The publication joins overlapping windows of longer sequences, which do not occur here.
 * There is no corrector and no term of the equation, as in its released programs.
 */
public final class S3gm implements Reconstructor {
  private static final double LARGEST_MOVE = 1e8;

  /** A function that predicts the score of a state at a time. */
  @FunctionalInterface
  interface Score {
    Tensor of(Tensor x, double t);
  }

  private final Score score;
  private final Problem problem;
  private final double strength;
  private final int steps;
  private int batch = 1;

  S3gm(Score score, Problem problem, double strength, int steps) {
    this.score = score;
    this.problem = problem;
    this.strength = strength;
    this.steps = steps;
  }

  /**
   * Returns a sampler with a number of noise levels; PerFlow's comparison has 50 and 2000.
   *
   * @param strength the number that depends on the problem: 0.5 for the flows of the publication,
   *     0.1 for weather
   */
  public static S3gm of(ScoreModel model, double strength, int steps) {
    if (steps < 2) {
      throw new IllegalArgumentException("[S3GM] %d steps: at least 2".formatted(steps));
    }
    return new S3gm(model::score, model.setting().problem(), strength, steps);
  }

  /**
   * Sets how many samples run at once (default 1); each needs the memory of a network's
   * activations.
   */
  public S3gm batch(int size) {
    batch = size;
    return this;
  }

  @Override
  public String name() {
    return "S3GM-" + steps;
  }

  @Override
  public Ensemble reconstruct(Observations seen, int count, Rng rng) {
    return Drawing.draw(name(), problem, seen, count, batch, rng, part -> draw(seen, part));
  }

  /** Returns level j of N. */
  private double level(int j) {
    return j < 0 ? 0 : ScoreModel.sigma(j / (steps - 1.0));
  }

  private Tensor draw(Observations seen, List<Rng> streams) {
    Tensor mask = seen.mask();
    double share = mask.sum().item() / mask.size();
    double alpha = strength / Math.sqrt(share);
    Tensor x =
        OdeSolver.state(
            Drawing.each(streams, stream -> noise(stream, seen)).mul(ScoreModel.SIGMA_MAX));
    Tensor mean = OdeSolver.state(x);
    for (int i = 0; i < steps; i++) {
      Cancellation.check();
      int j = steps - 1 - i;
      double jump = Math.sqrt(level(j) * level(j) - level(j - 1) * level(j - 1));
      double t = 1 - (double) i / steps;
      try (Scope _ = Scope.open()) {
        int step = i;
        Tensor fresh = Drawing.each(streams, stream -> noise(stream.split(step), seen));
        Tensor move = advance(x, mean, t, jump, alpha, seen.values(), mask);
        OdeSolver.move(x, mean.addScaled(fresh, jump).sub(move));
      }
      DivergedException.check(name(), x, i + 1, steps);
    }
    return mean;
  }

  private static Tensor noise(Rng stream, Observations seen) {
    return stream.normal(seen.values().device(), seen.values().shape(), DataType.F32);
  }

  // Overwrites the mean and returns the gradient of the misfit, which the caller subtracts.
  private Tensor advance(
      Tensor x, Tensor mean, double t, double jump, double alpha, Tensor y, Tensor mask) {
    double sigma = ScoreModel.sigma(t);
    try (Tape tape = Tape.watching(x)) {
      Tensor s = score.of(x, t);
      OdeSolver.move(mean, x.addScaled(s, jump * jump));
      Tensor clean = x.addScaled(s, sigma * sigma);
      Tensor loss = clean.sub(y).mul(mask).square().sum().mul(alpha);
      return tape.gradients(loss).of(x).clamp(-LARGEST_MOVE, LARGEST_MOVE);
    }
  }
}
