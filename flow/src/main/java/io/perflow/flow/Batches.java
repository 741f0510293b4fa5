package io.perflow.flow;

import io.perflow.physics.Problem;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.Optional;

/**
 * A data source that divides normalized fields in memory into batches. Every epoch visits all
 * fields in its own random order, and the last batch of an epoch is filled up from the beginning of
 * that order. The batch of a step depends only on the seed and the step, so a run can resume at any
 * step.
 */
final class Batches implements DataSource {
  private final float[] values;
  private final int count;
  private final Problem problem;
  private final int size;
  private final Augmentation augmentation;
  private final Rng rng;
  private long epoch = -1;
  private int[] order;

  Batches(Tensor fields, Problem problem, int size, Augmentation augmentation, Rng rng) {
    problem.check("training", fields);
    count = fields.dim(0);
    if (count < 1 || size < 1) {
      throw new IllegalArgumentException(
          "[training] %d fields in batches of %d: at least one each".formatted(count, size));
    }
    values = fields.toFloats();
    this.problem = problem;
    this.size = size;
    this.augmentation = augmentation;
    this.rng = rng;
  }

  /** Returns the number of batches of an epoch. */
  long perEpoch() {
    return (count + size - 1L) / size;
  }

  @Override
  public Optional<String> fingerprint() {
    return Optional.of(Fingerprint.of(count, values));
  }

  @Override
  public Tensor at(long step) {
    return at(step, 0, size);
  }

  // Moves are drawn for all fields of the step, so that a field has the same one on every rank.
  @Override
  public Tensor at(long step, int from, int to) {
    long wanted = step / perEpoch();
    if (wanted != epoch) {
      epoch = wanted;
      order = rng.split("epoch").split(epoch).permutation(count);
    }
    int first = (int) (step % perEpoch()) * size;
    int area = problem.grid().cells();
    int length = problem.channelCount() * area;
    float[] batch = new float[(to - from) * length];
    Rng moves = rng.split("augmentation").split(step);
    for (int i = 0; i < to; i++) {
      int source = order[(first + i) % count];
      Augmentation.Move move = augmentation.draw(moves);
      for (int c = 0; i >= from && c < problem.channelCount(); c++) {
        move.apply(c, values, source * length + c * area, batch, (i - from) * length + c * area);
      }
    }
    return Tensor.of(batch, problem.batch(to - from).toArray());
  }
}
