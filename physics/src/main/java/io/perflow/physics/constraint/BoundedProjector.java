package io.perflow.physics.constraint;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A projector onto the nearest field within bounds that also satisfies affine constraints.
 *
 * <p>Bounds and prescribed values alone clip the field. Together with one {@link Mass}, each mean
 * needs the root of a function of one variable; other equations need Newton's method on their
 * multipliers. Both work in double precision and round once.
 *
 * <p>Where no value just touches its bound, the derivative is the orthogonal projection onto the
 * directions that keep the equations and move no value at a bound. {@link #tangent} at the nearest
 * point is this derivative. Steps along it may leave the set.
 */
final class BoundedProjector implements Projector {
  private final List<Constraint> constraints;
  private final List<Bounds> bounds;
  private final List<Prescribed> pins;
  private final List<AffineConstraint> equations;
  private final String name;
  private final Map<Shape, Box> boxes = new ConcurrentHashMap<>();

  /**
   * Creates a projector for {@code constraints}, which are bounds, prescribed values and equations.
   */
  BoundedProjector(
      List<Constraint> constraints,
      List<Bounds> bounds,
      List<Prescribed> pins,
      List<AffineConstraint> equations) {
    this.constraints = List.copyOf(constraints);
    this.bounds = List.copyOf(bounds);
    this.pins = List.copyOf(pins);
    this.equations = List.copyOf(equations);
    name = Conflict.names(constraints);
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
  public boolean convex() {
    return true;
  }

  @Override
  public Tensor project(Tensor x) {
    return new NearestPoint(name, this::nearest, this::tangent).apply(x);
  }

  private Tensor nearest(Tensor x) {
    Box box = box(x.shape());
    if (equations.isEmpty()) {
      return box.clip(x);
    }
    Tensor exact = x.to(DataType.F64);
    Tensor y =
        equations.size() == 1 && equations.getFirst() instanceof Mass mass
            ? new BoundedMean(mass, box).nearest(exact)
            : new DualNewton(constraints, equations, box, x.shape()).nearest(exact);
    return y.to(x.type());
  }

  /**
   * Returns the part of a velocity that keeps the equations and moves no value that is at a bound.
   */
  @Override
  public Tensor tangent(Tensor velocity, Tensor at) {
    List<Constraint> face = new ArrayList<>(equations);
    face.add(Dirichlet.on(box(at.shape()).free(at).eq(0), at));
    return Projector.onto(face).tangent(velocity, at);
  }

  private Box box(Shape field) {
    Box box = boxes.computeIfAbsent(field.with(0, 1), _ -> Box.of(bounds, pins, field));
    Broadcasting.check(name, "prescribed values", box.lower().exact().shape(), field);
    return box;
  }
}
