package io.perflow.tensor.cpu.optimizer;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.AdamSpec;
import io.perflow.tensor.backend.OptimizerKernels;
import io.perflow.tensor.backend.SgdSpec;
import io.perflow.tensor.cpu.loop.Ranges;
import io.perflow.tensor.cpu.memory.CpuStorage;

/** Parameter updates, in place; operands are row-major and of one shape. */
public class ScalarOptimizers implements OptimizerKernels {
  /**
   * Adam (Kingma and Ba, 2015) or AdamW (Loshchilov and Hutter, 2019):
   *
   * <pre>
   * m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2,
   * p = p - lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)
   * </pre>
   *
   * Decoupled weight decay first takes lr wd p off p; the other kind adds wd p to g.
   */
  @Override
  public void adam(Tensor p, Tensor g, Tensor m, Tensor v, AdamSpec spec) {
    double correction1 = 1 - Math.pow(spec.beta1(), spec.step());
    double correction2 = 1 - Math.pow(spec.beta2(), spec.step());
    Slot ps = Slot.of(p);
    Slot gs = Slot.of(g);
    Slot ms = Slot.of(m);
    Slot vs = Slot.of(v);
    Ranges.run(
        p.size(),
        1,
        (from, to) -> {
          for (int i = from; i < to; i++) {
            double value = ps.get(i);
            double grad = gs.get(i) * spec.gradScale();
            if (spec.decoupled()) {
              value -= spec.lr() * spec.weightDecay() * value;
            } else {
              grad += spec.weightDecay() * value;
            }
            double first = spec.beta1() * ms.get(i) + (1 - spec.beta1()) * grad;
            double second = spec.beta2() * vs.get(i) + (1 - spec.beta2()) * grad * grad;
            ms.set(i, first);
            vs.set(i, second);
            double step = first / correction1 / (Math.sqrt(second / correction2) + spec.eps());
            ps.set(i, value - spec.lr() * step);
          }
        });
    ps.storage().changed();
    ms.storage().changed();
    vs.storage().changed();
  }

  /**
   * Gradient descent; with momentum mu: u = mu u + g, p = p - lr u, or lr (g + mu u) if Nesterov.
   */
  @Override
  public void sgd(Tensor p, Tensor g, Tensor velocity, SgdSpec spec) {
    Slot ps = Slot.of(p);
    Slot gs = Slot.of(g);
    double mu = spec.momentum();
    Slot us = mu == 0 ? null : Slot.of(velocity);
    Ranges.run(
        p.size(),
        1,
        (from, to) -> {
          for (int i = from; i < to; i++) {
            double value = ps.get(i);
            double step = gs.get(i) * spec.gradScale() + spec.weightDecay() * value;
            if (mu != 0) {
              double u = spec.first() ? step : mu * us.get(i) + step;
              us.set(i, u);
              step = spec.nesterov() ? step + mu * u : u;
            }
            ps.set(i, value - spec.lr() * step);
          }
        });
    ps.storage().changed();
    if (mu != 0) {
      us.storage().changed();
    }
  }

  /** average = decay average + (1 - decay) p. */
  @Override
  public void ema(Tensor average, Tensor p, double decay) {
    Slot as = Slot.of(average);
    Slot ps = Slot.of(p);
    Ranges.run(
        p.size(),
        1,
        (from, to) -> {
          for (int i = from; i < to; i++) {
            as.set(i, decay * as.get(i) + (1 - decay) * ps.get(i));
          }
        });
    as.storage().changed();
  }

  /** Element i of a row-major tensor. */
  private record Slot(CpuStorage storage, int offset) {
    static Slot of(Tensor tensor) {
      return new Slot(CpuStorage.of(tensor), tensor.layout().offset());
    }

    double get(int i) {
      return storage.get(offset + i);
    }

    void set(int i, double value) {
      storage.set(offset + i, value);
    }
  }
}
