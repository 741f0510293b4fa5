package io.perflow.nn.distributed;

import io.perflow.nn.distributed.FloatLink.Part;
import io.perflow.nn.distributed.ShardPlan.Block;
import java.util.ArrayList;
import java.util.List;

/** The ways in which ranks add up vectors; with each of them every rank ends with the same bits. */
public enum Reduction {
  /**
   * Adds in the order of the tree of a {@link ShardPlan}, whatever the number of ranks. It uses
   * recursive halving and doubling where every rank has one block, all blocks have one size and the
   * number of ranks is a power of two; otherwise it sends each rank the part that it adds up.
   */
  FIXED_ORDER {
    @Override
    void sum(FloatLink link, ShardPlan plan, OrderedSum own, float[] result) {
      if (plan.balanced()) {
        copy(own.total(), result);
        halvingDoubling(link, result);
      } else {
        direct(link, plan, own.blocks(), result);
      }
    }
  },

  /**
   * Adds around a ring, with little traffic for any number of ranks, in an order that depends on
   * that number.
   */
  RING {
    @Override
    void sum(FloatLink link, ShardPlan plan, OrderedSum own, float[] result) {
      copy(own.blocks().isEmpty() ? new float[result.length] : own.total(), result);
      ring(link, result);
    }
  };

  /**
   * Adds up the blocks of all ranks.
   *
   * @param own sums of this rank's blocks
   * @param result receives the sum; it may be the array of the only block
   */
  abstract void sum(FloatLink link, ShardPlan plan, OrderedSum own, float[] result);

  private static void copy(float[] values, float[] result) {
    if (values != result) {
      System.arraycopy(values, 0, result, 0, result.length);
    }
  }

  /**
   * Lets neighbours swap halves, then ranks at distance 2, 4, …, until each has the sum of one
   * part, and then returns the sums the same way. This takes 2 log₂(n) messages (Thakur,
   * Rabenseifner and Gropp, 2005). The nearest ranks come first, so that the sums are those of the
   * tree.
   */
  private static void halvingDoubling(FloatLink link, float[] values) {
    int from = 0;
    int to = values.length;
    List<int[]> whole = new ArrayList<>();
    for (int distance = 1; distance < link.size(); distance *= 2) {
      int peer = link.rank() ^ distance;
      int middle = from + (to - from) / 2;
      boolean lower = peer > link.rank();
      whole.add(new int[] {from, to});
      Part left = new Part(values, from, middle);
      Part right = new Part(values, middle, to);
      link.swapAdding(peer, lower ? right : left, peer, lower ? left : right);
      from = lower ? from : middle;
      to = lower ? middle : to;
    }
    link.wire().round(values, from, to);
    for (int distance = link.size() / 2; distance > 0; distance /= 2) {
      int peer = link.rank() ^ distance;
      int[] both = whole.removeLast();
      Part other =
          from == both[0] ? new Part(values, to, both[1]) : new Part(values, both[0], from);
      link.swap(peer, new Part(values, from, to), peer, other);
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
      swapBlocks(link, own, next, found.get(previous), previous);
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
      link.swap(next, new Part(result, from, to), previous, part(result, previous, size));
    }
  }

  private static void swapBlocks(
      FloatLink link, List<float[]> own, int next, List<float[]> into, int previous) {
    for (int b = 0; b < Math.max(own.size(), into.size()); b++) {
      boolean send = b < own.size();
      boolean receive = b < into.size();
      link.swap(
          send ? next : Transport.NOBODY,
          send ? part(own.get(b), next, link.size()) : Part.NONE,
          receive ? previous : Transport.NOBODY,
          receive ? part(into.get(b), 0, 1) : Part.NONE);
    }
  }

  // Every part travels around the ring twice: first it gathers the numbers of all ranks, then it
  // brings the sum to them.
  private static void ring(FloatLink link, float[] values) {
    int size = link.size();
    int me = link.rank();
    int next = (me + 1) % size;
    int previous = (me - 1 + size) % size;
    for (int step = 0; step < 2 * (size - 1); step++) {
      boolean summing = step < size - 1;
      int out = Math.floorMod(me - step + (summing ? 0 : size), size);
      int in = Math.floorMod(out - 1, size);
      Part coming = part(values, in, size);
      if (summing) {
        link.swapAdding(next, part(values, out, size), previous, coming);
        if (step == size - 2) {
          link.wire().round(values, coming.from(), coming.to());
        }
      } else {
        link.swap(next, part(values, out, size), previous, coming);
      }
    }
  }

  private static Part part(float[] values, int index, int parts) {
    return new Part(
        values, part(values.length, index, parts), part(values.length, index + 1, parts));
  }

  private static int part(int length, int index, int parts) {
    return (int) ((long) length * index / parts);
  }
}
