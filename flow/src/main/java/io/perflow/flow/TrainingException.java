package io.perflow.flow;

import io.perflow.nn.Observer;
import io.perflow.nn.Parameter;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.Map;

/** Thrown when a training cannot continue. */
public final class TrainingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private TrainingException(String message) {
    super(message);
  }

  /**
   * Repeats the step and returns an exception that names the place where numbers cease to be
   * finite.
   */
  static TrainingException notFinite(
      long step, double loss, Objective objective, Tensor fields, Rng rng) {
    return new TrainingException(
        "[training] the loss of step %d is %s: %s; lower the learning rate or clip gradients, and"
                .formatted(step + 1, loss, place(objective, fields, rng))
            + " continue from the last checkpoint");
  }

  /**
   * Returns an exception for a validation whose loss is not finite, so that the averaged weights
   * are useless.
   */
  static TrainingException notFinite(long step, double loss) {
    return new TrainingException(
        ("[training] the validation loss after step %d is %s: the averaged weights have diverged;"
                + " lower the learning rate or clip gradients, and start again")
            .formatted(step, loss));
  }

  private static String place(Objective objective, Tensor fields, Rng rng) {
    if (!finite(fields)) {
      return "the fields themselves are not finite";
    }
    for (Map.Entry<String, Parameter> entry : objective.network().parameters().entrySet()) {
      if (!finite(entry.getValue().value())) {
        return "parameter " + entry.getKey() + " is not finite";
      }
    }
    String[] first = {null};
    try (Scope _ = Scope.open()) {
      Observer.during(
          (layer, _, output) -> {
            if (first[0] == null && !finite(output)) {
              first[0] = "layer " + layer.path();
            }
          },
          () -> objective.loss(fields, rng));
    }
    return first[0] == null ? "after the network" : first[0] + " is the first to overflow";
  }

  private static boolean finite(Tensor tensor) {
    try (Scope _ = Scope.open()) {
      return Double.isFinite(tensor.mul(0).sum().item());
    }
  }
}
