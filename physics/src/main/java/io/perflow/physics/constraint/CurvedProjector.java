package io.perflow.physics.constraint;

import io.perflow.autograd.Jacobian;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.List;

/**
 * A projector onto the manifold g(x) = 0 within the flat one of a base projector P.
 *
 * <p>Velocities lose their part in the normal space, v ↦ P v - T'(T T')⁻¹ T v with T = J P. Fields
 * are brought back by Newton's method for underdetermined systems, x ↦ x - T'(T T')⁻¹ g(x), which
 * stays within the flat manifold and whose derivative at points of the curved one is the tangent
 * projection. Both work in double precision and round once.
 *
 * <p>A tape follows all of it when there are few equations. When there are many, the tangent
 * projection has a gradient in the velocity, which is what training needs, and no other.
 */
final class CurvedProjector implements Projector {
  private static final int MOST_STEPS = 50;

  // Up to this number of equations per sample, a basis of the normal space is formed with one
  // reverse pass for each; beyond it, only products with the Jacobian are used.
  private static final int FEW = 32;

  private static final double ROUND_OFF = 1e-14;
  private static final double STALLED = 1e-10; // below, a step that is not shorter is round-off

  private final List<Constraint> constraints;
  private final OrthogonalProjector base;
  private final List<Constraint> curved;
  private final String name;

  CurvedProjector(
      List<? extends Constraint> constraints, OrthogonalProjector base, List<Constraint> curved) {
    this.constraints = List.copyOf(constraints);
    this.base = base;
    this.curved = List.copyOf(curved);
    this.name = Conflict.names(curved);
  }

  @Override
  public List<Constraint> constraints() {
    return constraints;
  }

  @Override
  public boolean curved() {
    return true;
  }

  @Override
  public Tensor project(Tensor x) {
    Broadcasting.field(name, x);
    try (Scope scope = Scope.open()) {
      Tensor y = base.project(x.to(DataType.F64));
      double before = Double.POSITIVE_INFINITY;
      for (int step = 0; step < MOST_STEPS; step++) {
        Tensor change = newton(y);
        y = y.sub(change);
        double relative = largest(change) / largest(y);
        if (relative <= ROUND_OFF || relative <= STALLED && relative > 0.5 * before) {
          return scope.keep(y.to(x.type()));
        }
        before = relative;
      }
      throw new IllegalArgumentException(
          ("[%s] Newton's method has not converged after %d steps, the last of relative length"
                  + " %.2g: start closer to the manifold")
              .formatted(name, MOST_STEPS, before));
    }
  }

  private Tensor newton(Tensor y) {
    try (Scope scope = Scope.open();
        Jacobian jacobian = Jacobian.of(this::g, y)) {
      if (jacobian.value().dim(1) > FEW) {
        return scope.keep(many().apply(y));
      }
      return scope.keep(new NormalSpace(jacobian, base, y, name).change(jacobian.value()));
    }
  }

  @Override
  public Tensor tangent(Tensor velocity, Tensor at) {
    Tensor point = at.to(DataType.F64);
    try (Scope scope = Scope.open();
        Jacobian jacobian = Jacobian.of(this::g, point)) {
      Tensor v = base.tangent(velocity.to(DataType.F64), point);
      Tensor normal =
          jacobian.value().dim(1) > FEW
              ? many().apply(v, point)
              : new NormalSpace(jacobian, base, point, name).component(v);
      return scope.keep(v.sub(normal).to(velocity.type()));
    }
  }

  private IterativeNormal many() {
    return new IterativeNormal(name, this::g, base);
  }

  private Tensor g(Tensor x) {
    return Tensor.concat(
        1, curved.stream().map(c -> c.residual(x).reshape(x.dim(0), -1)).toArray(Tensor[]::new));
  }

  private static double largest(Tensor x) {
    return x.abs().max(false).item();
  }
}
