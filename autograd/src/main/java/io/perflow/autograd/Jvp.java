package io.perflow.autograd;

import io.perflow.tensor.Tensor;
import java.util.function.Function;

/**
 * The forward-mode derivative of a function: its value f(x) and its derivative J v in the direction
 * v.
 *
 * <p>It is computed by two reverse passes: u to J' u is linear, and the transpose of that map is v
 * to J v (see {@link Jacobian}, which also serves many directions at one point). That costs about
 * three evaluations of the function and needs no second set of rules beside each operation's
 * gradient.
 *
 * @param value f(x)
 * @param tangent J v, of the shape of the value
 */
public record Jvp(Tensor value, Tensor tangent) {
  /**
   * Computes value and directional derivative of a function.
   *
   * @param v the direction, of x's shape
   * @throws io.perflow.tensor.ShapeException when the shapes differ
   * @throws UnsupportedOperationException when a gradient rule cannot be differentiated
   */
  public static Jvp of(Function<Tensor, Tensor> f, Tensor x, Tensor v) {
    try (Jacobian jacobian = Jacobian.of(f, x)) {
      return new Jvp(jacobian.value(), jacobian.times(v));
    }
  }
}
