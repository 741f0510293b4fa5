package io.perflow.cuda;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.function.Supplier;

/**
 * A helper that returns the temporary tensors of an operation to the pool as soon as it is done.
 */
final class Temporaries {
  private Temporaries() {}

  /** Runs an operation and keeps only its result. */
  static Tensor one(Supplier<Tensor> operation) {
    try (Scope scope = Scope.open()) {
      return scope.keep(operation.get());
    }
  }

  /** Runs an operation and keeps only its results. */
  static Tensor[] all(Supplier<Tensor[]> operation) {
    try (Scope scope = Scope.open()) {
      Tensor[] results = operation.get();
      for (Tensor result : results) {
        scope.keep(result);
      }
      return results;
    }
  }
}
