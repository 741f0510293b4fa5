package io.perflow.flow;

import io.perflow.physics.Problem;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.Optional;

/**
 * A supplier of the fields of every training step. Your own source may read them from a disk or
 * simulate them when they are needed.
 */
@FunctionalInterface
public interface DataSource {
  /**
   * Returns the normalized fields of a step, [batch, channels, height, width], F32 on the CPU. They
   * depend only on the step, so that a run can resume at any step.
   *
   * @param step counted from 0
   */
  Tensor at(long step);

  /**
   * Returns some fields of a step, for one of several ranks that share it: those of {@link
   * #at(long)} from {@code from} up to but not including {@code to}.
   */
  default Tensor at(long step, int from, int to) {
    return at(step).slice(0, from, to).contiguous();
  }

  /**
   * Returns a fingerprint of the fields. A run does not resume with a source that has another
   * fingerprint; an empty one is not compared.
   */
  default Optional<String> fingerprint() {
    return Optional.empty();
  }

  /**
   * Returns a source of fields in memory. Every epoch visits all of them in its own random order
   * and, if the configuration asks for it, applies a random symmetry of the problem to each.
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
