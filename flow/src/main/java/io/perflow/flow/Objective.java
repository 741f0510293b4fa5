package io.perflow.flow;

import io.perflow.nn.Layer;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.Map;

/** The loss that a {@link Trainer} minimizes. */
public interface Objective {
  /** Returns the network that is trained. */
  Layer network();

  /**
   * Returns the loss of a batch of normalized fields [batch, channels, height, width], a scalar.
   * All randomness (masks, noise, times) comes from {@code rng}, so a step can be repeated.
   */
  Tensor loss(Tensor fields, Rng rng);

  /**
   * Prepares for the loss of a training step, given the step counted from 0, or for a validation,
   * given -1.
   */
  default void begin(long step) {}

  /**
   * Returns whether the untrained system is already useful, so that a run should validate it before
   * training.
   */
  default boolean usefulUntrained() {
    return false;
  }

  /**
   * Returns the tensors that a file of weights must hold to rebuild the system; none by default.
   */
  default Map<String, Tensor> attachments() {
    return Map.of();
  }

  /** Returns the metadata, by name, that a file of weights must hold to rebuild the system. */
  Map<String, String> description();

  /**
   * Returns numbers worth logging beside the loss, such as violations of constraints; none by
   * default.
   */
  default Map<String, Double> diagnostics(Tensor fields, Rng rng) {
    return Map.of();
  }
}
