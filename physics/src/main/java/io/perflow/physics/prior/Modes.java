package io.perflow.physics.prior;

import io.perflow.physics.ProgressListener;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tasks;
import io.perflow.tensor.Tensor;
import java.util.function.Supplier;

/**
 * The modes of a prior. They are made from its compact form when they are first needed, so that a
 * file is read in an instant, and a page can show how far they are.
 */
final class Modes {
  // Modes that are made into fields at a time: a cache line of each row of the result. More would
  // leave the processor's caches, and their arrays would go to the old generation.
  private static final int CHUNK = 16;
  private static final int BETWEEN_PROGRESS = 8; // chunks

  private final int rank;
  private final int length;
  private final Supplier<Maker> begin;
  private Maker maker; // while they are being made
  private float[] columns; // (length, rank), as far as they are made
  private int there; // how many are made
  private Tensor made; // null until all are

  /** Makes some of the modes. Several threads may call it at once. */
  interface Maker {
    /**
     * Writes modes into the columns of a matrix.
     *
     * @param first number of the first one
     * @param count how many, at least 1
     * @param columns (length, rank)
     */
    void put(int first, int count, float[] columns);
  }

  /**
   * Modes to be made.
   *
   * @param rank their number
   * @param length entries of each
   * @param begin prepares to make them
   */
  Modes(int rank, int length, Supplier<Maker> begin) {
    this.rank = rank;
    this.length = length;
    this.begin = begin;
  }

  int rank() {
    return rank;
  }

  /**
   * Returns the modes, [length, rank]. One thread makes them, and others wait. After a {@link
   * Cancellation}, the next call goes on where this one ended.
   */
  synchronized Tensor get(ProgressListener listener) {
    if (made == null) {
      made = Scope.outside(() -> finished(listener));
      maker = null;
      columns = null;
    }
    return made;
  }

  private Tensor finished(ProgressListener listener) {
    if (columns == null) {
      maker = begin.get();
      columns = new float[Math.multiplyExact(length, rank)];
    }
    while (there < rank) {
      Cancellation.check();
      listener.at((double) there / rank, "making the modes of the prior");
      int from = there;
      int chunks = Math.min(BETWEEN_PROGRESS, (rank - from + CHUNK - 1) / CHUNK);
      Tasks.run(
          chunks,
          chunk -> {
            int first = from + chunk * CHUNK;
            maker.put(first, Math.min(CHUNK, rank - first), columns);
          });
      there = Math.min(rank, from + chunks * CHUNK);
    }
    return Tensor.of(columns, length, rank);
  }
}
