package io.perflow.physics.constraint;

import io.perflow.tensor.Tensor;
import java.util.List;

/**
 * A projector that fits readings by least squares within bounds: first it fits without the bounds,
 * then it takes the nearest field within them that keeps all constraints but the fitted ones.
 *
 * @param constraints all constraints
 * @param fit the projector that fits the readings under the equations
 * @param within the projector onto the equations and the bounds
 */
record FittedWithin(List<Constraint> constraints, Projector fit, Projector within)
    implements Projector {

  @Override
  public Tensor project(Tensor x) {
    return within.project(fit.project(x));
  }

  @Override
  public Tensor tangent(Tensor velocity, Tensor at) {
    return within.tangent(fit.tangent(velocity, at), at);
  }

  @Override
  public boolean curved() {
    return true;
  }

  @Override
  public boolean convex() {
    return true;
  }
}
