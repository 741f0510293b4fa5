package io.perflow.flow;

import io.perflow.physics.equation.Equation;
import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/**
 * The velocity of a flow whose fields solve an equation. It moves the causes z of fields x = F(z):
 * a velocity v of the causes moves the fields with F′(z) v, which is tangent to the set of
 * solutions.
 *
 * <p>A solver adds up velocities of causes, and every cause has a field that solves the equation.
 * All stages of all methods are therefore solutions without a projection, however curved the set of
 * solutions is.
 *
 * @param equation F, in physical units
 * @param guide the velocity of causes
 */
public record GraphVelocity(Equation equation, Guide guide) implements VelocityField {

  /** A velocity of causes, which may depend on their fields. */
  @FunctionalInterface
  public interface Guide {
    /**
     * Returns the velocity dz/dt of every cause of a batch.
     *
     * @param causes z, [batch, causes]
     * @param fields F(z), [batch, channels, height, width]
     * @return [batch, causes]
     */
    Tensor at(Tensor causes, Tensor fields, double t);
  }

  /** Returns the velocity of causes [batch, causes] at a time. */
  @Override
  public Tensor at(Tensor causes, double t) {
    Tensor velocity = guide.at(causes, equation.fields(causes), t);
    Check.sameShape("graph", "velocity of causes", velocity, causes.shape());
    return velocity;
  }

  /**
   * Returns the velocity F′(z) v of the fields of causes [batch, causes], [batch, channels, height,
   * width].
   */
  public Tensor ofFields(Tensor causes, double t) {
    try (Scope scope = Scope.open()) {
      Tensor velocity = at(causes, t);
      Tensor[] rows = new Tensor[causes.dim(0)];
      for (int i = 0; i < rows.length; i++) {
        Tensor cause = causes.slice(0, i, i + 1).contiguous();
        rows[i] = equation.tangent(cause, velocity.slice(0, i, i + 1).contiguous());
      }
      return scope.keep(Tensor.concat(0, rows));
    }
  }

  /**
   * Carries fields at t = 0 along the flow and returns the solutions at t = 1.
   *
   * @param fields [batch, channels, height, width]; fields that solve the equation only
   *     approximately are replaced by the fields of their causes
   */
  public Tensor carry(OdeSolver solver, Tensor fields) {
    Shape expected = equation.shape().with(0, fields.dim(0));
    Check.sameShape("graph", "fields", fields, expected);
    try (Scope scope = Scope.open()) {
      Tensor start = equation.cause(fields.to(DataType.F64));
      Tensor end = solver.integrate(this, start, OdeSolver.Retraction.NONE);
      return scope.keep(equation.fields(end));
    }
  }
}
