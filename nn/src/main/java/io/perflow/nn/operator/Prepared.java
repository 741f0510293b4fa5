package io.perflow.nn.operator;

import io.perflow.nn.Parameter;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Recorder;
import java.util.function.Supplier;

/**
 * A tensor that a layer computes from its parameters alone, kept from call to call until one of
 * them changes: a rollout or a server computes it once. While a tape records, it is computed anew,
 * so that gradients reach the parameters.
 */
final class Prepared {
  private final Supplier<Tensor> make;
  private final Parameter[] parameters;
  private volatile Kept kept; // null at first

  /** A value, and of what it was computed: tensors and how often each had been overwritten. */
  private record Kept(Tensor value, Tensor[] sources, long[] versions) {
    boolean holds(Parameter... parameters) {
      for (int i = 0; i < parameters.length; i++) {
        Tensor now = parameters[i].value();
        if (now != sources[i] || now.storage().version() != versions[i]) {
          return false;
        }
      }
      return true;
    }
  }

  /** Keeps what {@code make} computes in new memory from these parameters and nothing else. */
  Prepared(Supplier<Tensor> make, Parameter... parameters) {
    this.make = make;
    this.parameters = parameters;
  }

  /** Returns the tensor for the parameters as they are now. */
  Tensor value() {
    if (Recorder.current() != null) {
      return make.get();
    }
    Kept known = kept;
    if (known == null || !known.holds(parameters)) {
      known = compute();
      kept = known;
    }
    return known.value;
  }

  private Kept compute() {
    Tensor[] sources = new Tensor[parameters.length];
    long[] versions = new long[parameters.length];
    for (int i = 0; i < parameters.length; i++) {
      sources[i] = parameters[i].value();
      versions[i] = sources[i].storage().version();
    }
    return new Kept(Scope.detach(make.get()), sources, versions);
  }
}
