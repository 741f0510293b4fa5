package io.perflow.physics.constraint;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.tensor.Check;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Optional;

/**
 * Incompressible flow: du/dx + dv/dy = 0 on the unit torus, frame by frame.
 *
 * <p>A field of F frames is [batch, 2F, height, width] with u at frames 1 … F, then v at frames 1 …
 * F; x runs along the height and y along the width. The residual is the divergence, of shape
 * [batch, F, height, width]. For unit-variance velocities on a 64 x 64 grid in F32, round-off alone
 * gives mean squares of about 1e-9; in F64, 1e-27.
 */
public final class DivergenceFree implements AffineConstraint {
  private static final DivergenceFree SPECTRAL = new DivergenceFree(Derivative.SPECTRAL);
  private static final DivergenceFree CENTRAL = new DivergenceFree(Derivative.CENTRAL);

  private final Derivative derivative;

  private DivergenceFree(Derivative derivative) {
    this.derivative = derivative;
  }

  /**
   * Returns the constraint with derivatives that are exact for resolved waves, for data from
   * spectral solvers.
   */
  public static DivergenceFree spectral() {
    return SPECTRAL;
  }

  /** Returns the constraint with derivatives of this kind. */
  public static DivergenceFree of(Derivative derivative) {
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
  public Optional<String> text(Problem problem) {
    return derivative == Derivative.SPECTRAL
        ? ConstraintText.divergenceFree(problem)
        : Optional.empty();
  }

  @Override
  public Tensor residual(Tensor x) {
    return linear(x);
  }

  /** Returns the divergence du/dx + dv/dy, of shape [batch, frames, height, width]. */
  @Override
  public Tensor linear(Tensor x) {
    check(x);
    try (Scope scope = Scope.open()) {
      Tensor modes = Fourier.complexMul(modes(x), derivative.on(x).gradient());
      return scope.keep(Fourier.irfft(modes.sum(1), x.dim(2), x.dim(3)));
    }
  }

  /** Returns the negative gradient (-dr/dx, -dr/dy), of shape [batch, 2 frames, height, width]. */
  @Override
  public Tensor adjoint(Tensor r, Shape field) {
    try (Scope scope = Scope.open()) {
      Tensor modes = Fourier.rfft(r, 2).unsqueeze(1);
      Tensor gradient = Fourier.complexMul(modes, derivative.on(r).gradient());
      return scope.keep(Fourier.irfft(gradient, r.dim(2), r.dim(3)).reshape(field).neg());
    }
  }

  /** Returns the solution of the Poisson equation, which is (AAᵀ)⁺ itself. */
  @Override
  public Tensor precondition(Tensor r, Shape field) {
    try (Scope scope = Scope.open()) {
      Tensor modes = Fourier.rfft(r, 2).mul(derivative.on(r).inverseLaplacian());
      return scope.keep(Fourier.irfft(modes, r.dim(2), r.dim(3)));
    }
  }

  /**
   * Returns this constraint itself, because means drop out of derivatives and a common scale does
   * not matter.
   *
   * @throws IllegalArgumentException when u and v of a frame have different scales
   */
  @Override
  public DivergenceFree normalized(Normalization units) {
    requireOneScale(name(), units, 2);
    return this;
  }

  /** Refuses units in which the components of a velocity have different scales. */
  static void requireOneScale(String name, Normalization units, int components) {
    int frames = units.channels() / components;
    Check.that(
        units.channels() == components * frames && frames > 0,
        name,
        "normalization of %d channels: velocities have %d for every frame",
        units.channels(),
        components);
    for (int c = 0; c < units.channels(); c++) {
      double first = units.scale().get(c % frames);
      double other = units.scale().get(c);
      if (first != other) {
        throw new IllegalArgumentException(
            ("[%s] frame %d has scale %s for component 0 and %s for component %d: "
                    + "a flow stays incompressible only with one scale for all of them")
                .formatted(name, c % frames, first, other, c / frames));
      }
    }
  }

  /** Requires a field of velocities on a grid on which the derivatives work. */
  void check(Tensor x) {
    derivative.check(name(), x, 2);
    Check.that(
        x.dim(1) > 0 && x.dim(1) % 2 == 0,
        name(),
        "field %s has %d channels: velocities have u and v, an even number",
        x.shape(),
        x.dim(1));
  }

  /** Returns the half spectra of u and v, of shape [batch, 2, frames, height, width / 2 + 1, 2]. */
  static Tensor modes(Tensor x) {
    Tensor pairs = x.reshape(x.dim(0), 2, x.dim(1) / 2, x.dim(2), x.dim(3));
    return Fourier.rfft(pairs, 2);
  }
}
