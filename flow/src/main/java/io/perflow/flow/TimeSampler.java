package io.perflow.flow;

import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/** The distribution of the times t of a path in training, in (0, 1). */
public enum TimeSampler {
  /** The uniform distribution, as in the paper. */
  UNIFORM {
    @Override
    public Tensor draw(Rng rng, int count) {
      return rng.uniform(Shape.of(count));
    }
  },
  /** The logistic function of a standard normal number, which draws fewer times at both ends. */
  LOGIT_NORMAL {
    @Override
    public Tensor draw(Rng rng, int count) {
      return rng.normal(Shape.of(count)).sigmoid();
    }
  };

  /** Draws times for a batch, [count]. */
  public abstract Tensor draw(Rng rng, int count);
}
