package io.perflow.physics.constraint;

import java.util.ArrayList;
import java.util.List;

/** Finds the projector for a set of constraints. */
final class Intersection {
  private Intersection() {}

  static Projector of(List<? extends Constraint> constraints) {
    List<Prescribed> prescribed = new ArrayList<>();
    List<Mass> masses = new ArrayList<>();
    List<DivergenceFree> flows = new ArrayList<>();
    for (Constraint constraint : constraints) {
      switch (constraint) {
        case Prescribed p -> prescribed.add(p);
        case Mass m -> masses.add(m);
        case DivergenceFree d -> flows.add(d);
        default ->
            throw new IllegalArgumentException(
                "[projector] no projection onto %s is known".formatted(constraint.name()));
      }
    }
    if (constraints.isEmpty()) {
      return Projector.none();
    }
    if (flows.isEmpty() && masses.size() <= 1) {
      return new PinnedMean(prescribed, masses.isEmpty() ? null : masses.getFirst());
    }
    if (flows.size() == 1 && masses.isEmpty() && prescribed.isEmpty()) {
      return new Leray(flows.getFirst());
    }
    throw new IllegalArgumentException(
        "[projector] no joint projection onto %s is known".formatted(Conflict.names(constraints)));
  }
}
