package io.perflow.tensor.cpu.optimizer;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.AdamSpec;
import io.perflow.tensor.backend.SgdSpec;
import io.perflow.tensor.cpu.memory.FloatStorage;

/** Optimiser steps on row-major F32 tensors, in place. */
public final class SimdOptimizers extends ScalarOptimizers {
  @Override
  public void adam(Tensor p, Tensor g, Tensor m, Tensor v, AdamSpec spec) {
    if (!FloatStorage.holds(p)) {
      super.adam(p, g, m, v, spec);
      return;
    }
    float[] parameter = FloatStorage.data(p);
    float lr = (float) spec.lr();
    float beta1 = (float) spec.beta1();
    float beta2 = (float) spec.beta2();
    float eps = (float) spec.eps();
    float decay = (float) spec.weightDecay();
    float scale = (float) spec.gradScale();
    if (spec.decoupled()) {
      Optimizers.adamW(
          parameter,
          at(p),
          FloatStorage.data(g),
          at(g),
          FloatStorage.data(m),
          at(m),
          FloatStorage.data(v),
          at(v),
          p.size(),
          lr,
          beta1,
          beta2,
          eps,
          decay,
          spec.step(),
          scale);
    } else {
      Optimizers.adam(
          parameter,
          at(p),
          FloatStorage.data(g),
          at(g),
          FloatStorage.data(m),
          at(m),
          FloatStorage.data(v),
          at(v),
          p.size(),
          lr,
          beta1,
          beta2,
          eps,
          decay,
          spec.step(),
          scale);
    }
    ((FloatStorage) p.storage()).changed();
  }

  @Override
  public void sgd(Tensor p, Tensor g, Tensor velocity, SgdSpec spec) {
    if (!FloatStorage.holds(p)) {
      super.sgd(p, g, velocity, spec);
      return;
    }
    Optimizers.sgd(
        FloatStorage.data(p),
        at(p),
        FloatStorage.data(g),
        at(g),
        velocity == null ? null : FloatStorage.data(velocity),
        velocity == null ? 0 : at(velocity),
        p.size(),
        (float) spec.lr(),
        (float) spec.momentum(),
        (float) spec.weightDecay(),
        spec.nesterov(),
        spec.first(),
        (float) spec.gradScale());
    ((FloatStorage) p.storage()).changed();
  }

  @Override
  public void ema(Tensor average, Tensor p, double decay) {
    if (!FloatStorage.holds(p)) {
      super.ema(average, p, decay);
      return;
    }
    Optimizers.ema(
        FloatStorage.data(average),
        at(average),
        FloatStorage.data(p),
        at(p),
        p.size(),
        (float) decay);
    ((FloatStorage) average.storage()).changed();
  }

  private static int at(Tensor x) {
    return x.layout().offset();
  }
}
