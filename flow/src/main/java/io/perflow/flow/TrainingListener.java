package io.perflow.flow;

import java.nio.file.Path;
import java.util.Map;

/** Told how a training goes; on the training thread. */
public interface TrainingListener {
  /**
   * A step is done.
   *
   * @param step steps done so far, this one included
   * @param loss its loss
   * @param rate its learning rate
   */
  default void step(long step, double loss, double rate) {}

  /**
   * A validation is done.
   *
   * @param step steps done so far
   * @param loss mean loss of the averaged weights on the validation fields
   * @param diagnostics what the objective reports beside it
   */
  default void validated(long step, double loss, Map<String, Double> diagnostics) {}

  /** A file was written. */
  default void saved(long step, Path file) {}
}
