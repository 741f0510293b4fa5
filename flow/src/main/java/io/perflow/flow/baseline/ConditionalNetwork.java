package io.perflow.flow.baseline;

import io.perflow.flow.Condition;
import io.perflow.flow.FlowConfig;
import io.perflow.flow.Observations;
import io.perflow.flow.RectifiedFlow;
import io.perflow.nn.unet.UNet;
import io.perflow.physics.MaskSampler;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/**
 * The U-Net, the condition and the noise of a plain rectified flow, which other systems use so that
 * only their paths differ.
 */
final class ConditionalNetwork {
  private final RectifiedFlow flow;
  private final MaskSampler masks;

  ConditionalNetwork(FlowConfig setting, Rng rng) {
    flow = RectifiedFlow.of(setting.unprojected(), rng);
    masks = setting.problem().masks();
  }

  FlowConfig setting() {
    return flow.config();
  }

  UNet layers() {
    return flow.network();
  }

  /** Draws sensors for fields and computes the condition. */
  Condition drawCondition(Tensor fields, Rng rng) {
    Tensor planes = masks.draw(rng, fields.dim(0));
    return flow.condition(Observations.of(fields, planes));
  }

  /** Returns the condition of a sampler. */
  Condition given(Observations seen) {
    return flow.given(seen);
  }

  /** Draws noise of variance 1, from which a flow starts. */
  Tensor noise(Rng rng, int count, Device device) {
    return flow.start(rng, count, device);
  }

  /** Returns the output of the U-Net at states x [batch, …] and times t [batch] in [0, 1]. */
  Tensor output(Tensor x, Tensor t, Condition condition) {
    try (Scope scope = Scope.open()) {
      return scope.keep(condition.network().apply(x, t));
    }
  }

  /**
   * Returns the field that a network predicts for the end of the path, as a clean field or a
   * correction.
   */
  Tensor field(Tensor x, Tensor t, Condition condition) {
    try (Scope scope = Scope.open()) {
      // With a gap of 1, the velocity is the displacement to that field.
      return scope.keep(x.add(flow.velocity(x, t, condition, 1)));
    }
  }
}
