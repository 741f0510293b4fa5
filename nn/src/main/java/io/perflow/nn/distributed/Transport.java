package io.perflow.nn.distributed;

import java.nio.ByteBuffer;

/**
 * A carrier of messages between the ranks of one gang, on which a {@link Collective} is built. One
 * thread uses it at a time.
 *
 * <p>A transport never waits without end: when a rank dies or does not answer before a deadline, it
 * tells the others which rank that is, closes, and throws.
 */
public interface Transport extends AutoCloseable {
  /** Stands for no rank in {@link #exchange}. */
  int NOBODY = -1;

  /** Returns this process's place among the ranks, counted from 0. */
  int rank();

  /** Returns the number of ranks. */
  int size();

  /**
   * Sends a message to one rank while it receives one from another. The receiver knows the length
   * beforehand.
   *
   * @param to the receiver of the bytes that remain in {@code out}, or {@link #NOBODY}
   * @param from the sender of as many bytes as remain in {@code in}, or {@link #NOBODY}
   * @throws RankLostException naming the rank that did not take part
   */
  void exchange(int to, ByteBuffer out, int from, ByteBuffer in);

  /** Leaves the gang; ranks that still wait for this one are told. */
  @Override
  void close();
}
