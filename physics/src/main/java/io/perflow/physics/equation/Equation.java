package io.perflow.physics.equation;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.prior.GaussianPrior;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * An equation as a map: a whole field x = F(z) follows from fewer numbers z, its cause, such as an
 * initial state, a source or a coefficient.
 *
 * <p>The fields that satisfy the equation are the image of F. A flow or an optimization that runs
 * in z and is carried through F therefore never leaves them. Everything is in physical units and
 * F64.
 */
public interface Equation {
  /**
   * Returns the equation and its parameters as files hold them. The member {@code equation} names
   * it; {@link io.perflow.physics.solver.Benchmark#equation} restores it. The result is empty for
   * an equation that files cannot hold.
   */
  Map<String, Object> parameters();

  /** Returns the shape of a field, [1, channels, height, width]. */
  Shape shape();

  /** Returns the number of numbers in a cause. */
  int causes();

  /** Returns the causes [batch, causes] of fields [batch, channels, height, width]. */
  Tensor cause(Tensor fields);

  /**
   * Returns the fields [batch, channels, height, width] of causes [batch, causes]. If the equation
   * cannot be solved for a cause, its field is not finite; the other fields of the batch are not
   * affected.
   */
  Tensor fields(Tensor causes);

  /**
   * Returns the derivative F′(z) d of fields along changes of their cause.
   *
   * @param cause z, [1, causes]
   * @param directions d, [count, causes]
   * @return [count, channels, height, width]
   */
  Tensor tangent(Tensor cause, Tensor directions);

  /**
   * Returns whether the cause is the first quantities of the field and the field is an affine
   * function of it, as a solution is of its source. A prior of the fields is then a prior of the
   * causes, carried through F.
   */
  default boolean linear() {
    return false;
  }

  /**
   * Returns the distribution of the causes that a prior of the fields implies. It is Gaussian like
   * the prior, unless the equation specifies another one.
   *
   * @param units the normalization of the prior's fields
   */
  default Causes law(GaussianPrior prior, Normalization units) {
    return linear() && prior.carried()
        ? new CarriedCauses(this, prior, units)
        : GaussianCauses.of(this, prior, units);
  }

  /**
   * Returns an equation written as a function of tensors; the tape computes its derivative.
   *
   * @param problem the problem whose fields satisfy it
   * @param causes the number of numbers in a cause
   * @param cause maps fields [batch, channels, height, width] to their causes [batch, causes]
   * @param fields maps causes to fields, row by row: no field of a batch may depend on another's
   *     cause
   */
  static Equation of(
      Problem problem, int causes, UnaryOperator<Tensor> cause, UnaryOperator<Tensor> fields) {
    return new TapedEquation(problem.batch(1), causes, cause, fields);
  }
}
