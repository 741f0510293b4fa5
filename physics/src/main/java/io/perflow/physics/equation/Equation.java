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
   * The equation and its parameters as files hold them. The member {@code equation} names it;
   * {@link io.perflow.physics.solver.Benchmark#equation} makes it again. Empty for an equation that
   * no file holds.
   */
  Map<String, Object> parameters();

  /** The shape of a field, [1, channels, height, width]. */
  Shape shape();

  /** How many numbers a cause has. */
  int causes();

  /** The causes [batch, causes] of fields [batch, channels, height, width]. */
  Tensor cause(Tensor fields);

  /**
   * The fields [batch, channels, height, width] of causes [batch, causes]. A cause for which the
   * equation cannot be solved gives numbers that are not finite; the other fields of the batch do
   * not suffer.
   */
  Tensor fields(Tensor causes);

  /**
   * The derivative F′(z) d of fields along changes of their cause.
   *
   * @param cause z, [1, causes]
   * @param directions d, [count, causes]
   * @return [count, channels, height, width]
   */
  Tensor tangent(Tensor cause, Tensor directions);

  /**
   * Whether fields are affine in a cause that is their first quantities themselves, as a solution
   * is in its source. A prior of the fields is then one of the causes, carried through F.
   */
  default boolean linear() {
    return false;
  }

  /**
   * The law of the causes that a prior of the fields implies. It is Gaussian like the prior, unless
   * an equation knows its causes better.
   *
   * @param units the normalization of the prior's fields
   */
  default Causes law(GaussianPrior prior, Normalization units) {
    return GaussianCauses.of(this, prior, units);
  }

  /**
   * An equation written as a function of tensors; its derivative is found by the tape.
   *
   * @param problem whose fields satisfy it
   * @param causes how many numbers a cause has
   * @param cause causes [batch, causes] of fields [batch, channels, height, width]
   * @param fields fields of causes, row by row: no field of a batch may depend on another's cause
   */
  static Equation of(
      Problem problem, int causes, UnaryOperator<Tensor> cause, UnaryOperator<Tensor> fields) {
    return new TapedEquation(problem.batch(1), causes, cause, fields);
  }
}
