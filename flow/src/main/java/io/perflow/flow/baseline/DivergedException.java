package io.perflow.flow.baseline;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/** A reconstruction whose numbers ceased to be finite, or of any size that a field could have. */
public final class DivergedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  // normalized fields are of size 1 and noise of at most 80
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

  /** The step, counted from 1, after which the numbers were lost. */
  public int step() {
    return step;
  }

  /** How many steps there should have been. */
  public int steps() {
    return steps;
  }

  /**
   * Refuses a state that is not finite, or whose root mean square is beyond a million.
   *
   * @param step the step it came out of, counted from 1
   */
  static void check(String system, Tensor state, int step, int steps) {
    try (Scope _ = Scope.open()) {
      if (!(state.square().mean().item() <= LARGEST * LARGEST)) { // NaN is not
        throw new DivergedException(system, step, steps);
      }
    }
  }
}
