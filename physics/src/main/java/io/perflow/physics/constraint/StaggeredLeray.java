package io.perflow.physics.constraint;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The projector onto {@link StaggeredFlow}: closed faces are set to 0, and open ones lose the
 * gradient that carries all divergence, u ↦ u - Dᵀ(D Dᵀ)⁺D u.
 *
 * <p>It works in double precision for fields of any type and rounds once, at the end: the pressure
 * of a large grid is much larger than the differences that the velocities lose.
 */
final class StaggeredLeray extends OrthogonalProjector {
  private final StaggeredFlow constraint;
  private final Map<Shape, Pressure> pressures = new ConcurrentHashMap<>(); // by [height, width]

  StaggeredLeray(StaggeredFlow constraint) {
    super(List.of(constraint));
    this.constraint = constraint;
  }

  @Override
  Tensor nearest(Tensor x) {
    Tensor exact = constraint.moving(x.to(DataType.F64));
    return constraint.fromMoving(projected(exact, x.type())).to(x.type());
  }

  @Override
  Tensor linear(Tensor v) {
    return projected(v.to(DataType.F64), v.type()).to(v.type());
  }

  // Round-off of the pressure leaves about 1e-13 of the divergence on grids of 128 x 128. A second
  // pass removes it where the field's type can represent it.
  private Tensor projected(Tensor v, DataType type) {
    Faces faces = constraint.on(v);
    Shape grid = Shape.of(v.dim(2), v.dim(3));
    Pressure pressure = pressures.computeIfAbsent(grid, _ -> pressure(faces));
    Tensor once = withoutDivergence(faces.open(v), faces, pressure);
    return type == DataType.F64 ? withoutDivergence(once, faces, pressure) : once;
  }

  private static Tensor withoutDivergence(Tensor open, Faces faces, Pressure pressure) {
    Tensor q = pressure.of(faces.divergence(open));
    return open.sub(faces.open(faces.transposedDivergence(q)));
  }

  private Pressure pressure(Faces faces) {
    return constraint.obstacles() ? new FactoredPressure(faces) : new TransformedPressure(faces);
  }

  @Override
  boolean uniform() {
    return constraint.uniform();
  }
}
