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
   * Called before the loss of every training step with the step, counted from 0, and before
   * validations with -1.
   */
  default void begin(long step) {}

  /**
   * Returns whether the untrained system is already useful, so that a run should validate it before
   * training.
   */
  default boolean usefulUntrained() {
    return false;
  }

  /** Tensors that a file of weights must hold to rebuild the system; none by default. */
  default Map<String, Tensor> attachments() {
    return Map.of();
  }

  /** Metadata, by name, that a file of weights must hold to rebuild the system. */
  Map<String, String> description();

  /** Numbers worth logging beside the loss, such as violations of constraints; none by default. */
  default Map<String, Double> diagnostics(Tensor fields, Rng rng) {
    return Map.of();
  }
}
