package io.perflow.nn.distributed;

import io.perflow.nn.distributed.ShardPlan.Block;
import java.util.ArrayList;
import java.util.List;

/** How ranks add up vectors; every rank ends with the same bits whichever is chosen. */
public enum Reduction {
  /**
   * In the order of the tree of a {@link ShardPlan}, whatever the number of ranks: by recursive
   * halving and doubling where every rank has one block of one size and the ranks are a power of
   * two, and else by sending each rank the part that it adds up.
   */
  FIXED_ORDER {
    @Override
    void sum(FloatLink link, ShardPlan plan, OrderedSum own, float[] result) {
      if (plan.balanced()) {
        System.arraycopy(own.total(), 0, result, 0, result.length);
        halvingDoubling(link, result);
      } else {
        direct(link, plan, own.blocks(), result);
      }
    }
  },

  /** Around a ring: little traffic for any number of ranks, in an order that depends on them. */
  RING {
    @Override
    void sum(FloatLink link, ShardPlan plan, OrderedSum own, float[] result) {
      float[] sum = own.blocks().isEmpty() ? new float[result.length] : own.total();
      System.arraycopy(sum, 0, result, 0, result.length);
      ring(link, result);
    }
  };

  /**
   * Adds up the blocks of all ranks.
   *
   * @param own sums of this rank's blocks
   * @param result receives the sum
   */
  abstract void sum(FloatLink link, ShardPlan plan, OrderedSum own, float[] result);

  /**
   * Neighbours swap halves, then ranks at distance 2, 4, …, until each has the sum of one part;
   * then the way back. 2 log₂(n) messages (Thakur, Rabenseifner and Gropp, 2005). Nearest first, so
   * that the sums are those of the tree.
   */
  private static void halvingDoubling(FloatLink link, float[] values) {
    int from = 0;
    int to = values.length;
    float[] received = new float[(values.length + 1) / 2];
    List<int[]> whole = new ArrayList<>();
    for (int distance = 1; distance < link.size(); distance *= 2) {
      int peer = link.rank() ^ distance;
      int middle = from + (to - from) / 2;
      boolean lower = peer > link.rank();
      whole.add(new int[] {from, to});
      int keep = lower ? from : middle;
      int end = lower ? middle : to;
      link.swap(
          peer, values, lower ? middle : from, lower ? to : middle, peer, received, 0, end - keep);
      from = keep;
      to = end;
      OrderedSum.add(values, received, from, to);
    }
    link.wire().round(values, from, to);
    for (int distance = link.size() / 2; distance > 0; distance /= 2) {
      int peer = link.rank() ^ distance;
      int[] both = whole.removeLast();
      int otherFrom = from == both[0] ? to : both[0];
      int otherTo = from == both[0] ? both[1] : from;
      link.swap(peer, values, from, to, peer, values, otherFrom, otherTo);
      from = both[0];
      to = both[1];
    }
  }

  // Rank r adds up part r of all blocks in the order of the tree and sends it to everybody.
  private static void direct(FloatLink link, ShardPlan plan, List<float[]> own, float[] result) {
    int size = link.size();
    int me = link.rank();
    int from = part(result.length, me, size);
    int to = part(result.length, me + 1, size);
    List<List<float[]>> found = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      found.add(new ArrayList<>());
      for (Block _ : plan.blocks(rank)) {
        found.get(rank).add(new float[to - from]);
      }
    }
    for (int b = 0; b < own.size(); b++) {
      System.arraycopy(own.get(b), from, found.get(me).get(b), 0, to - from);
    }
    for (int step = 1; step < size; step++) {
      int next = (me + step) % size;
      int previous = (me - step + size) % size;
      swapBlocks(link, own, result.length, next, found.get(previous), previous);
    }
    OrderedSum sum = new OrderedSum();
    for (int rank = 0; rank < size; rank++) {
      for (int b = 0; b < found.get(rank).size(); b++) {
        sum.add(plan.blocks(rank).get(b), found.get(rank).get(b));
      }
    }
    System.arraycopy(sum.total(), 0, result, from, to - from);
    link.wire().round(result, from, to);
    for (int step = 1; step < size; step++) {
      int next = (me + step) % size;
      int previous = (me - step + size) % size;
      int start = part(result.length, previous, size);
      int end = part(result.length, previous + 1, size);
      link.swap(next, result, from, to, previous, result, start, end);
    }
  }

  private static void swapBlocks(
      FloatLink link, List<float[]> own, int length, int next, List<float[]> into, int previous) {
    int from = part(length, next, link.size());
    int to = part(length, next + 1, link.size());
    for (int b = 0; b < Math.max(own.size(), into.size()); b++) {
      boolean send = b < own.size();
      boolean receive = b < into.size();
      link.swap(
          send ? next : Transport.NOBODY,
          send ? own.get(b) : null,
          from,
          to,
          receive ? previous : Transport.NOBODY,
          receive ? into.get(b) : null,
          0,
          receive ? into.get(b).length : 0);
    }
  }

  // Every part travels once around and gathers the numbers of all ranks, and once more with the
  // sum.
  private static void ring(FloatLink link, float[] values) {
    int size = link.size();
    int me = link.rank();
    int next = (me + 1) % size;
    int previous = (me - 1 + size) % size;
    float[] received = new float[values.length / size + 1];
    for (int step = 0; step < 2 * (size - 1); step++) {
      boolean summing = step < size - 1;
      int out = Math.floorMod(me - step + (summing ? 0 : size), size);
      int in = Math.floorMod(out - 1, size);
      int from = part(values.length, in, size);
      int to = part(values.length, in + 1, size);
      int outFrom = part(values.length, out, size);
      int outTo = part(values.length, out + 1, size);
      if (summing) {
        link.swap(next, values, outFrom, outTo, previous, received, 0, to - from);
        OrderedSum.add(values, received, from, to);
        if (step == size - 2) {
          link.wire().round(values, from, to);
        }
      } else {
        link.swap(next, values, outFrom, outTo, previous, values, from, to);
      }
    }
  }

  private static int part(int length, int index, int parts) {
    return (int) ((long) length * index / parts);
  }
}
