package io.perflow.flow;

import java.nio.file.Path;
import java.util.Map;

/** A listener that receives the progress of a training, on the training thread. */
public interface TrainingListener {
  /**
   * Receives a finished step.
   *
   * @param step the number of steps done so far, including this one
   * @param loss the loss of the step
   * @param rate the learning rate of the step
   */
  default void step(long step, double loss, double rate) {}

  /**
   * Receives a validation.
   *
   * @param step the number of steps done so far
   * @param loss the mean loss of the averaged weights on the validation fields
   * @param diagnostics the numbers that the objective reports beside the loss
   */
  default void validated(long step, double loss, Map<String, Double> diagnostics) {}

  /** Receives the news that a file was written. */
  default void saved(long step, Path file) {}
}
