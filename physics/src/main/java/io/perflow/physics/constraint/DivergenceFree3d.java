package io.perflow.physics.constraint;

import io.perflow.physics.Normalization;
import io.perflow.tensor.Check;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/**
 * Incompressible flow in three dimensions: du/dx + dv/dy + dw/dz = 0 on the unit torus, frame by
 * frame.
 *
 * <p>A field of F frames is [batch, 3F, depth, height, width] with u at frames 1 … F, then v, then
 * w; x runs along the depth, y along the height and z along the width. The residual is the
 * divergence, of shape [batch, F, depth, height, width]. {@link Projector#onto} takes it alone: all
 * other constraints are of fields in a plane.
 */
public final class DivergenceFree3d implements AffineConstraint {
  private static final DivergenceFree3d SPECTRAL = new DivergenceFree3d(Derivative.SPECTRAL);
  private static final DivergenceFree3d CENTRAL = new DivergenceFree3d(Derivative.CENTRAL);

  private final Derivative derivative;

  private DivergenceFree3d(Derivative derivative) {
    this.derivative = derivative;
  }

  /**
   * Returns the constraint with derivatives that are exact for resolved waves, for data from
   * spectral solvers.
   */
  public static DivergenceFree3d spectral() {
    return SPECTRAL;
  }

  /** Returns the constraint with derivatives of this kind. */
  public static DivergenceFree3d of(Derivative derivative) {
    return derivative == Derivative.SPECTRAL ? SPECTRAL : CENTRAL;
  }

  /** Returns the kind of derivatives in the divergence. */
  public Derivative derivative() {
    return derivative;
  }

  @Override
  public String name() {
    return "divergence-free";
  }

  @Override
  public Tensor residual(Tensor x) {
    return linear(x);
  }

  /** Returns the divergence, of shape [batch, frames, depth, height, width]. */
  @Override
  public Tensor linear(Tensor x) {
    try (Scope scope = Scope.open()) {
      Tensor modes = modes(name(), x);
      Tensor divergence = Fourier.complexMul(modes, derivative.on(x).gradient()).sum(1);
      return scope.keep(Fourier.irfft(divergence, x.dim(2), x.dim(3), x.dim(4)));
    }
  }

  /** Returns the negative gradient, of shape [batch, 3 frames, depth, height, width]. */
  @Override
  public Tensor adjoint(Tensor r, Shape field) {
    try (Scope scope = Scope.open()) {
      Tensor modes = Fourier.rfft(r, 3).unsqueeze(1);
      return scope.keep(
          fields(Fourier.complexMul(modes, derivative.on(r).gradient()), field).neg());
    }
  }

  /**
   * Returns this constraint itself, because means drop out of derivatives and a common scale does
   * not matter.
   *
   * @throws IllegalArgumentException when the components of a frame have different scales
   */
  @Override
  public DivergenceFree3d normalized(Normalization units) {
    DivergenceFree.requireOneScale(name(), units, 3);
    return this;
  }

  /**
   * Returns the half spectra [batch, 3, frames, depth, height, width / 2 + 1, 2] of a vector field.
   */
  Tensor modes(String op, Tensor x) {
    derivative.check(op, x, 3);
    Check.that(
        x.dim(1) > 0 && x.dim(1) % 3 == 0,
        op,
        "field %s has %d channels: vectors in space have three components for every frame",
        x.shape(),
        x.dim(1));
    int frames = x.dim(1) / 3;
    return Fourier.rfft(x.reshape(x.dim(0), 3, frames, x.dim(2), x.dim(3), x.dim(4)), 3);
  }

  /** Returns the vector field of half spectra. */
  static Tensor fields(Tensor modes, Shape field) {
    return Fourier.irfft(modes, field.dim(2), field.dim(3), field.dim(4)).reshape(field);
  }
}
