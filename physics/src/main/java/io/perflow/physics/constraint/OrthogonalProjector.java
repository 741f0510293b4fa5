package io.perflow.physics.constraint;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;

/**
 * The orthogonal projector onto the fields with A x = p: {@link #project} returns the nearest such
 * field, and its derivative P = I - Aᵀ(AAᵀ)⁺A is symmetric.
 */
abstract class OrthogonalProjector implements Projector {
  private final List<Constraint> constraints;
  private final String name;

  OrthogonalProjector(List<? extends Constraint> constraints) {
    this.constraints = List.copyOf(constraints);
    this.name = Conflict.names(constraints);
  }

  /** Returns the constraints' names in one line, for messages. */
  final String name() {
    return name;
  }

  /** Returns P x + p0. */
  abstract Tensor nearest(Tensor x);

  /** Returns P v. */
  abstract Tensor linear(Tensor v);

  /** Returns x + weight P (to - from), {@code from} null for 0. */
  Tensor step(Tensor x, Tensor to, Tensor from, double weight) {
    return x.addScaled(tangent(difference(to, from), x), weight);
  }

  /** Returns to - from, {@code from} null for 0. */
  static Tensor difference(Tensor to, Tensor from) {
    return from == null ? to : to.sub(from);
  }

  /** Returns the number of axes that fields have. */
  int axes() {
    return 4;
  }

  /**
   * Returns whether P treats all places in the same way, so that it commutes with shifts and with
   * means over the grid.
   */
  boolean uniform() {
    return false;
  }

  /** Returns whether P is the same for every sample of fields of this shape. */
  boolean common(Shape field) {
    return true;
  }

  @Override
  public final List<Constraint> constraints() {
    return constraints;
  }

  @Override
  public final Tensor project(Tensor x) {
    return new Projection(name, axes(), this::nearest, this::linear).apply(x);
  }

  @Override
  public final Tensor tangent(Tensor velocity, Tensor at) {
    return new Projection(name, axes(), this::linear, this::linear).apply(velocity);
  }

  @Override
  public final Tensor advance(Tensor x, Tensor velocity, double weight) {
    Check.rank(name, "field", velocity, axes());
    return step(x, velocity, null, weight);
  }

  @Override
  public final Tensor advance(Tensor x, Tensor to, Tensor from, double weight) {
    Check.rank(name, "field", to, axes());
    return step(x, to, from, weight);
  }
}
