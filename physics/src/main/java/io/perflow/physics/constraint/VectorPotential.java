package io.perflow.physics.constraint;

import io.perflow.tensor.Fourier;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/**
 * The curl of a vector potential: A ↦ (dA3/dy - dA2/dz, dA1/dz - dA3/dx, dA2/dx - dA1/dy) on the
 * unit torus, the counterpart of {@link StreamFunction} in three dimensions.
 *
 * <p>Its velocities have no divergence, because derivatives commute, and no mean. Every velocity of
 * {@link DivergenceFree3d} is such a curl except for its mean flow and for waves whose derivatives
 * the grid cannot see; adding a gradient to A changes nothing.
 */
public final class VectorPotential {
  private static final VectorPotential SPECTRAL = new VectorPotential(DivergenceFree3d.spectral());
  private static final int[] NEXT = {1, 2, 0};
  private static final int[] AFTER_NEXT = {2, 0, 1};

  private final DivergenceFree3d constraint;

  private VectorPotential(DivergenceFree3d constraint) {
    this.constraint = constraint;
  }

  /** Returns the curl of {@link DivergenceFree3d#spectral}. */
  public static VectorPotential spectral() {
    return SPECTRAL;
  }

  /** Returns the curl whose divergence vanishes in the sense of this constraint. */
  public static VectorPotential of(DivergenceFree3d constraint) {
    return new VectorPotential(constraint);
  }

  /** Returns the constraint that its velocities satisfy. */
  public DivergenceFree3d constraint() {
    return constraint;
  }

  /**
   * Returns the velocity of a potential, which is its curl.
   *
   * @param potential [batch, 3 frames, depth, height, width]
   * @return of the same shape, the first component of all frames first
   */
  public Tensor velocity(Tensor potential) {
    try (Scope scope = Scope.open()) {
      return scope.keep(DivergenceFree3d.fields(curl(potential), potential.shape()));
    }
  }

  /**
   * Returns the potential without divergence and mean whose curl is the incompressible part of a
   * velocity, without its mean.
   *
   * @param velocity [batch, 3 frames, depth, height, width]
   * @return of the same shape
   */
  public Tensor potential(Tensor velocity) {
    try (Scope scope = Scope.open()) {
      Tensor inverse = constraint.derivative().on(velocity).inverseLaplacian();
      return scope.keep(DivergenceFree3d.fields(curl(velocity).mul(inverse), velocity.shape()));
    }
  }

  // Returns (is) × â for every wave.
  private Tensor curl(Tensor a) {
    Tensor modes = constraint.modes("vector potential", a);
    Tensor gradient = constraint.derivative().on(a).gradient();
    return product(gradient, modes, NEXT, AFTER_NEXT)
        .sub(product(gradient, modes, AFTER_NEXT, NEXT));
  }

  private static Tensor product(Tensor gradient, Tensor modes, int[] of, int[] with) {
    return Fourier.complexMul(gradient.gather(0, of), modes.gather(1, with));
  }
}
