package io.perflow.physics.constraint;

import io.perflow.tensor.Check;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;
import io.perflow.tensor.op.Op;
import io.perflow.tensor.op.Recorder;
import io.perflow.tensor.op.Saved;
import io.perflow.tensor.op.Vjp;
import java.util.function.UnaryOperator;

/**
 * The map x ↦ P x + p0 as one operation, with P symmetric: its gradient is P itself.
 *
 * <p>It is not left to the tape as a composition, because nothing needs to be kept for the
 * gradient, and because the map may be the result of an iteration that is not to be differentiated
 * step by step.
 *
 * @param name the name of the projection, for messages
 * @param axes the number of axes of fields
 * @param map the map x ↦ P x + p0
 * @param linear the map v ↦ P v
 */
record Projection(String name, int axes, UnaryOperator<Tensor> map, UnaryOperator<Tensor> linear)
    implements Op {

  @Override
  public Shape outputShape(Tensor... inputs) {
    Check.rank(name, "field", inputs[0], axes);
    return inputs[0].shape();
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return unrecorded(map, inputs[0]);
  }

  /** Runs a map without recording its operations on a tape. */
  static Tensor[] unrecorded(UnaryOperator<Tensor> map, Tensor x) {
    Recorder before = Recorder.install(null);
    try (Scope scope = Scope.open()) {
      Tensor result = map.apply(x);
      // A tape distinguishes tensors by identity, so even an unchanged field gets a new handle.
      Tensor fresh = result == x ? result.view(result.layout()) : result;
      return Op.only(scope.keep(fresh));
    } finally {
      Recorder.install(before);
    }
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(new Projection(name, axes, linear, linear).apply(v.grad()));
  }
}
