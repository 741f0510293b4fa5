package io.perflow.physics.constraint;

import io.perflow.autograd.Jacobian;
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
 * The part of a field v in the normal space of many functions g: Tᵀ λ with T Tᵀ λ = T v and T = J
 * P, by conjugate gradients with two products with the Jacobian in every step. Without a field it
 * is the Newton step at the point: T Tᵀ λ = g.
 *
 * <p>This is an operation on v and the point, or on the point alone, in F64. Its gradient in v is
 * the operation itself. The gradient in the point would need derivatives of the Jacobian times the
 * multipliers and is not offered.
 *
 * @param name the name of the constraints, for messages
 * @param g the functions, from a field to [batch, functions]
 * @param base P
 */
record IterativeNormal(String name, UnaryOperator<Tensor> g, OrthogonalProjector base)
    implements Op {
  private static final double TOLERANCE = 1e-13;

  @Override
  public Shape outputShape(Tensor... inputs) {
    Check.sameShape(name, "velocity", inputs[0], inputs[inputs.length - 1].shape());
    return inputs[0].shape();
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    Tensor point = inputs[inputs.length - 1];
    Recorder before = Recorder.install(null);
    try (Scope scope = Scope.open();
        Jacobian jacobian = Jacobian.of(g, point)) {
      boolean newton = inputs.length == 1;
      Tensor effect = newton ? jacobian.value() : jacobian.times(base.linear(inputs[0]));
      return Op.only(scope.keep(change(jacobian, effect)));
    } finally {
      Recorder.install(before);
    }
  }

  // Returns Pᵀ Jᵀ λ for the λ whose field has this effect on g.
  private Tensor change(Jacobian jacobian, Tensor effect) {
    UnaryOperator<double[]> matrix =
        vector -> {
          try (Scope _ = Scope.open()) {
            Tensor field = jacobian.transposedTimes(upload(vector, effect));
            return jacobian.times(base.linear(field)).toDoubles();
          }
        };
    var iteration = new ConjugateGradients(matrix, double[]::clone, effect.dim(0), TOLERANCE);
    double[] multipliers = iteration.solve(effect.toDoubles());
    return base.linear(jacobian.transposedTimes(upload(multipliers, effect)));
  }

  private static Tensor upload(double[] vector, Tensor like) {
    return like.device().backend().memory().upload(vector, like.shape());
  }

  @Override
  public Saved saved() {
    return Saved.inputs(1); // the point
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    if (v.needs(v.count() - 1)) {
      throw new UnsupportedOperationException(
          "[%s] with so many equations there is no gradient in the point of the manifold"
              .formatted(name));
    }
    return new Tensor[] {apply(v.grad(), v.input(1)), null};
  }
}
