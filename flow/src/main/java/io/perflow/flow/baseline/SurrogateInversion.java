package io.perflow.flow.baseline;

import io.perflow.autograd.Tape;
import io.perflow.flow.Ensemble;
import io.perflow.flow.Observations;
import io.perflow.flow.Reconstructor;
import io.perflow.nn.Parameter;
import io.perflow.nn.optim.Adam;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import java.util.Map;

/**
 * A system that reconstructs with a trained {@link Surrogate}: Adam changes the cause until cause
 * and effect fit their readings.
 *
 * <p>It minimizes the mean square misfit at the sensors plus, if asked for, a weight times the mean
 * square difference of neighbours in the cause. It starts from independent normal numbers of
 * standard deviation 0.1; every sample of an ensemble has its own start.
 */
public final class SurrogateInversion implements Reconstructor {
  private static final double START = 0.1;

  private final Surrogate surrogate;
  private final int iterations;
  private double rate = 0.05;
  private double smoothness;
  private int batch = 5;

  private SurrogateInversion(Surrogate surrogate, int iterations) {
    this.surrogate = surrogate;
    this.iterations = iterations;
  }

  /**
   * Returns an inversion with a number of steps of Adam; PerFlow's comparison does not state its
   * number.
   */
  public static SurrogateInversion of(Surrogate surrogate, int iterations) {
    if (iterations < 1) {
      throw new IllegalArgumentException("[inversion] %d steps: at least 1".formatted(iterations));
    }
    return new SurrogateInversion(surrogate, iterations);
  }

  /** Sets the learning rate, in normalized units (default 0.05). */
  public SurrogateInversion rate(double rate) {
    this.rate = rate;
    return this;
  }

  /** Sets the weight of differences between neighbours (default 0). */
  public SurrogateInversion smoothness(double weight) {
    smoothness = weight;
    return this;
  }

  /** Sets how many samples run at once. */
  public SurrogateInversion batch(int size) {
    batch = size;
    return this;
  }

  @Override
  public String name() {
    return surrogate.config().kind().label();
  }

  @Override
  public Ensemble reconstruct(Observations seen, int count, Rng rng) {
    return Drawing.draw(
        name(), surrogate.setting().problem(), seen, count, batch, rng, part -> invert(seen, part));
  }

  private Tensor invert(Observations seen, List<Rng> streams) {
    Tensor mask = seen.mask();
    double sensors = mask.sum().item();
    Shape one = surrogate.map().causes(1);
    Tensor start =
        Drawing.each(streams, stream -> stream.normal(mask.device(), one, DataType.F32).mul(START));
    Parameter cause = new Parameter("cause", start);
    Adam adam = Adam.of(rate).build(Map.of("cause", cause));
    // Batch statistics are for training only.
    surrogate.network().training(false);
    for (int i = 0; i < iterations; i++) {
      Cancellation.check();
      try (Scope _ = Scope.open();
          Tape tape = Tape.watching(cause.value())) {
        Tensor misfit = surrogate.fields(cause.value()).sub(seen.values()).mul(mask);
        Tensor loss = misfit.square().sum().mul(1 / sensors);
        if (smoothness > 0) {
          loss = loss.addScaled(roughness(cause.value()), smoothness);
        }
        adam.step(tape.gradients(loss));
        DivergedException.check(name(), cause.value(), i + 1, iterations);
      }
    }
    return surrogate.fields(cause.value());
  }

  // The sum over the samples of the mean square difference of neighbours.
  private static Tensor roughness(Tensor cause) {
    Tensor across = difference(cause, 3);
    return cause.dim(2) > 1 ? across.add(difference(cause, 2)) : across;
  }

  private static Tensor difference(Tensor x, int axis) {
    int n = x.dim(axis);
    Tensor step = x.slice(axis, 1, n).sub(x.slice(axis, 0, n - 1));
    return step.square().mean().mul(x.dim(0));
  }
}
