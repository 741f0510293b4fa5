package io.perflow.physics.constraint;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds the projector for a set of constraints: a base with a closed form for as many of them as
 * possible, and the affine machinery for the rest.
 */
final class Intersection {
  private final List<Constraint> constraints;
  private final boolean leastSquares;
  private final List<DivergenceFree> flows = new ArrayList<>();
  private final List<Prescribed> pins = new ArrayList<>();
  private final List<Measured> fitted = new ArrayList<>();
  private final List<Mass> masses = new ArrayList<>();
  private final List<AffineConstraint> others = new ArrayList<>();
  private final List<Bounds> bounds = new ArrayList<>();
  private final List<Constraint> curved = new ArrayList<>();

  private Intersection(List<? extends Constraint> constraints, boolean leastSquares) {
    this.constraints = List.copyOf(constraints);
    this.leastSquares = leastSquares;
    for (Constraint constraint : constraints) {
      switch (constraint) {
        case DivergenceFree d -> flows.add(d);
        case Measured s when leastSquares -> fitted.add(s);
        case Prescribed p -> pins.add(p);
        case Mass m -> masses.add(m);
        case AffineConstraint a -> others.add(a);
        case Bounds b -> bounds.add(b);
        default -> curved.add(constraint);
      }
    }
  }

  /** All constraints at once, or an error when that is impossible. */
  static Projector of(List<? extends Constraint> constraints) {
    return new Intersection(constraints, false).projector();
  }

  /** The same, with sensors and general affine constraints met as well as the others allow. */
  static Projector fitting(List<? extends Constraint> constraints) {
    return new Intersection(constraints, true).projector();
  }

  private Projector projector() {
    if (constraints.isEmpty()) {
      return Projector.none();
    }
    if (!bounds.isEmpty()) {
      return bounded();
    }
    OrthogonalProjector flat = flows.isEmpty() ? pinned() : incompressible();
    return curved.isEmpty() ? flat : new CurvedProjector(constraints, flat, curved);
  }

  private Projector bounded() {
    if (!curved.isEmpty()) {
      throw new IllegalArgumentException(
          ("[projector] bounds and %s cannot be combined: within bounds only affine constraints"
                  + " have one nearest field; drop one of them")
              .formatted(Conflict.names(curved)));
    }
    boolean fits = leastSquares && !(fitted.isEmpty() && others.isEmpty());
    if (fits) {
      Projector fit = fitting(constraints.stream().filter(c -> !(c instanceof Bounds)).toList());
      Projector within = of(constraints.stream().filter(c -> !(isFitted(c))).toList());
      return new FittedWithin(constraints, fit, within);
    }
    List<AffineConstraint> equations = new ArrayList<>(flows);
    equations.addAll(masses);
    equations.addAll(others);
    return new BoundedProjector(constraints, bounds, pins, equations);
  }

  private boolean isFitted(Constraint constraint) {
    return constraint instanceof Measured || others.contains(constraint);
  }

  private OrthogonalProjector pinned() {
    Mass mass = masses.isEmpty() ? null : masses.removeFirst();
    return with(new PinnedMean(pins, mass), false);
  }

  private OrthogonalProjector incompressible() {
    OrthogonalProjector base = new Leray(flows.removeFirst());
    Mass whole = masses.stream().filter(Mass::whole).findFirst().orElse(null);
    if (whole != null) {
      masses.remove(whole);
      base = new Commuting(base, new PinnedMean(List.of(), whole));
    }
    others.addAll(flows);
    if (!pins.isEmpty()) {
      others.add(new AllPins(pins));
    }
    return with(base, true);
  }

  private OrthogonalProjector with(OrthogonalProjector base, boolean frameByFrame) {
    List<AffineConstraint> rest = new ArrayList<>(others);
    rest.addAll(masses);
    if (!fitted.isEmpty()) {
      rest.add(new AllPins(List.copyOf(fitted)));
    }
    if (rest.isEmpty()) {
      return base;
    }
    List<? extends Constraint> affine =
        constraints.stream().filter(c -> !curved.contains(c)).toList();
    return new JointProjector(affine, base, rest, frameByFrame, leastSquares);
  }
}
