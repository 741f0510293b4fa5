package io.perflow.nn.distributed;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A transport between ranks that are threads of one process. */
final class ThreadTransport implements Transport {
  private static final long LOOK_MILLIS = 20;

  /** The state that the ranks share. */
  private static final class Gang {
    final List<List<BlockingQueue<byte[]>>> boxes = new ArrayList<>(); // by receiver and sender
    final boolean[] left;
    RankLostException lost; // null while all ranks are well

    Gang(int size) {
      left = new boolean[size];
      for (int to = 0; to < size; to++) {
        boxes.add(new ArrayList<>());
        for (int from = 0; from < size; from++) {
          boxes.get(to).add(new LinkedBlockingQueue<>());
        }
      }
    }
  }

  private final Gang gang;
  private final int rank;
  private final Duration deadline;

  private ThreadTransport(Gang gang, int rank, Duration deadline) {
    this.gang = gang;
    this.rank = rank;
    this.deadline = deadline;
  }

  static List<ThreadTransport> gang(int size, Duration deadline) {
    Gang gang = new Gang(size);
    List<ThreadTransport> ranks = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      ranks.add(new ThreadTransport(gang, rank, deadline));
    }
    return ranks;
  }

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public int size() {
    return gang.left.length;
  }

  @Override
  public void exchange(int to, ByteBuffer out, int from, ByteBuffer in) {
    if (to != NOBODY) {
      byte[] message = new byte[out.remaining()];
      out.get(message);
      gang.boxes.get(to).get(rank).add(message);
    }
    if (from != NOBODY) {
      byte[] message = receive(from);
      if (message.length != in.remaining()) {
        throw lost(
            from,
            "rank %d sent %d bytes where rank %d expects %d: the ranks do different things"
                .formatted(from, message.length, rank, in.remaining()));
      }
      in.put(message);
    }
  }

  private byte[] receive(int from) {
    long end = System.nanoTime() + deadline.toNanos();
    try {
      while (true) {
        // Messages are checked first, because one may have arrived before its sender left.
        boolean left;
        synchronized (gang) {
          if (gang.lost != null) {
            throw gang.lost;
          }
          left = gang.left[from];
        }
        byte[] message =
            gang.boxes.get(rank).get(from).poll(left ? 0 : LOOK_MILLIS, TimeUnit.MILLISECONDS);
        if (message != null) {
          return message;
        }
        if (left) {
          throw lost(from, "rank %d has left".formatted(from));
        }
        if (System.nanoTime() > end) {
          throw lost(from, "rank %d did not answer within %s".formatted(from, deadline));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw lost(rank, "rank %d was interrupted".formatted(rank));
    }
  }

  // The first rank that notices the loss tells all others.
  private RankLostException lost(int who, String message) {
    synchronized (gang) {
      if (gang.lost == null) {
        gang.lost = new RankLostException(who, message);
      }
      return gang.lost;
    }
  }

  @Override
  public void close() {
    synchronized (gang) {
      gang.left[rank] = true;
    }
  }
}
