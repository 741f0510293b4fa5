package io.perflow.cluster.mpi;

import io.perflow.nn.distributed.RankLostException;
import io.perflow.nn.distributed.Transport;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The first processes of an MPI job as the ranks of a gang. MPI itself waits without end; here a
 * rank asks again and again whether its message has come, and between hears what others say about
 * themselves: that they leave, that somebody is lost, or, after a deadline, that they are alive, so
 * that the one that says nothing is known.
 *
 * <p>Each gang has tags of its own, so that what an earlier one left behind disturbs nobody.
 */
final class MpiTransport implements Transport {
  private enum Word {
    LOST,
    ALIVE,
    BYE
  }

  private static final int GANGS = 1 << 14; // tags go to 32767 at least

  /** Bytes of what ranks say about themselves and others. */
  static final int WORD = 2 * Integer.BYTES;

  private static final long SPIN_NANOS = 200_000; // longer than a piece of a vector takes
  private static final long PAUSE_NANOS = 100_000;
  private static final int TURNS_TO_LISTEN = 64;
  private static final Duration GRACE = Duration.ofSeconds(2); // for the living to say so
  private static final Duration REASON = Duration.ofMillis(500); // for what was sent before a leave

  private final Mpi mpi;
  private final int size;
  private final int data;
  private final int control;
  private final Duration deadline;
  private final long[] alive; // when a rank last said so
  private final long[] left; // when a rank was heard to leave; 0 for not yet
  private int accused = -1; // the rank that others say is lost
  private volatile boolean closed;

  /**
   * Makes this process one of the ranks.
   *
   * @param gang number of the gang, the same in all processes
   * @param size ranks, which are the first processes of the job
   * @param deadline longest time to wait for any of them
   */
  MpiTransport(Mpi mpi, int gang, int size, Duration deadline) {
    this.mpi = mpi;
    this.size = size;
    this.deadline = deadline;
    data = 2 * (gang % GANGS);
    control = data + 1;
    alive = new long[size];
    Arrays.fill(alive, System.nanoTime() - 1);
    left = new long[size];
  }

