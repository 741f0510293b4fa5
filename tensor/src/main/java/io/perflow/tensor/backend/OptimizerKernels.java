package io.perflow.tensor.backend;

import io.perflow.tensor.Tensor;

/**
 * Kernels of optimizer steps, the only ones besides {@link MemoryKernels#assign} that change an
 * operand. All operands are row-major and of one shape.
 */
public interface OptimizerKernels {
  /** Takes one Adam step on p with gradient g and moments m, v. */
  void adam(Tensor p, Tensor g, Tensor m, Tensor v, AdamSpec spec);

  /** Takes one gradient-descent step on p; velocity may be null when momentum is 0. */
  void sgd(Tensor p, Tensor g, Tensor velocity, SgdSpec spec);

  /** Sets average = decay * average + (1 - decay) * p. */
  void ema(Tensor average, Tensor p, double decay);
}
