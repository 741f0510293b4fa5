package io.perflow.cli;

import io.perflow.flow.PriorModel;
import io.perflow.tensor.Named;
import java.util.Optional;

/**
 * The systems that {@code --system} names: the ways in which a model turns readings into fields.
 */
enum TrainedSystem {
  /** A network that carries noise, or a sample of the prior, to the field. */
  FLOW(null),
  /** The Gaussian prior, conditioned on the readings. */
  KRIGING(PriorModel.Use.KRIGING),
  /** Solutions of the problem's equation that fit the readings. */
  ASSIMILATION(PriorModel.Use.ASSIMILATION);

  private final PriorModel.Use use; // null for a network

  TrainedSystem(PriorModel.Use use) {
    this.use = use;
  }

  /** Returns the system of a prior without a network. */
  static TrainedSystem of(PriorModel.Use use) {
    return Named.parse(TrainedSystem.class, use.toString(), "system");
  }

  /** Returns the use of a prior; empty for a network. */
  Optional<PriorModel.Use> use() {
    return Optional.ofNullable(use);
  }
}
