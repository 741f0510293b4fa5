package io.perflow.nn.distributed;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * The operations that the ranks of a gang carry out together: they add up vectors, hand one rank's
 * bytes to all, and wait for each other. All ranks call the same methods in the same order; a call
 * returns on every rank with the same bits, or throws naming the rank that is lost.
 *
 * <pre>{@code
 * try (Collective gang = Collective.over(transport)) {
 *   float[] gradient = compute(gang.rank());
 *   gang.allReduce(gradient); // now the sum over all ranks
 * }
 * }</pre>
 */
public final class Collective implements AutoCloseable {
  private static final int PIECE = 1 << 20;

  private final Transport transport;
  private final Reduction reduction;
  private final FloatLink link;
  private final FloatLink exact;
  private final Consumer<Serializable> starter;

  private Collective(
      Transport transport, Reduction reduction, Wire wire, Consumer<Serializable> starter) {
    this.transport = transport;
    this.reduction = reduction;
    this.starter = starter;
    link = new FloatLink(transport, wire);
    exact = new FloatLink(transport, Wire.F32);
  }

  /** Returns the collective of a single process, which waits for nobody. */
  public static Collective solo() {
    return over(ThreadTransport.gang(1, Duration.ZERO).getFirst());
  }

  /**
   * Returns collectives for ranks that are threads of this process.
   *
   * @param deadline longest time that one rank waits for another
   */
  public static List<Collective> threads(int size, Duration deadline) {
    return ThreadTransport.gang(size, deadline).stream().map(Collective::over).toList();
  }

  /** Returns a collective that sums in a fixed order and sends numbers as they are. */
  public static Collective over(Transport transport) {
    return over(transport, Reduction.FIXED_ORDER, Wire.F32);
  }

  /** Returns a collective over a transport, which it closes. */
  public static Collective over(Transport transport, Reduction reduction, Wire wire) {
    return over(transport, reduction, wire, _ -> {});
  }

  /**
   * Returns a collective as an {@link Engine} makes it.
   *
   * @param starter receives what this rank {@linkplain #tell tells}
   */
  public static Collective over(
      Transport transport, Reduction reduction, Wire wire, Consumer<Serializable> starter) {
    return new Collective(transport, reduction, wire, starter);
  }

  /** Returns this process's place among the ranks, counted from 0. */
  public int rank() {
    return transport.rank();
  }

  /** Returns the number of ranks. */
  public int size() {
    return transport.size();
  }

  /**
   * Replaces a vector by its sum over all ranksas exactly as single precision allows: the sum
   * travels unrounded. After a failure the vector holds some parts of the sum.
   */
  public synchronized void allReduce(float[] values) {
    if (size() > 1) {
      OrderedSum own = new OrderedSum();
      own.add(new ShardPlan.Block(rank(), 1), values);
      Reduction.FIXED_ORDER.sum(exact, new ShardPlan(size(), size()), own, values);
    }
  }

  /** Adds up the results of all shards; {@code own} holds the sums of this rank's shards. */
  synchronized void allReduce(ShardPlan plan, OrderedSum own, float[] result) {
    if (size() == 1) {
      System.arraycopy(own.total(), 0, result, 0, result.length);
    } else {
      reduction.sum(link, plan, own, result);
    }
  }

  /**
   * Hands the bytes of one rank to all others.
   *
   * @param bytes of the root between position and limit; the others' are filled there
   */
  public synchronized void broadcast(int root, ByteBuffer bytes) {
    ByteBuffer whole = bytes.duplicate();
    for (int at = whole.position(); at < bytes.limit(); at += PIECE) {
      whole.limit(Math.min(bytes.limit(), at + PIECE)).position(at);
      pass(root, whole);
    }
    bytes.position(bytes.limit());
  }

  // A binomial tree: in every round each rank that has the bytes sends them on.
  private void pass(int root, ByteBuffer piece) {
    int me = Math.floorMod(rank() - root, size());
    for (int reach = 1; reach < size(); reach *= 2) {
      if (me < reach && me + reach < size()) {
        int to = (me + reach + root) % size();
        transport.exchange(to, piece.duplicate(), Transport.NOBODY, ByteBuffer.allocate(0));
      } else if (me >= reach && me < 2 * reach) {
        int from = (me - reach + root) % size();
        transport.exchange(Transport.NOBODY, ByteBuffer.allocate(0), from, piece.duplicate());
      }
    }
  }

  /** Waits until all ranks have called this method. */
  public synchronized void barrier() {
    for (int distance = 1; distance < size(); distance *= 2) {
      transport.exchange(
          (rank() + distance) % size(),
          ByteBuffer.allocate(1),
          Math.floorMod(rank() - distance, size()),
          ByteBuffer.allocate(1));
    }
  }

  /**
   * Sends news, such as the progress of a training, from rank 0 to the {@linkplain Gang#listener
   * listener} of the gang, without waiting for their arrival. News from other ranks are dropped.
   */
  public void tell(Serializable news) {
    if (rank() == 0) {
      starter.accept(news);
    }
  }

  /** Leaves the gang. */
  @Override
  public void close() {
    transport.close();
  }
}
