package io.perflow.physics.constraint;

import io.perflow.tensor.Tensor;
import java.util.function.UnaryOperator;

/**
 * Any condition g(x) = 0 whose g is made of tensor operations.
 *
 * <pre>{@code
 * var unit = new Nonlinear("unit mean square", x -> x.square().mean(1, 2, 3).add(-1));
 * }</pre>
 *
 * @param name a short description of what is constrained
 * @param g maps [batch, channels, height, width] to [batch, …], each sample independently, with a
 *     Jacobian of full rank near the manifold
 */
public record Nonlinear(String name, UnaryOperator<Tensor> g) implements Constraint {
  @Override
  public Tensor residual(Tensor x) {
    return g.apply(x);
  }
}
