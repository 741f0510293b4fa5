package io.perflow.nn.onnx;

import io.perflow.tensor.Shape;
import java.util.Arrays;

/**
 * A shape some of whose extents are multiples of the batch, found from the shapes of one tensor in
 * runs with two sizes of batch.
 *
 * @param counts the extents, or their factors of the batch
 * @param batch says which extents are multiples of the batch
 */
record BatchShape(int[] counts, boolean[] batch) {
  /** The batch sizes of the two runs; neither is 1, because 1 broadcasts. */
  static final int FEW = 2;

  static final int MANY = 3;

  /**
   * Returns the shape of a tensor, from its shapes in a run with {@link #FEW} and in a run with
   * {@link #MANY}.
   *
   * @throws IllegalArgumentException when an extent is neither fixed nor a multiple of the batch
   */
  static BatchShape of(Shape few, Shape many) {
    int rank = few.rank();
    int[] counts = few.toArray();
    boolean[] batch = new boolean[rank];
    for (int a = 0; a < rank && rank == many.rank(); a++) {
      batch[a] = few.dim(a) != many.dim(a);
      counts[a] = batch[a] ? few.dim(a) / FEW : few.dim(a);
      if (batch[a] && (few.dim(a) != counts[a] * FEW || many.dim(a) != counts[a] * MANY)) {
        throw different(few, many);
      }
    }
    if (rank != many.rank()) {
      throw different(few, many);
    }
    return new BatchShape(counts, batch);
  }

  private static IllegalArgumentException different(Shape few, Shape many) {
    return new IllegalArgumentException(
        "[onnx] shape %s for a batch of %d and %s for one of %d: no axis can be the batch"
            .formatted(few, FEW, many, MANY));
  }

  int rank() {
    return counts.length;
  }

  /** Returns whether an extent is a multiple of the batch. */
  boolean isBatch(int axis) {
    return batch[axis];
  }

  /** Returns whether any extent is. */
  boolean hasBatch() {
    return batches() > 0;
  }

  /** Returns the number of extents. */
  int batches() {
    int found = 0;
    for (boolean b : batch) {
      found += b ? 1 : 0;
    }
    return found;
  }

  /** Returns whether an axis of this is as long as one of another shape in every batch. */
  boolean sameExtent(int axis, BatchShape other, int otherAxis) {
    return counts[axis] == other.counts[otherAxis] && batch[axis] == other.batch[otherAxis];
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BatchShape that
        && Arrays.equals(counts, that.counts)
        && Arrays.equals(batch, that.batch);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(counts) + Arrays.hashCode(batch);
  }

  /** Returns {@code [n, 3, 2 n, 8]}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("[");
    for (int a = 0; a < counts.length; a++) {
      text.append(a == 0 ? "" : ", ");
      text.append(!batch[a] ? "" + counts[a] : counts[a] == 1 ? "n" : counts[a] + " n");
    }
    return text.append("]").toString();
  }
}
