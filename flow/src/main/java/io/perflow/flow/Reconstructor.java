package io.perflow.flow;

import io.perflow.tensor.Rng;

/**
 * A system that reconstructs a field from sensors; evaluation, timing and figures use this
 * interface only. Observations and samples are in the normalized units of the system.
 */
public interface Reconstructor {
  /** Returns the system's name in tables. */
  String name();

  /**
   * Draws samples of the field for one set of observations (a batch of one). A deterministic system
   * returns the same field {@code count} times.
   */
  Ensemble reconstruct(Observations seen, int count, Rng rng);
}
