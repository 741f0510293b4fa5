package io.perflow.physics.constraint;

import io.perflow.tensor.Tensor;
import java.util.List;

/**
 * A map onto the manifold of fields that satisfy its constraints, and one onto its tangent spaces.
 *
 * <p>For affine constraints A x = p these are the prior projection x ↦ P x + p0 and the velocity
 * projection v ↦ P v with P = I - Aᵀ(AAᵀ)⁻¹A of PerFlow. A flow that starts from a projected field
 * and moves only along projected velocities stays on the manifold at every stage of every
 * Runge-Kutta method.
 */
public interface Projector {

  /** Returns the constraints that every projected field satisfies. */
  List<Constraint> constraints();

  /** Projects {@code x} onto the manifold; points of the manifold stay where they are. */
  Tensor project(Tensor x);

  /**
   * Returns the part of a velocity that keeps a field at {@code at} on the manifold.
   *
   * @param at the field that the velocity acts on; used only for curved manifolds
   */
  Tensor tangent(Tensor velocity, Tensor at);

  /**
   * Returns x + weight P v, a step of a solver from {@code x} along the tangent part of a velocity
   * there. Closed forms take one pass over the field for projection and step together.
   */
  default Tensor advance(Tensor x, Tensor velocity, double weight) {
    return x.addScaled(tangent(velocity, x), weight);
  }

  /** Returns x + weight P (to - from). */
  default Tensor advance(Tensor x, Tensor to, Tensor from, double weight) {
    return advance(x, to.sub(from), weight);
  }

  /**
   * Returns whether the manifold is curved, so that steps along tangents leave it and each must be
   * followed by {@link #project}. The manifolds of affine constraints are flat.
   */
  default boolean curved() {
    return false;
  }

  /**
   * Returns whether the set of admissible fields is convex. The nearest field is then unique, and
   * whether one exists does not depend on the field that is projected.
   */
  default boolean convex() {
    return !curved();
  }

  /**
   * Returns the projector onto the fields that satisfy all of these constraints at once: the
   * nearest such field, and P v with the orthogonal projection P onto the tangent space.
   *
   * <p>Incompressible flow alone or with means over the grid, prescribed values with or without
   * means, and Poisson's equation have closed forms at the cost of a few operations; flow around
   * obstacles takes a sparse factor that is made once. Other sets of affine constraints are solved
   * in double precision, by a factorisation if there are few equations, otherwise by conjugate
   * gradients. Any other constraint is taken as g(x) = 0 with Jacobian products from the tape:
   * {@link #project} is then the limit of Newton's method within the affine ones, and {@link
   * #curved} is true.
   *
   * <p>For {@link Bounds}, alone or with affine constraints, the result is the nearest field as
   * well, to round-off. Admissible fields are then a convex set with a boundary: {@link #tangent}
   * is the derivative of {@link #project}, which moves no value at its bound, and {@link #curved}
   * is true.
   *
   * <p>If the constraints cannot all hold, the first projection throws an {@link
   * IllegalArgumentException} that names them.
   */
  static Projector onto(Constraint... constraints) {
    return onto(List.of(constraints));
  }

  /** Returns the same for a list. */
  static Projector onto(List<? extends Constraint> constraints) {
    return Intersection.of(constraints);
  }

  /**
   * Returns the projector for readings that may contradict the constraints. It satisfies sensors
   * and general affine constraints in the least-squares sense, and all other constraints exactly.
   * With {@link Bounds}, the fit is first made without them, and then the nearest field within them
   * is taken.
   */
  static Projector fitting(Constraint... constraints) {
    return fitting(List.of(constraints));
  }

  /** Returns the same for a list. */
  static Projector fitting(List<? extends Constraint> constraints) {
    return Intersection.fitting(constraints);
  }

  /** Returns the projector without constraints, which changes neither fields nor velocities. */
  static Projector none() {
    return Unconstrained.INSTANCE;
  }
}
