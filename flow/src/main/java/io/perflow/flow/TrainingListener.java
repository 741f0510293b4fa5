package io.perflow.flow;

import java.nio.file.Path;
import java.util.Map;

/** Receives the progress of a training, on the training thread. */
public interface TrainingListener {
  /**
   * Called after a step.
   *
   * @param step steps done so far, including this one
   * @param loss its loss
   * @param rate its learning rate
   */
  default void step(long step, double loss, double rate) {}

  /**
   * Called after a validation.
   *
   * @param step steps done so far
   * @param loss mean loss of the averaged weights on the validation fields
   * @param diagnostics numbers that the objective reports beside the loss
   */
  default void validated(long step, double loss, Map<String, Double> diagnostics) {}

  /** Called after a file was written. */
  default void saved(long step, Path file) {}
}
