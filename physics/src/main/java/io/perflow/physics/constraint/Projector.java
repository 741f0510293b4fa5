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

  /** What every projected field satisfies. */
  List<Constraint> constraints();

  /** The point of the manifold that belongs to {@code x}; points of the manifold stay put. */
  Tensor project(Tensor x);

  /**
   * The part of a velocity that keeps a field at {@code at} on the manifold.
   *
   * @param at the field the velocity acts on; only curved manifolds look at it
   */
  Tensor tangent(Tensor velocity, Tensor at);

  /**
   * x + weight P v, a step of a solver from {@code x} along the tangent part of a velocity there.
   * Closed forms take one pass over the field for projection and step together.
   */
  default Tensor advance(Tensor x, Tensor velocity, double weight) {
    return x.addScaled(tangent(velocity, x), weight);
  }

  /** x + weight P (to - from). */
  default Tensor advance(Tensor x, Tensor to, Tensor from, double weight) {
    return advance(x, to.sub(from), weight);
  }

  /**
   * Whether the manifold is curved, so that steps along tangents leave it and each must be followed
   * by {@link #project}. Affine constraints give flat ones.
   */
  default boolean curved() {
    return false;
  }

  /**
   * Whether the straight line between two admissible fields is admissible. Then the nearest one is
   * unique, and whether there is any does not depend on the field that is projected.
   */
  default boolean convex() {
    return !curved();
  }

  /**
   * The projector onto the fields that satisfy all of these constraints at once: the nearest such
   * field, and P v with the orthogonal projection P onto the tangent space.
   *
   * <p>Incompressible flow alone or with means over the grid, prescribed values with or without
   * means, and Poisson's equation have closed forms at the cost of a few operations; flow around
   * obstacles takes a sparse factor that is made once. Other sets of affine constraints are met in
   * double precision by a factorisation when there are few equations, else by conjugate gradients.
   * Any other constraint is taken as g(x) = 0 with Jacobian products from the tape: {@link
   * #project} is then the limit of Newton's method within the affine ones, and {@link #curved} is
   * true.
   *
   * <p>{@link Bounds}, alone or with affine constraints, are met by the nearest field as well, to
   * round-off. Admissible fields are then a convex set with a boundary: {@link #tangent} is the
   * derivative of {@link #project}, which moves no value at its bound, and {@link #curved} is true.
   *
   * <p>Constraints that cannot all hold are found out when a field is first projected, by an {@link
   * IllegalArgumentException} that names them.
   */
  static Projector onto(Constraint... constraints) {
    return onto(List.of(constraints));
  }

  /** The same for a list. */
  static Projector onto(List<? extends Constraint> constraints) {
    return Intersection.of(constraints);
  }

  /**
   * The same for readings that need not fit: sensors and general affine constraints are met in the
   * sense of least squares, as well as all other constraints allow; those hold exactly. With {@link
   * Bounds}, the nearest field within them follows on the fit without them.
   */
  static Projector fitting(Constraint... constraints) {
    return fitting(List.of(constraints));
  }

  /** The same for a list. */
  static Projector fitting(List<? extends Constraint> constraints) {
    return Intersection.fitting(constraints);
  }

  /** The projector of no constraint at all: every field and every velocity passes. */
  static Projector none() {
    return Unconstrained.INSTANCE;
  }
}
