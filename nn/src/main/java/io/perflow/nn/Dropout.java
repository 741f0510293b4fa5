package io.perflow.nn;

import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/**
 * Sets a share of the elements to zero in training and divides the others by what remains, so that
 * the mean stays (Srivastava et al., 2014); otherwise the identity.
 *
 * <p>Which elements is decided by the generator of {@link #draw}: the same one decides alike each
 * time, so that a block which is computed again in the reverse pass finds the same zeros. Give a
 * new one for every step.
 */
public final class Dropout extends UnaryLayer {
  private final double rate;
  private Rng.State state; // null until numbers were given

  private Dropout(double rate) {
    this.rate = rate;
  }

  /**
   * A layer that drops each element with this probability.
   *
   * @throws IllegalArgumentException when the rate is not in [0, 1)
   */
  public static Dropout of(double rate) {
    if (!(rate >= 0 && rate < 1)) {
      throw new IllegalArgumentException("[dropout] rate %s must lie in [0, 1)".formatted(rate));
    }
    return new Dropout(rate);
  }

  /** The numbers to decide by from now on; the generator itself is not moved. */
  public void draw(Rng rng) {
    state = rng.state();
  }

  /**
   * Input: x of any shape.
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
