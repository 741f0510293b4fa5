package io.perflow.nn.distributed;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A transport between processes, every two of which are connected by two sockets. Numbers pass
 * through one of them. Through the other a rank learns of losses while it waits: of the end of a
 * process at once, and of a rank that fell silent after the deadline. At the deadline all waiting
 * ranks say that they are alive, and the one that says nothing is lost.
 */
final class SocketTransport implements Transport {
  private static final int HEAD = 2 * Integer.BYTES;
  private static final int MAGIC = 0x70665f31;
  private static final Duration GRACE = Duration.ofSeconds(2); // for the living to say so
  private static final Duration REASON = Duration.ofMillis(500); // for others to name the culprit
  private static final long LOOK_MILLIS = 1000;

  private final int rank;
  private final Duration deadline;
  private final Selector selector;
  private final Peer[] peers; // null for this rank
  private volatile boolean closed;

  SocketTransport(
      int rank, List<InetSocketAddress> doors, SocketChannel[][] channels, Duration deadline)
      throws IOException {
    this.rank = rank;
    this.deadline = deadline;
    selector = Selector.open();
    peers = new Peer[doors.size()];
    for (int i = 0; i < peers.length; i++) {
      if (i != rank) {
        SocketChannel[] pair = channels[i];
        peers[i] = new Peer(i, doors.get(i), pair[Door.DATA], pair[Door.CONTROL], selector);
      }
    }
  }

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public int size() {
    return peers.length;
  }

  @Override
  public void exchange(int to, ByteBuffer out, int from, ByteBuffer in) {
    if (closed) {
      throw new RankLostException(rank, "rank %d has left the gang".formatted(rank));
    }
    Peer receiver = to == NOBODY ? null : peers[to];
    Peer sender = from == NOBODY ? null : peers[from];
    ByteBuffer head = head(out.remaining());
    ByteBuffer expected = head(in.remaining());
    ByteBuffer found = ByteBuffer.allocate(HEAD);
    ByteBuffer[] message = {head, out};
    long start = System.nanoTime();
    try {
      while (true) {
        boolean moved = false;
        if (receiver != null) {
          moved |= write(receiver, message);
          receiver = out.hasRemaining() ? receiver : null;
        }
        if (sender != null) {
          moved |= read(sender, found, expected, in);
          sender = found.hasRemaining() || in.hasRemaining() ? sender : null;
        }
        if (receiver == null && sender == null) {
          return;
        }
        if (!moved) {
          await(receiver, sender, start);
        }
      }
    } catch (IOException | ClosedSelectorException e) {
      String reason = Thread.currentThread().isInterrupted() ? "it was interrupted" : e.toString();
      throw lost(rank, "rank %d cannot continue: %s".formatted(rank, reason));
    }
  }

  private static ByteBuffer head(int length) {
    return ByteBuffer.allocate(HEAD).putInt(MAGIC).putInt(length).flip();
  }

  private boolean write(Peer peer, ByteBuffer... message) {
    try {
      return peer.data.write(message) > 0;
    } catch (IOException e) {
      throw broken(peer, e.getMessage());
    }
  }

  private boolean read(Peer peer, ByteBuffer found, ByteBuffer expected, ByteBuffer in) {
    try {
      int got = 0;
      if (found.hasRemaining()) {
        got = peer.data.read(found);
        if (!found.hasRemaining()) {
          check(peer, found, expected, in);
        }
      }
      if (got >= 0 && !found.hasRemaining() && in.hasRemaining()) {
        got = peer.data.read(in);
      }
      if (got < 0) {
        throw broken(peer, "its process ended");
      }
      return got > 0;
    } catch (IOException e) {
      throw broken(peer, e.getMessage());
    }
  }

  private void check(Peer peer, ByteBuffer found, ByteBuffer expected, ByteBuffer in) {
    if (found.getInt(0) != MAGIC) {
      throw lost(peer.rank, "%s sent what is no message of a rank".formatted(peer));
    }
    if (!found.duplicate().flip().equals(expected)) {
      throw lost(
          peer.rank,
          "%s sent %d bytes where rank %d expects %d: the ranks do different things"
              .formatted(peer, found.getInt(Integer.BYTES), rank, in.remaining()));
    }
  }

