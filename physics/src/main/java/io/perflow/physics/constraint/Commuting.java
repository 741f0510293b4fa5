package io.perflow.physics.constraint;

import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * A projector that applies two projectors in turn. This is the projector onto the intersection only
 * if they commute: the Leray projector does not change means, and correcting means over the whole
 * grid does not change divergences.
 */
final class Commuting extends OrthogonalProjector {
  private final OrthogonalProjector first;
  private final OrthogonalProjector second;

  Commuting(OrthogonalProjector first, OrthogonalProjector second) {
    super(both(first, second));
    this.first = first;
    this.second = second;
  }

  private static List<Constraint> both(Projector first, Projector second) {
    List<Constraint> both = new ArrayList<>(first.constraints());
    both.addAll(second.constraints());
    return both;
  }

  @Override
  Tensor nearest(Tensor x) {
    return second.nearest(first.nearest(x));
  }

  @Override
  Tensor linear(Tensor v) {
    return second.linear(first.linear(v));
  }

  @Override
  boolean uniform() {
    return first.uniform() && second.uniform();
  }

  @Override
  Tensor step(Tensor x, Tensor to, Tensor from, double weight) {
    return second.step(x, first.linear(difference(to, from)), null, weight);
  }
}
