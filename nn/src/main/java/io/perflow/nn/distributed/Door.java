package io.perflow.nn.distributed;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The place where one rank waits for the others. It listens at one address of this machine, on a
 * port that the system chooses; a rendezvous tells all ranks the addresses of all doors and one
 * token.
 *
 * <pre>{@code
 * try (Door door = Door.open(InetAddress.getLoopbackAddress())) {
 *   List<InetSocketAddress> doors = rendezvous(door.address());
 *   Transport transport = door.join(rank, doors, token, Duration.ofMinutes(5));
 * }
 * }</pre>
 *
 * <p>Each rank calls the ranks before it. Both sides of a connection prove that they have the
 * token; a caller without it is turned away and disturbs nobody.
 */
public final class Door implements AutoCloseable {
  private static final int BACKLOG = 4096;
  private static final int BUFFER = 4 << 20;
  private static final long GREETING_MILLIS = 5000; // for a caller that sends nothing

  /** The number of connections between two ranks. */
  static final int KINDS = 2;

  /** The connection that carries numbers. */
  static final int DATA = 0;

  /** The connection that carries what ranks say about themselves and others. */
  static final int CONTROL = 1;

  private final ServerSocketChannel server;

  private Door(ServerSocketChannel server) {
    this.server = server;
  }

  /** Opens a door that listens at one address of this machine and at no other. */
  public static Door open(InetAddress address) throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open();
    server.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER);
    server.bind(new InetSocketAddress(address, 0), BACKLOG);
    return new Door(server);
  }

  /** Returns the address at which other ranks find this one. */
  public InetSocketAddress address() {
    return new InetSocketAddress(server.socket().getInetAddress(), server.socket().getLocalPort());
  }

  /**
   * Connects this rank with all others.
   *
   * @param doors the addresses of all doors, by rank
   * @param deadline the longest time to wait for all ranks, and later for any one
   * @throws RankLostException naming the ranks that did not come
   */
  public Transport join(int rank, List<InetSocketAddress> doors, Token token, Duration deadline) {
    long end = System.nanoTime() + deadline.toNanos();
    SocketChannel[][] channels = new SocketChannel[doors.size()][KINDS];
    boolean done = false;
    try {
      for (int other = 0; other < rank; other++) {
        for (int kind = 0; kind < KINDS; kind++) {
          channels[other][kind] = call(rank, other, kind, doors.get(other), token, end);
        }
      }
      accept(rank, channels, token, end);
      Transport transport = new SocketTransport(rank, doors, channels, deadline);
      done = true;
      return transport;
    } catch (IOException e) {
      throw new RankLostException(
          rank, "rank %d cannot continue: %s".formatted(rank, e.getMessage()));
    } finally {
      if (!done) {
        close(channels);
      }
    }
  }

  private static void close(SocketChannel[][] channels) {
    for (SocketChannel[] pair : channels) {
      for (SocketChannel channel : pair) {
        close(channel);
      }
    }
  }

  private static void close(SocketChannel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        return; // the connection is closed, or as good as closed
      }
    }
  }

  private static int millisUntil(long end) {
    return Math.clamp((end - System.nanoTime()) / 1_000_000, 1, Integer.MAX_VALUE);
  }

  private static SocketChannel call(
      int rank, int other, int kind, InetSocketAddress door, Token token, long end) {
    SocketChannel channel = null;
    try {
      channel = SocketChannel.open();
      channel.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER);
      Socket socket = channel.socket();
      socket.connect(door, millisUntil(end));
      socket.setSoTimeout(millisUntil(end));
      var in = new DataInputStream(socket.getInputStream());
      byte[] challenge = in.readNBytes(Token.LENGTH);
      byte[] answer = Token.nonce();
      var out = new DataOutputStream(socket.getOutputStream());
      out.writeInt(rank);
      out.writeInt(kind);
      out.write(answer);
      out.write(token.proof("caller", rank, other, kind, challenge, answer));
      out.flush();
      byte[] proof = in.readNBytes(Token.PROOF);
      if (!Token.same(proof, token.proof("called", rank, other, kind, challenge, answer))) {
        throw new IOException(
            proof.length == 0
                ? "it turned rank %d away because their tokens differ".formatted(rank)
                : "it is not a rank of this gang");
      }
      return channel;
    } catch (IOException e) {
      close(channel);
      throw new RankLostException(
          other, "rank %d at %s cannot be reached: %s".formatted(other, door, e.getMessage()));
    }
  }

  private void accept(int rank, SocketChannel[][] channels, Token token, long end)
      throws IOException {
    while (!missing(rank, channels).isEmpty()) {
      server.socket().setSoTimeout(millisUntil(end));
      SocketChannel channel;
      try {
        channel = server.socket().accept().getChannel();
      } catch (SocketTimeoutException e) {
        List<Integer> missing = missing(rank, channels);
        String names = missing.stream().map(String::valueOf).collect(Collectors.joining(", "));
        throw new RankLostException(
            missing.getFirst(),
            "rank %s did not connect to rank %d in time".formatted(names, rank));
      }
      try {
        greet(rank, channel, channels, token, end);
      } catch (IOException e) {
        close(channel); // a stranger, or a rank that calls again after its first call was cut off
      }
    }
  }

  private static List<Integer> missing(int rank, SocketChannel[][] channels) {
    List<Integer> missing = new ArrayList<>();
    IntStream.range(rank + 1, channels.length)
        .filter(other -> channels[other][DATA] == null || channels[other][CONTROL] == null)
        .forEach(missing::add);
    return missing;
  }

  private static void greet(
      int rank, SocketChannel channel, SocketChannel[][] channels, Token token, long end)
      throws IOException {
    Socket socket = channel.socket();
    socket.setSoTimeout((int) Math.min(GREETING_MILLIS, millisUntil(end)));
    byte[] challenge = Token.nonce();
    var out = new DataOutputStream(socket.getOutputStream());
    out.write(challenge);
    out.flush();
    var in = new DataInputStream(socket.getInputStream());
    int caller = in.readInt();
    int kind = in.readInt();
    byte[] answer = in.readNBytes(Token.LENGTH);
    byte[] proof = in.readNBytes(Token.PROOF);
    if (!Token.same(proof, token.proof("caller", caller, rank, kind, challenge, answer))) {
      throw new IOException("a caller without the token");
    }
    boolean expected = caller > rank && caller < channels.length && kind >= 0 && kind < KINDS;
    if (!expected || channels[caller][kind] != null) {
      throw new IOException("rank %d calls rank %d".formatted(caller, rank));
    }
    out.write(token.proof("called", caller, rank, kind, challenge, answer));
    out.flush();
    channels[caller][kind] = channel;
  }

  /** Stops listening; existing connections stay open. */
  @Override
  public void close() throws IOException {
    server.close();
  }
}