  @Override
  public int rank() {
    return mpi.rank();
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public void exchange(int to, ByteBuffer out, int from, ByteBuffer in) {
    requireOpen();
    List<Mpi.Request> open = new ArrayList<>();
    MemorySegment room = in.isDirect() ? MemorySegment.ofBuffer(in) : scratch(in.remaining());
    try {
      // first the room, so that a message need not be kept elsewhere
      if (from != NOBODY) {
        open.add(mpi.receive(room, from, data));
      }
      if (to != NOBODY) {
        open.add(mpi.send(memory(out), to, data));
      }
      await(open, to, from, in.remaining());
    } catch (Mpi.Failure e) {
      throw failed(e, from, in.remaining());
    } finally {
      open.forEach(mpi::abandon);
    }
    if (to != NOBODY) {
      out.position(out.limit());
    }
    if (from != NOBODY) {
      if (in.isDirect()) {
        in.position(in.limit());
      } else {
        in.put(room.asByteBuffer());
      }
    }
  }

  private static MemorySegment memory(ByteBuffer out) {
    return out.isDirect()
        ? MemorySegment.ofBuffer(out)
        : scratch(out.remaining()).copyFrom(MemorySegment.ofBuffer(out));
  }

  private static MemorySegment scratch(int bytes) {
    return Arena.ofAuto().allocate(bytes, Long.BYTES);
  }

  /** Waits for messages; those that have arrived leave the list. */
  private void await(List<Mpi.Request> open, int to, int from, int expected) throws Mpi.Failure {
    long start = System.nanoTime();
    for (int turn = 1; !arrived(open, from, expected); turn++) {
      boolean patient = System.nanoTime() - start > SPIN_NANOS;
      if (patient || turn % TURNS_TO_LISTEN == 0) {
        look(open.getFirst().receiving() ? from : to, start);
      }
      if (patient) {
        LockSupport.parkNanos(PAUSE_NANOS);
      } else {
        Thread.onSpinWait();
      }
    }
  }

  private boolean arrived(List<Mpi.Request> open, int from, int expected) throws Mpi.Failure {
    for (int i = open.size() - 1; i >= 0; i--) {
      int bytes = mpi.arrived(open.get(i));
      if (bytes >= 0 && open.remove(i).receiving() && bytes != expected) {
        throw lost(
            from,
            "rank %d sent %d bytes where rank %d expects %d: the ranks do different things"
                .formatted(from, bytes, rank(), expected));
      }
    }
    return open.isEmpty();
  }

  // whether to wait on for a rank
  private void look(int awaited, long start) throws Mpi.Failure {
    listen();
    requireOpen();
    requireNobodyLost();
    long now = System.nanoTime();
    if (left[awaited] != 0 && now - left[awaited] > REASON.toNanos()) {
      throw lost(awaited, "rank %d has left".formatted(awaited));
    }
    if (now - start > deadline.toNanos()) {
      throw silent(awaited, start);
    }
    if (Thread.currentThread().isInterrupted()) {
      throw lost(rank(), "rank %d was interrupted".formatted(rank()));
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new RankLostException(rank(), "rank %d has left the gang".formatted(rank()));
    }
  }

  private void requireNobodyLost() {
    if (accused >= 0) {
      closed = true; // whoever noticed has told all
      throw new RankLostException(
          accused,
          accused == rank()
              ? "the other ranks have given rank %d up".formatted(accused)
              : "rank %d is lost, as another rank reports".formatted(accused));
    }
  }

  private RankLostException failed(Mpi.Failure e, int from, int expected) {
    return e.truncated()
        ? lost(
            from,
            "rank %d sent more than the %d bytes that rank %d expects: the ranks do different things"
                .formatted(from, expected, rank()))
        : lost(rank(), "rank %d cannot continue: %s".formatted(rank(), e.getMessage()));
  }

  // hears what others have said since
  private void listen() throws Mpi.Failure {
    while (mpi.waits(control)) {
      MemorySegment word = mpi.take(WORD, control);
      int about = word.getAtIndex(ValueLayout.JAVA_INT, 1);
      switch (Word.values()[word.getAtIndex(ValueLayout.JAVA_INT, 0)]) {
        case LOST -> accused = about;
        case ALIVE -> alive[about] = System.nanoTime();
        case BYE -> left[about] = System.nanoTime();
      }
    }
  }

  private void say(Word word, int about) {
    MemorySegment message = scratch(WORD);
    message.setAtIndex(ValueLayout.JAVA_INT, 0, word.ordinal());
    message.setAtIndex(ValueLayout.JAVA_INT, 1, about);
    for (int other = 0; other < size; other++) {
      if (other != rank()) {
        try {
          mpi.drop(message, other, control);
        } catch (Mpi.Failure e) {
          left[other] = System.nanoTime(); // it hears no more
        }
      }
    }
  }

  private RankLostException silent(int awaited, long start) throws Mpi.Failure {
    say(Word.ALIVE, rank());
    long end = System.nanoTime() + GRACE.toNanos();
    while (accused < 0 && !quiet(start).isEmpty() && System.nanoTime() < end) {
      listen();
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    requireNobodyLost();
    List<Integer> quiet = quiet(start);
    int culprit = quiet.isEmpty() || quiet.contains(awaited) ? awaited : quiet.getFirst();
    return lost(
        culprit,
        "rank %d did not answer within %d s".formatted(culprit, Math.max(1, deadline.toSeconds())));
  }

  private List<Integer> quiet(long start) {
    List<Integer> quiet = new ArrayList<>();
    for (int other = 0; other < size; other++) {
      if (other != rank() && alive[other] - start < 0) {
        quiet.add(other);
      }
    }
    return quiet;
  }

  private RankLostException lost(int who, String message) {
    if (!closed) {
      closed = true;
      say(Word.LOST, who);
    }
    return new RankLostException(who, message);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      say(Word.BYE, rank());
    }
  }
}
