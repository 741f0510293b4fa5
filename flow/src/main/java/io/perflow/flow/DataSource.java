package io.perflow.flow;

import io.perflow.physics.Problem;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.Optional;

/**
 * Hands out the fields of every training step. A source of one's own may read them from a disk or
 * simulate them as they are needed.
 */
@FunctionalInterface
public interface DataSource {
  /**
   * The normalized fields of a step, [batch, channels, height, width], F32 on the CPU. They depend
   * on the step alone, so that a run can go on anywhere.
   *
   * @param step counted from 0
   */
  Tensor at(long step);

  /**
   * What tells these fields from others. A run that goes on is refused when its source has another
   * one; nothing is compared when this is empty.
   */
  default Optional<String> fingerprint() {
    return Optional.empty();
  }

  /**
   * Fields in memory: every epoch runs through all of them in an order of its own, each moved by a
   * random symmetry of the problem where the configuration asks for that.
   *
   * @param fields normalized, [count, channels, height, width]
   */
  static DataSource of(Problem problem, Tensor fields, TrainConfig config) {
    Augmentation augmentation =
        config.symmetries() ? Augmentation.of(problem) : Augmentation.none(problem);
    Rng rng = Rng.of(config.seed()).split("data");
    return new Batches(fields, problem, config.batch(), augmentation, rng);
  }
}
