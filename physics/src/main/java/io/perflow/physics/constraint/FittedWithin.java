package io.perflow.physics.constraint;

import io.perflow.tensor.Tensor;
import java.util.List;

/**
 * Fits readings by least squares within bounds: first the fit without the bounds, then the nearest
 * field within them that keeps all constraints but the fitted ones.
 *
 * @param constraints all of them
 * @param fit fits the readings under the equations
 * @param within the equations and the bounds
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
