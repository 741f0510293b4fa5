package io.perflow.flow;

import io.perflow.nn.Layer;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.Map;

/** The loss that a {@link Trainer} minimizes. */
public interface Objective {
  /** What is trained. */
  Layer network();

  /**
   * The loss of a batch of normalized fields [batch, channels, height, width], a scalar. All
   * randomness (masks, noise, times) comes from {@code rng}, so a step can be repeated.
   */
  Tensor loss(Tensor fields, Rng rng);

  /**
   * Told before the loss of every training step, counted from 0, and with -1 before validations.
   */
  default void begin(long step) {}

  /**
   * Whether the system is of use before any training, so that a run should judge that state, too.
   */
  default boolean usefulUntrained() {
    return false;
  }

  /** Tensors that a file of weights must hold to rebuild the system; none by default. */
  default Map<String, Tensor> attachments() {
    return Map.of();
  }

  /** What a file must hold beside the weights to rebuild the system: metadata by name. */
  Map<String, String> description();

  /** Numbers worth logging beside the loss, such as violations of constraints; none by default. */
  default Map<String, Double> diagnostics(Tensor fields, Rng rng) {
    return Map.of();
  }
}
