package io.perflow.flow.baseline;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/**
 * Thrown when the numbers of a reconstruction become infinite, NaN, or larger than in any field.
 */
public final class DivergedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  // Normalized fields are of size 1 and noise of at most 80.
  private static final double LARGEST = 1e6;

  private final int step;
  private final int steps;

  DivergedException(String system, int step, int steps) {
    super(
        "[%s] diverged at step %d of %d: lower its weights or rates, or take more steps"
            .formatted(system, step, steps));
    this.step = step;
    this.steps = steps;
  }

  /** Returns the step, counted from 1, after which the reconstruction had diverged. */
  public int step() {
    return step;
  }

  /** Returns the intended number of steps. */
  public int steps() {
    return steps;
  }

  /**
   * Checks that a state is finite and its root mean square at most a million.
   *
   * @param step the step that computed the state, counted from 1
   */
  static void check(String system, Tensor state, int step, int steps) {
    try (Scope _ = Scope.open()) {
      if (!(state.square().mean().item() <= LARGEST * LARGEST)) { // NaN is not below any bound
        throw new DivergedException(system, step, steps);
      }
    }
  }
}
