package io.perflow.cuda;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.RandomKernels;

/** The random numbers of Philox, with the same bits as on the CPU: {@code random.cu}. */
final class RandomNumbers implements RandomKernels {
  private final Gpu gpu;

  RandomNumbers(Gpu gpu) {
    this.gpu = gpu;
  }

  @Override
  public Tensor uniform(long key, long counter, Shape shape, DataType type) {
    return draw("uniform", key, counter, shape, type);
  }

  @Override
  public Tensor normal(long key, long counter, Shape shape, DataType type) {
    return draw("normal", key, counter, shape, type);
  }

  private Tensor draw(String kernel, long key, long counter, Shape shape, DataType type) {
    Tensor y = gpu.fresh(type, shape);
    gpu.launch(
        "random",
        kernel + Gpu.suffix(type),
        Grid.threads((shape.size() + 1L) / 2),
        a -> a.tensor(y).bits(key).bits(counter).ints(shape.size()));
    return y;
  }
}
