package io.perflow.flow.baseline;

import io.perflow.autograd.Jacobian;
import io.perflow.autograd.Tape;
import io.perflow.flow.Ensemble;
import io.perflow.flow.Observations;
import io.perflow.flow.OdeSolver;
import io.perflow.flow.Reconstructor;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.List;

/**
 * The system DiffusionPDE (Huang et al., 2024): an unconditional denoiser, guided by readings and
 * equation.
 *
 * <p>The state goes from noise of standard deviation 80 along N levels σ_i = (80^(1/7) + i/(N-1)
 * (0.002^(1/7) - 80^(1/7)))^7 to 0 by Heun's method for dx/dσ = (x - D(x, σ)) / σ, in double
 * precision. After every step the gradient of the {@link Guidance} of the last denoised field is
 * subtracted; it is propagated back through both evaluations of the network. In the first four
 * fifths of the steps only the readings guide; afterwards they have a tenth of their weight and the
 * equation guides as well.
 *
 * <p>The published code computes a gradient for each term: three for fields of two components, two
 * for fields of one. Gradients are linear, so one reverse pass for the weighted sum gives the same
 * result at a half or a third of the cost; {@link Gradients} chooses.
 */
public final class DiffusionPde implements Reconstructor {
  private static final double RHO = 7;
  private static final double READINGS_ALONE = 0.8;

  /** The ways to compute the gradient of the guidance; the samples agree to rounding. */
  public enum Gradients {
    /** Takes one reverse pass through the two evaluations of the network for all terms together. */
    JOINED,

    /**
     * Takes one reverse pass for each term, as published, also for the equation in steps in which
     * its weight is 0; for comparisons of time.
     */
    SEPARATE
  }

  private final EdmDenoiser model;
  private final Guidance guidance;
  private final int steps;
  private int batch = 1;
  private Gradients gradients = Gradients.JOINED;

  private DiffusionPde(EdmDenoiser model, Guidance guidance, int steps) {
    this.model = model;
    this.guidance = guidance;
    this.steps = steps;
  }

  /** Returns a sampler with a number of noise levels; the publication has 2000. */
  public static DiffusionPde of(EdmDenoiser model, Guidance guidance, int steps) {
    if (steps < 2) {
      throw new IllegalArgumentException("[DiffusionPDE] %d steps: at least 2".formatted(steps));
    }
    return new DiffusionPde(model, guidance, steps);
  }

  /**
   * Sets how many samples run at once (default 1); each needs the memory of two networks'
   * activations.
   */
  public DiffusionPde batch(int size) {
    batch = size;
    return this;
  }

  /** Sets how the gradient of the guidance is computed (default {@link Gradients#JOINED}). */
  public DiffusionPde gradients(Gradients how) {
    gradients = how;
    return this;
  }

  /** Returns the levels of the noise, from the largest to the smallest and then 0. */
  static double[] levels(int steps) {
    double first = Math.pow(EdmDenoiser.SIGMA_MAX, 1 / RHO);
    double last = Math.pow(EdmDenoiser.SIGMA_MIN, 1 / RHO);
    double[] levels = new double[steps + 1];
    for (int i = 0; i < steps; i++) {
      levels[i] = Math.pow(first + i / (steps - 1.0) * (last - first), RHO);
    }
    return levels;
  }

  @Override
  public String name() {
    return "DiffusionPDE-" + steps;
  }

  @Override
  public Ensemble reconstruct(Observations seen, int count, Rng rng) {
    return Drawing.draw(
        name(), model.setting().problem(), seen, count, batch, rng, part -> draw(seen, part));
  }

  private Tensor draw(Observations seen, List<Rng> streams) {
    Goal goal = new Goal(Guidance.readings(seen, model.setting().normalization()), mask(seen));
    Tensor noise = Drawing.each(streams, stream -> noise(stream, seen.values()));
    double[] levels = levels(steps);
    Tensor x = OdeSolver.state(noise.mul(levels[0]));
    for (int i = 0; i < steps; i++) {
      Cancellation.check();
      try (Scope _ = Scope.open()) {
        boolean late = i > READINGS_ALONE * steps;
        OdeSolver.move(
            x,
            gradients == Gradients.JOINED
                ? joined(x, levels[i], levels[i + 1], goal, late)
                : separate(x, levels[i], levels[i + 1], goal, late));
      }
      DivergedException.check(name(), x, i + 1, steps);
    }
    return model.inner().denormalize(x).to(DataType.F32);
  }

  private static Tensor mask(Observations seen) {
    return seen.mask().to(DataType.F64);
  }

  private static Tensor noise(Rng stream, Tensor one) {
    return stream.normal(one.device(), one.shape(), DataType.F64);
  }

  /** The readings of one field in physical units and their mask, F64. */
  private record Goal(Tensor readings, Tensor mask) {}

  /**
   * The state after a step without guidance, and the last denoised field, from which guidance is
   * computed.
   */
  private record Step(Tensor moved, Tensor denoised) {}

  private Step heun(Tensor x, double level, double next) {
    Tensor denoised = model.denoise(x, level);
    Tensor slope = x.sub(denoised).mul(1 / level);
    Tensor moved = x.addScaled(slope, next - level);
    if (next > 0) {
      denoised = model.denoise(moved, next);
      Tensor second = moved.sub(denoised).mul(1 / next);
      moved = x.addScaled(slope.add(second), (next - level) / 2);
    }
    return new Step(moved, denoised);
  }

  private Tensor joined(Tensor x, double level, double next, Goal goal, boolean late) {
    try (Tape tape = Tape.watching(x)) {
      Step step = heun(x, level, next);
      Tensor fields = model.normalization().denormalize(step.denoised());
      Tensor loss = guidance.loss(fields, goal.readings(), goal.mask(), late);
      return step.moved().sub(tape.gradients(loss).of(x));
    }
  }

  private Tensor separate(Tensor x, double level, double next, Goal goal, boolean late) {
    Step[] step = new Step[1];
    try (Jacobian network =
        Jacobian.of(
            state -> {
              step[0] = heun(state, level, next);
              return step[0].denoised();
            },
            x)) {
      Tensor moved = step[0].moved();
      for (int i = 0; i < guidance.terms(); i++) {
        Tensor gradient = network.transposedTimes(pull(network.value(), goal, i));
        double share = guidance.share(i, late);
        moved = share == 0 ? moved : moved.addScaled(gradient, -share);
      }
      return moved;
    }
  }

  // The gradient of a term with respect to the denoised field.
  private Tensor pull(Tensor denoised, Goal goal, int term) {
    try (Tape tape = Tape.watching(denoised)) {
      Tensor fields = model.normalization().denormalize(denoised);
      Tensor loss = guidance.term(term, fields, goal.readings(), goal.mask());
      return tape.gradients(loss).of(denoised);
    }
  }
}
