package io.perflow.flow;

import io.perflow.autograd.Gradients;
import io.perflow.autograd.Tape;
import io.perflow.nn.distributed.GradientBuckets;
import io.perflow.nn.optim.Optimizer;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.Arrays;

/**
 * The step of a training: it computes the mean of the gradients of all shards of a batch and lets
 * the optimizer follow it. The random numbers of a shard depend on seed, step and its first field
 * alone, so it does not matter which rank computes it.
 */
final class Step implements AutoCloseable {
  private final Objective objective;
  private final DataSource training;
  private final TrainConfig config;
  private final Device device;
  private final Sharing sharing;
  private final GradientBuckets buckets; // null where one rank has one shard

  Step(
      Objective objective,
      DataSource training,
      TrainConfig config,
      Device device,
      Sharing sharing) {
    this.objective = objective;
    this.training = training;
    this.config = config;
    this.device = device;
    this.sharing = sharing;
    buckets =
        config.shards() == 1
            ? null
            : new GradientBuckets(
                objective.network().parameters().values(), sharing.ranks(), sharing.plan());
  }

  /** Takes a step and returns the loss before it. */
  double take(Optimizer optimizer) {
    long step = optimizer.steps();
    double[] losses = new double[config.shards()];
    objective.begin(step);
    for (int shard = sharing.first(); shard < sharing.end(); shard++) {
      losses[shard] = shard(step, shard, optimizer);
    }
    if (buckets != null) {
      try (Scope _ = Scope.open()) {
        optimizer.step(buckets.mean());
      }
    }
    sharing.share(losses);
    return Arrays.stream(losses).sum() / losses.length;
  }

  private double shard(long step, int shard, Optimizer optimizer) {
    int size = config.batch() / config.shards();
    int from = shard * size;
    Rng random = Rng.of(config.seed()).split("step").split(step);
    Rng rng = buckets == null ? random : random.split("field").split(from);
    try (Scope _ = Scope.open()) {
      // A source of one's own may supply batches of another size if no ranks share them.
      Tensor fields =
          (buckets == null ? training.at(step) : training.at(step, from, from + size)).to(device);
      try (Tape tape = Tape.watching(objective.network().values())) {
        Tensor loss = objective.loss(fields, rng);
        double value = loss.item();
        if (!Double.isFinite(value)) {
          throw TrainingException.notFinite(step, value, objective, fields, rng);
        }
        if (buckets == null) {
          Gradients gradients = tape.gradients(loss);
          optimizer.step(gradients);
        } else {
          tape.gradients(loss, buckets.shard(shard));
        }
        return value;
      }
    }
  }

  @Override
  public void close() {
    if (buckets != null) {
      buckets.close();
    }
  }
}