  private void await(Peer receiver, Peer sender, long start) throws IOException {
    if (Thread.currentThread().isInterrupted()) {
      throw lost(rank, "rank %d was interrupted".formatted(rank));
    }
    for (Peer peer : peers) {
      if (peer != null) {
        int wanted = peer == receiver ? SelectionKey.OP_WRITE : 0;
        peer.dataKey.interestOps(peer == sender ? wanted | SelectionKey.OP_READ : wanted);
      }
    }
    long left = start + deadline.toNanos() - System.nanoTime();
    if (left <= 0) {
      throw silent(sender == null ? receiver : sender, start);
    }
    look(Math.min(LOOK_MILLIS, left / 1_000_000 + 1));
    for (Peer peer : peers) {
      if (peer != null && peer.accused >= 0) {
        throw accused(peer);
      }
    }
    for (Peer peer : peers) {
      // A rank that left in good order may have sent everything that is wanted from it before.
      if (peer != null && peer.gone != null && (!"it left".equals(peer.gone))) {
        throw broken(peer, peer.gone);
      }
    }
  }

  // Waits for anything to happen, and reads all messages.
  private void look(long millis) throws IOException {
    selector.select(millis);
    for (SelectionKey key : selector.selectedKeys()) {
      if (key.attachment() instanceof Peer peer) {
        peer.listen();
        if (peer.gone != null) {
          key.cancel();
        }
      }
    }
    selector.selectedKeys().clear();
  }

  private boolean listenUntil(Duration time, BooleanSupplier enough) {
    long end = System.nanoTime() + time.toNanos();
    try {
      for (Peer peer : peers) {
        if (peer != null) {
          peer.dataKey.interestOps(0);
        }
      }
      while (!enough.getAsBoolean() && System.nanoTime() < end) {
        look(20);
      }
    } catch (IOException | RuntimeException e) {
      return enough.getAsBoolean(); // the keys of broken connections
    }
    return enough.getAsBoolean();
  }

  private RankLostException accused(Peer by) {
    int who = by.accused;
    return lost(
        who,
        who == rank
            ? "the other ranks have given up rank %d".formatted(rank)
            : "rank %d is lost, as %s reports".formatted(who, by));
  }

  // A connection broke. The rank at its other end may have left because of another loss, which it
  // reports before leaving.
  private RankLostException broken(Peer peer, String reason) {
    listenUntil(REASON, () -> peer.accused >= 0);
    return peer.accused >= 0
        ? accused(peer)
        : lost(peer.rank, "%s is lost: %s".formatted(peer, reason));
  }

  private RankLostException silent(Peer awaited, long start) {
    say(Peer.Word.ALIVE, rank);
    listenUntil(
        GRACE, () -> awaited.accused >= 0 || awaited.gone != null || quiet(start).isEmpty());
    if (awaited.accused >= 0) {
      return accused(awaited);
    }
    List<Peer> quiet = quiet(start);
    Peer culprit = quiet.isEmpty() || quiet.contains(awaited) ? awaited : quiet.getFirst();
    return lost(culprit.rank, "%s did not answer within %s".formatted(culprit, text(deadline)));
  }

  private List<Peer> quiet(long start) {
    List<Peer> quiet = new ArrayList<>();
    for (Peer peer : peers) {
      if (peer != null && peer.alive - start < 0) {
        quiet.add(peer);
      }
    }
    return quiet;
  }

  private static String text(Duration time) {
    return time.toMillis() % 1000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
  }

  private RankLostException lost(int who, String message) {
    say(Peer.Word.LOST, who);
    shut();
    return new RankLostException(who, message);
  }

  private void say(Peer.Word word, int about) {
    for (Peer peer : peers) {
      if (peer != null) {
        peer.say(word, about);
      }
    }
  }

  @Override
  public void close() {
    if (!closed) {
      say(Peer.Word.BYE, rank);
      shut();
    }
  }

  private void shut() {
    closed = true;
    for (Peer peer : peers) {
      if (peer != null) {
        peer.close();
      }
    }
    try {
      selector.close();
    } catch (IOException e) {
      return; // the connection is as good as closed
    }
  }
}
