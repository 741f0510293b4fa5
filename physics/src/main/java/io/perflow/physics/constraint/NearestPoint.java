package io.perflow.physics.constraint;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;
import io.perflow.tensor.op.Op;
import io.perflow.tensor.op.Saved;
import io.perflow.tensor.op.Vjp;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

/**
 * The map from x to the nearest point of a convex set, as one operation. Its derivative is a
 * symmetric map that depends on x only through the nearest point, so the gradient keeps only that
 * point.
 *
 * <p>It is not left to the tape, because it is the result of an iteration.
 *
 * @param name the name of the set, for messages
 * @param map the map x ↦ nearest point
 * @param derivative the derivative for a direction and the nearest point, linear in the direction
 */
record NearestPoint(String name, UnaryOperator<Tensor> map, BinaryOperator<Tensor> derivative)
    implements Op {

  @Override
  public Shape outputShape(Tensor... inputs) {
    Check.rank(name, "field", inputs[0], 4);
    return inputs[0].shape();
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Projection.unrecorded(map, inputs[0]);
  }

  @Override
  public Saved saved() {
    return Saved.OUTPUT;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(derivative.apply(v.grad(), v.output(0)));
  }
}
