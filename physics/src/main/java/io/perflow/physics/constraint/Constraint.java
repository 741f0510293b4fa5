package io.perflow.physics.constraint;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.tensor.Tensor;
import java.util.Optional;

/**
 * A condition g(x) = 0 on fields x of shape [batch, channels, height, width].
 *
 * <p>The values of a constraint (boundary values, masses, readings) are in the units of the fields
 * that it applies to; {@link #normalized} gives the same condition in the units of a network.
 */
public interface Constraint {

  /** Returns a short description of what is constrained, for certificates and messages. */
  String name();

  /**
   * Returns the constraint as files and commands write it, such as {@code mass:T=300}; empty if
   * that grammar cannot express it, as for a constraint written in Java. {@link ConstraintText}
   * reads the text.
   *
   * @param problem the problem of the constrained fields, for the names of its channels and axes
   */
  default Optional<String> text(Problem problem) {
    return Optional.empty();
  }

  /** Returns g(x), of shape [batch, …]; zero exactly where {@code x} satisfies the constraint. */
  Tensor residual(Tensor x);

  /**
   * Returns the mean square of the residual of each sample, of shape [batch]: the paper's Phys-Err.
   */
  default Tensor meanSquare(Tensor x) {
    return meanSquare(x, residual(x));
  }

  /** Returns the same if the residual g of x is already known. */
  default Tensor meanSquare(Tensor x, Tensor g) {
    return g.reshape(g.dim(0), g.size() / g.dim(0)).square().mean(1);
  }

  /**
   * Returns the same condition on fields normalized by {@code units}: x satisfies this constraint
   * when {@code units.normalize(x)} satisfies the result.
   *
   * @throws IllegalArgumentException when the normalization does not commute with the constraint,
   *     such as two scales for the two components of an incompressible flow
   */
  default Constraint normalized(Normalization units) {
    return new InUnits(this, units);
  }
}
