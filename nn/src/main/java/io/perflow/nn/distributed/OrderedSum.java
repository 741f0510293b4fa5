package io.perflow.nn.distributed;

import io.perflow.nn.distributed.ShardPlan.Block;
import java.util.ArrayList;
import java.util.List;

/**
 * A sum that adds vectors of shards in the order of the tree of a {@link ShardPlan}, as they
 * arrive. Two numbers have the same sum in either order, so it does not matter which rank adds
 * them.
 */
final class OrderedSum {
  private record Part(Block block, float[] values) {}

  private final List<Part> parts = new ArrayList<>();
  private final List<float[]> spare = new ArrayList<>();

  /** Adds the vector of one shard or block; the array is used up. */
  void add(Block block, float[] values) {
    Part last = new Part(block, values);
    while (!parts.isEmpty() && parts.getLast().block.joins(last.block)) {
      last = join(parts.removeLast(), last);
    }
    parts.add(last);
  }

  private Part join(Part left, Part right) {
    add(left.values, right.values, 0, left.values.length);
    spare.add(right.values);
    return new Part(left.block.join(right.block), left.values);
  }

  /** Adds numbers to others. */
  static void add(float[] sums, float[] more, int from, int to) {
    for (int i = from; i < to; i++) {
      sums[i] += more[i - from];
    }
  }

  /** Returns an array for the next shard, with any numbers. */
  float[] room(int length) {
    return spare.isEmpty() ? new float[length] : spare.removeLast();
  }

  /** Takes an array for {@link #room}. */
  void keep(float[] values) {
    spare.add(values);
  }

  /** Returns the sums of the blocks so far. */
  List<float[]> blocks() {
    return parts.stream().map(Part::values).toList();
  }

  /**
   * Returns the sum of all vectors, for which the tree's upper right edge joins blocks of different
   * sizes.
   */
  float[] total() {
    while (parts.size() > 1) {
      Part right = parts.removeLast();
      parts.add(join(parts.removeLast(), right));
    }
    return parts.getFirst().values;
  }

  /** Discards all sums and keeps their arrays. */
  void clear() {
    parts.stream().map(Part::values).forEach(spare::add);
    parts.clear();
  }
}
