package io.perflow.nn;

import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/**
 * A layer that, in training, sets a fraction of the elements to zero and divides the others by the
 * remaining fraction, which preserves the mean (Srivastava et al., 2014); otherwise it is the
 * identity.
 *
 * <p>The generator of {@link #draw} chooses the elements. The same generator makes the same choice
 * each time, so that a block which is computed again in the reverse pass has the same zeros. Set a
 * new one for every step.
 */
public final class Dropout extends UnaryLayer {
  private final double rate;
  private Rng.State state; // null until a generator is given

  private Dropout(double rate) {
    this.rate = rate;
  }

  /**
   * Returns a layer that drops each element with this probability.
   *
   * @throws IllegalArgumentException when the rate is not in [0, 1)
   */
  public static Dropout of(double rate) {
    if (!(rate >= 0 && rate < 1)) {
      throw new IllegalArgumentException("[dropout] rate %s must lie in [0, 1)".formatted(rate));
    }
    return new Dropout(rate);
  }

  /** Sets the generator that chooses the elements from now on; it is not advanced. */
  public void draw(Rng rng) {
    state = rng.state();
  }

  /**
   * Takes x of any shape.
   *
   * @throws IllegalStateException in training, when no generator was given
   */
  @Override
  protected Tensor forward(Tensor x) {
    if (!training() || rate == 0) {
      return x;
    }
    if (state == null) {
      throw new IllegalStateException(
          "[dropout] training needs random numbers: give the network a generator with draw(rng)"
              + " before each step%s".formatted(where()));
    }
    try (Scope scope = Scope.open()) {
      Tensor uniform = Rng.restore(state).uniform(x.device(), x.shape(), x.type());
      return scope.keep(x.mul(uniform.less(1 - rate).mul(1 / (1 - rate))));
    }
  }
}
