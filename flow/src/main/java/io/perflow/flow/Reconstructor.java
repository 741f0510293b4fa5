package io.perflow.flow;

import io.perflow.tensor.Rng;

/**
 * A system that fills in a field from sensors; evaluation, timing and figures know nothing else.
 * Observations and samples are in the normalized units of the system.
 */
public interface Reconstructor {
  /** The name in tables. */
  String name();

  /**
   * Samples of the field behind one set of observations (a batch of one). A system without
   * randomness gives the same field {@code count} times.
   */
  Ensemble reconstruct(Observations seen, int count, Rng rng);
}
