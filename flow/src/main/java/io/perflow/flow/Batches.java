package io.perflow.flow;

import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;

/**
 * Normalized fields in memory, dealt out in batches: every epoch runs through all fields in an
 * order of its own, and the last batch of an epoch is filled up from that order's beginning. What
 * step s gets depends on the seed and s alone, so a run can go on anywhere.
 */
final class Batches {
  private final float[] values;
  private final int count;
  private final Domain domain;
  private final int size;
  private final Augmentation augmentation;
  private final Rng rng;
  private long epoch = -1;
  private int[] order;

  Batches(Tensor fields, Domain domain, int size, Augmentation augmentation, Rng rng) {
    domain.check("training", fields);
    count = fields.dim(0);
    if (count < 1 || size < 1) {
      throw new IllegalArgumentException(
          "[training] %d fields in batches of %d: at least one each".formatted(count, size));
    }
    values = fields.toFloats();
    this.domain = domain;
    this.size = size;
    this.augmentation = augmentation;
    this.rng = rng;
  }

  /** Batches of an epoch. */
  long perEpoch() {
    return (count + size - 1L) / size;
  }

  /** The fields of a step. */
  Tensor at(long step) {
    long wanted = step / perEpoch();
    if (wanted != epoch) {
      epoch = wanted;
      order = rng.split("epoch").split(epoch).permutation(count);
    }
    int first = (int) (step % perEpoch()) * size;
    int area = domain.height() * domain.width();
    int length = domain.channels() * area;
    float[] batch = new float[size * length];
    Rng moves = rng.split("augmentation").split(step);
    for (int i = 0; i < size; i++) {
      int source = order[(first + i) % count];
      Augmentation.Move move = augmentation.draw(moves, domain.height(), domain.width());
      for (int c = 0; c < domain.channels(); c++) {
        int from = source * length + c * area;
        move.apply(values, from, batch, i * length + c * area, domain.height(), domain.width());
      }
    }
    return Tensor.of(batch, size, domain.channels(), domain.height(), domain.width());
  }
}
