package io.perflow.nn.distributed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.nn.distributed.ShardPlan.Block;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Laws of sums over ranks, joined in memory or by sockets. */
final class CollectiveTest {
  private static float[] shard(int shard, int length) {
    return length == 0
        ? new float[0]
        : Tensor.zeros(length).add(Rng.of(shard).normal(Shape.of(length))).toFloats();
  }

  private static float[] sum(
      Transport transport, Reduction reduction, Wire wire, int shards, int length) {
    Collective gang = Collective.over(transport, reduction, wire);
    ShardPlan plan = new ShardPlan(shards, gang.size());
    OrderedSum own = new OrderedSum();
    for (int s = plan.first(gang.rank()); s < plan.end(gang.rank()); s++) {
      own.add(new Block(s, 1), shard(s, length));
    }
    float[] result = new float[length];
    gang.allReduce(plan, own, result);
    return result;
  }

  private static float[] alone(int shards, int length) {
    Transport one = ThreadTransport.gang(1, Ranks.DEADLINE).getFirst();
    return sum(one, Reduction.FIXED_ORDER, Wire.F32, shards, length);
  }

  private static void sameOnAll(List<float[]> found) {
    found.forEach(one -> assertArrayEquals(found.getFirst(), one));
  }

  @Property(tries = 60)
  void anyNumberOfRanksFindsTheBitsOfOne(
      @ForAll @IntRange(min = 1, max = 7) int ranks,
      @ForAll @IntRange(min = 1, max = 17) int shards,
      @ForAll @IntRange(max = 40) int length)
      throws Exception {
    List<float[]> found =
        Ranks.all(
            ThreadTransport.gang(ranks, Ranks.DEADLINE),
            t -> sum(t, Reduction.FIXED_ORDER, Wire.F32, shards, length));
    sameOnAll(found);
    assertArrayEquals(alone(shards, length), found.getFirst());
  }

  @Property(tries = 40)
  void aRingFindsTheSameOnAllRanksUpToRounding(
      @ForAll @IntRange(min = 1, max = 7) int ranks,
      @ForAll @IntRange(min = 1, max = 9) int shards,
      @ForAll @IntRange(max = 40) int length)
      throws Exception {
    List<float[]> found =
        Ranks.all(
            ThreadTransport.gang(ranks, Ranks.DEADLINE),
            t -> sum(t, Reduction.RING, Wire.F32, shards, length));
    sameOnAll(found);
    assertArrayEquals(alone(shards, length), found.getFirst(), 1e-5f);
  }

  @Property(tries = 40)
  void halfThePrecisionOnTheWireCostsNoMoreThanItsRounding(
      @ForAll @IntRange(min = 2, max = 6) int ranks, @ForAll Reduction reduction) throws Exception {
    int length = 33;
    List<float[]> found =
        Ranks.all(
            ThreadTransport.gang(ranks, Ranks.DEADLINE),
            t -> sum(t, reduction, Wire.BF16, ranks, length));
    sameOnAll(found);
    // each of at most `ranks` roundings is half of 2^-8 of a number of at most about 4 per shard
    assertArrayEquals(alone(ranks, length), found.getFirst(), ranks * ranks * 4f / 512);
  }

  @Test
  void socketsCarryWhatMemoryDoes() throws Exception {
    int length = 700_001; // several pieces, and an odd rest
    for (int ranks : new int[] {2, 3, 4}) {
      float[] expected = alone(4, length);
      List<Transport> gang = Ranks.sockets(ranks, Ranks.DEADLINE);
      List<List<float[]>> found =
          Ranks.all(
              gang,
              t ->
                  List.of(
                      sum(t, Reduction.FIXED_ORDER, Wire.F32, 4, length),
                      sum(t, Reduction.RING, Wire.F32, 4, length),
                      sum(t, Reduction.RING, Wire.BF16, 4, length)));
      for (List<float[]> one : found) {
        assertArrayEquals(expected, one.get(0));
        assertArrayEquals(found.getFirst().get(1), one.get(1));
        assertArrayEquals(found.getFirst().get(2), one.get(2));
      }
    }
  }

  @Test
  void everyRankGetsTheBytesOfTheRoot() throws Exception {
    for (int ranks = 1; ranks <= 5; ranks++) {
      for (int root = 0; root < ranks; root++) {
        int from = root;
        byte[] bytes = new byte[3_000_001];
        new Random(from).nextBytes(bytes);
        List<byte[]> found =
            Ranks.all(
                ThreadTransport.gang(ranks, Ranks.DEADLINE),
                t -> {
                  byte[] own = t.rank() == from ? bytes.clone() : new byte[bytes.length];
                  Collective.over(t).broadcast(from, ByteBuffer.wrap(own));
                  return own;
                });
        found.forEach(one -> assertArrayEquals(bytes, one));
      }
    }
  }

  @Test
  void nobodyPassesABarrierBeforeTheLastHasCome() throws Exception {
    List<Long> times = new ArrayList<>(List.of(0L));
    List<Long> passed =
        Ranks.all(
            Ranks.sockets(3, Ranks.DEADLINE),
            t -> {
              if (t.rank() == 1) {
                Thread.sleep(300);
                times.set(0, System.nanoTime());
              }
              Collective.over(t).barrier();
              return System.nanoTime();
            });
    passed.forEach(time -> assertTrue(time - times.getFirst() >= 0));
  }

  @Property
  void shardsOfRanksAreWholeAndInOrder(
      @ForAll @IntRange(min = 1, max = 50) int shards,
      @ForAll @IntRange(min = 1, max = 20) int ranks) {
    ShardPlan plan = new ShardPlan(shards, ranks);
    int at = 0;
    for (int rank = 0; rank < ranks; rank++) {
      assertEquals(at, plan.first(rank));
      for (Block block : plan.blocks(rank)) {
        assertEquals(at, block.first());
        assertEquals(0, at % block.count());
        at = block.end();
      }
      for (int s = plan.first(rank); s < plan.end(rank); s++) {
        assertEquals(rank, plan.owner(s));
      }
    }
    assertEquals(shards, at);
  }
}
