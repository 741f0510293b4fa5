package io.perflow.cuda;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.AdamSpec;
import io.perflow.tensor.backend.OptimizerKernels;
import io.perflow.tensor.backend.SgdSpec;

/** The parameter updates in place: {@code optimizer.cu}. */
final class Updates implements OptimizerKernels {
  private static final String FILE = "optimizer";

  private final Gpu gpu;

  Updates(Gpu gpu) {
    this.gpu = gpu;
  }

  @Override
  public void adam(Tensor p, Tensor g, Tensor m, Tensor v, AdamSpec spec) {
    changed(p, m, v);
    DataType type = p.type();
    Struct s = new Struct();
    double[] numbers = {
      spec.lr(),
      spec.beta1(),
      spec.beta2(),
      1 - spec.beta1(),
      1 - spec.beta2(),
      spec.eps(),
      spec.decoupled() ? spec.lr() * spec.weightDecay() : 0,
      spec.decoupled() ? 0 : spec.weightDecay(),
      1 - Math.pow(spec.beta1(), spec.step()),
      1 - Math.pow(spec.beta2(), spec.step()),
      spec.gradScale()
    };
    for (double number : numbers) {
      s.number(type, number);
    }
    gpu.launch(
        FILE,
        "adam" + Gpu.suffix(type),
        Grid.threads(p.size()),
        a -> a.tensor(p).tensor(g).tensor(m).tensor(v).ints(p.size()).struct(s));
  }

  @Override
  public void sgd(Tensor p, Tensor g, Tensor velocity, SgdSpec spec) {
    Tensor u = spec.momentum() == 0 ? null : velocity;
    changed(p);
    if (u != null) {
      changed(u);
    }
    DataType type = p.type();
    Struct s =
        new Struct()
            .number(type, spec.lr())
            .number(type, spec.momentum())
            .number(type, spec.weightDecay())
            .number(type, spec.gradScale())
            .flag(spec.nesterov())
            .flag(spec.first());
    gpu.launch(
        FILE,
        "sgd" + Gpu.suffix(type),
        Grid.threads(p.size()),
        a -> a.tensor(p).tensor(g).tensor(u).ints(p.size()).struct(s));
  }

  @Override
  public void ema(Tensor average, Tensor p, double decay) {
    changed(average);
    gpu.launch(
        FILE,
        "ema" + Gpu.suffix(p.type()),
        Grid.threads(p.size()),
        a ->
            a.tensor(average)
                .tensor(p)
                .number(p.type(), decay)
                .number(p.type(), 1 - decay)
                .ints(p.size()));
  }

  /** Marks data derived from the contents of storages as stale. */
  private static void changed(Tensor... tensors) {
    for (Tensor tensor : tensors) {
      CudaStorage.of(tensor).changed();
    }
  }
}
