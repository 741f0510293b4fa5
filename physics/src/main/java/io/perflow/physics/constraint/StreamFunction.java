package io.perflow.physics.constraint;

import io.perflow.tensor.Check;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/**
 * The curl of a stream function: psi ↦ (u, v) = (dpsi/dy, -dpsi/dx) on the unit torus.
 *
 * <p>Its velocities have no divergence, because derivatives commute; a network that ends in it, and
 * a prior that starts from it, produce only incompressible flow. Its velocities have no mean
 * either, because a periodic psi cannot carry one; {@link #velocity(Tensor, Tensor)} adds it. The
 * projector of {@link DivergenceFree} keeps the mean of its fields.
 *
 * <p>Differentiation makes fine scales large: the wave k of psi has velocities 2 pi k times as
 * large.
 */
public final class StreamFunction {
  private static final StreamFunction SPECTRAL = new StreamFunction(DivergenceFree.spectral());

  private static final String NAME = "stream function";

  private final DivergenceFree constraint;

  private StreamFunction(DivergenceFree constraint) {
    this.constraint = constraint;
  }

  /** Returns the curl of {@link DivergenceFree#spectral}. */
  public static StreamFunction spectral() {
    return SPECTRAL;
  }

  /** Returns the curl whose divergence vanishes in the sense of this constraint. */
  public static StreamFunction of(DivergenceFree constraint) {
    return new StreamFunction(constraint);
  }

  /** Returns the constraint that its velocities satisfy. */
  public DivergenceFree constraint() {
    return constraint;
  }

  /**
   * Returns the velocities [batch, 2 frames, height, width] of psi [batch, frames, height, width],
   * with u of all frames first.
   *
   * @throws io.perflow.tensor.ShapeException when a spectral derivative is asked for on an odd grid
   */
  public Tensor velocity(Tensor psi) {
    Derivative derivative = constraint.derivative();
    derivative.check(NAME, psi, 2);
    int h = psi.dim(2);
    int w = psi.dim(3);
    try (Scope scope = Scope.open()) {
      Tensor modes = Fourier.rfft(psi, 2).unsqueeze(1);
      Tensor curl = Fourier.complexMul(modes, derivative.on(psi).curl());
      return scope.keep(Fourier.irfft(curl, h, w).reshape(psi.dim(0), 2 * psi.dim(1), h, w));
    }
  }

  /**
   * Returns the velocities with a mean flow.
   *
   * @param psi [batch, frames, height, width]
   * @param mean the mean of each component, [batch or 1, 2 frames, 1, 1]
   * @return velocities [batch, 2 frames, height, width]
   */
  public Tensor velocity(Tensor psi, Tensor mean) {
    Tensor waves = velocity(psi);
    Check.rank(NAME, "mean flow", mean, 4);
    Shape expected = Shape.of(mean.dim(0) == 1 ? 1 : psi.dim(0), 2 * psi.dim(1), 1, 1);
    Check.sameShape(NAME, "mean flow", mean, expected);
    return waves.add(mean);
  }

  /**
   * Returns the stream function without mean whose curl is the incompressible part of a velocity,
   * without its mean.
   *
   * @param velocity [batch, 2 frames, height, width], u of all frames first
   * @return [batch, frames, height, width]
   */
  public Tensor potential(Tensor velocity) {
    constraint.check(velocity);
    Derivative.Multipliers waves = constraint.derivative().on(velocity);
    try (Scope scope = Scope.open()) {
      Tensor turned = Fourier.complexMul(DivergenceFree.modes(velocity), waves.curl()).sum(1);
      Tensor psi = turned.mul(waves.inverseLaplacian()).neg();
      return scope.keep(Fourier.irfft(psi, velocity.dim(2), velocity.dim(3)));
    }
  }
}
