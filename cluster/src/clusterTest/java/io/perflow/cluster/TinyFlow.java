package io.perflow.cluster;

import io.perflow.flow.FlowConfig;
import io.perflow.flow.Recipe;
import io.perflow.flow.RectifiedFlow;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.solver.Heat;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.List;

/** A small flow of temperatures and fields for it, the same in every process. */
final class TinyFlow {
  static final Normalization UNITS = new Normalization(List.of(300.0), List.of(5.0));
  private static final Heat HEAT = Heat.standard().size(16);

  private TinyFlow() {}

  static Problem problem() {
    return HEAT.problem();
  }

  /** Fields, normalized. */
  static Tensor fields(int count) {
    return UNITS.normalize(HEAT.samples(count, Rng.of(1)));
  }

  /** The flow before it is trained. */
  static RectifiedFlow flow() {
    UNetConfig network =
        new UNetConfig(1, 1, 2, List.of(16, 16), 1, List.of(false, true), 2, 4, 32, false, false);
    FlowConfig config = Recipe.FAST.flow(problem(), UNITS).network(network);
    return RectifiedFlow.of(config, Rng.of(1));
  }
}
