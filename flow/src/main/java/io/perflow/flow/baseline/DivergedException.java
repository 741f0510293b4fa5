package io.perflow.flow.baseline;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/** A reconstruction whose numbers ceased to be finite. */
public final class DivergedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int step;
  private final int steps;

  DivergedException(String system, int step, int steps) {
    super(
        "[%s] diverged at step %d of %d: lower its weights or rates, or take more steps"
            .formatted(system, step, steps));
    this.step = step;
    this.steps = steps;
  }

  /** The step, counted from 1, after which a number was not finite. */
  public int step() {
    return step;
  }

  /** How many steps there should have been. */
  public int steps() {
    return steps;
  }

  /**
   * Refuses a state that is not finite.
   *
   * @param step the step it came out of, counted from 1
   */
  static void check(String system, Tensor state, int step, int steps) {
    try (Scope _ = Scope.open()) {
      // 0 · x is 0 for finite x and NaN otherwise, so the sum cannot overflow
      if (!Double.isFinite(state.mul(0).sum().item())) {
        throw new DivergedException(system, step, steps);
      }
    }
  }
}
