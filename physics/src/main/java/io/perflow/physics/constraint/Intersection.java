package io.perflow.physics.constraint;

import java.util.ArrayList;
import java.util.List;

/**
 * The search for the projector onto a set of constraints: a base with a closed form for as many of
 * them as possible, and the affine machinery for the rest.
 */
final class Intersection {
  private final List<Constraint> constraints;
  private final boolean leastSquares;
  private final List<AffineConstraint> flows = new ArrayList<>();
  private final List<DivergenceFree3d> volumes = new ArrayList<>();
  private final List<PoissonEquation> equations = new ArrayList<>();
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
        case StaggeredFlow s -> flows.add(s);
        case PoissonEquation e -> equations.add(e);
        case DivergenceFree3d v -> volumes.add(v);
        case Measured s when leastSquares -> fitted.add(s);
        case Prescribed p -> pins.add(p);
        case Mass m -> masses.add(m);
        case AffineConstraint a -> others.add(a);
        case Bounds b -> bounds.add(b);
        default -> curved.add(constraint);
      }
    }
  }

  /** Returns the projector onto all constraints; throws if they cannot all hold. */
  static Projector of(List<? extends Constraint> constraints) {
    return new Intersection(constraints, false).projector();
  }

  /**
   * Returns the projector that satisfies sensors and general affine constraints in the
   * least-squares sense, as far as the other constraints allow.
   */
  static Projector fitting(List<? extends Constraint> constraints) {
    return new Intersection(constraints, true).projector();
  }

  private Projector projector() {
    if (constraints.isEmpty()) {
      return Projector.none();
    }
    if (!volumes.isEmpty()) {
      return inSpace();
    }
    if (!bounds.isEmpty()) {
      return bounded();
    }
    OrthogonalProjector flat =
        !flows.isEmpty() ? incompressible() : equations.isEmpty() ? pinned() : poisson();
    return curved.isEmpty() ? flat : new CurvedProjector(constraints, flat, curved);
  }

  private OrthogonalProjector inSpace() {
    if (constraints.size() > 1) {
      throw new IllegalArgumentException(
          ("[%s] flow in three dimensions cannot be joined with other constraints: all others are"
                  + " of fields in a plane")
              .formatted(Conflict.names(constraints)));
    }
    return new Leray3d(volumes.getFirst());
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
    List<AffineConstraint> affine = new ArrayList<>(flows);
    affine.addAll(equations);
    affine.addAll(masses);
    affine.addAll(others);
    return new BoundedProjector(constraints, bounds, pins, affine);
  }

  private boolean isFitted(Constraint constraint) {
    return constraint instanceof Measured || others.contains(constraint);
  }

  private OrthogonalProjector poisson() {
    PoissonEquation equation = equations.removeFirst();
    List<Prescribed> edges =
        pins.stream().filter(p -> p instanceof Dirichlet d && d.onEdges()).toList();
    pins.removeAll(edges);
    others.addAll(equations);
    addPins();
    return with(new PoissonProjector(equation, edges), false);
  }

  private void addPins() {
    if (!pins.isEmpty()) {
      others.add(new AllPins(pins));
    }
  }

  private OrthogonalProjector pinned() {
    Mass mass = masses.stream().filter(Mass::everywhere).findFirst().orElse(null);
    masses.remove(mass);
    return with(new PinnedMean(pins, mass), false);
  }

  private OrthogonalProjector incompressible() {
    OrthogonalProjector base = leray(flows.removeFirst());
    Mass whole = masses.stream().filter(Mass::whole).findFirst().orElse(null);
    if (whole != null && base.uniform()) {
      masses.remove(whole);
      base = new Commuting(base, new PinnedMean(List.of(), whole));
    }
    others.addAll(flows);
    others.addAll(equations);
    addPins();
    return with(base, base.uniform());
  }

  private static OrthogonalProjector leray(AffineConstraint flow) {
    return flow instanceof StaggeredFlow staggered
        ? new StaggeredLeray(staggered)
        : new Leray((DivergenceFree) flow);
  }

  // Means hold exactly even where others are only fitted, so they are joined to the base first.
  private OrthogonalProjector with(OrthogonalProjector base, boolean frameByFrame) {
    List<AffineConstraint> rest = new ArrayList<>(others);
    if (!fitted.isEmpty()) {
      rest.add(new AllPins(List.copyOf(fitted)));
    }
    List<? extends Constraint> affine =
        constraints.stream().filter(c -> !curved.contains(c)).toList();
    if (leastSquares && !masses.isEmpty() && !rest.isEmpty()) {
      List<Constraint> firm = new ArrayList<>(base.constraints());
      firm.addAll(masses);
      var exact = new JointProjector(firm, base, List.copyOf(masses), frameByFrame, false);
      return new JointProjector(affine, exact, rest, false, true);
    }
    rest.addAll(masses);
    return rest.isEmpty()
        ? base
        : new JointProjector(affine, base, rest, frameByFrame, leastSquares);
  }
}
