package io.perflow.nn.distributed;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** Another rank, at the end of two connections. */
final class Peer {
  /** A message on the control connection, which consists of a kind and a rank. */
  enum Word {
    /** The named rank is lost. */
    LOST,
    /** The sender is alive and waits for somebody. */
    ALIVE,
    /** The sender leaves, because it has finished. */
    BYE
  }

  private static final int WORD = 2 * Integer.BYTES;

  final int rank;
  final InetSocketAddress address;
  final SocketChannel data;
  final SelectionKey dataKey;
  private final SocketChannel control;
  private final ByteBuffer heard = ByteBuffer.allocate(WORD);

  /** The rank that this one has reported lost; -1 for none. */
  int accused = -1;

  /** The time at which it last said that it is alive. */
  long alive;

  /** The reason why nothing more will come; null while something may. */
  String gone;

  Peer(int rank, InetSocketAddress address, SocketChannel data, SocketChannel control, Selector s)
      throws IOException {
    this.rank = rank;
    this.address = address;
    this.data = data;
    this.control = control;
    for (SocketChannel channel : new SocketChannel[] {data, control}) {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }
    dataKey = data.register(s, 0);
    control.register(s, SelectionKey.OP_READ, this);
  }

  /** Sends a message, if the other still listens. */
  void say(Word word, int about) {
    ByteBuffer message = ByteBuffer.allocate(WORD).putInt(word.ordinal()).putInt(about).flip();
    try {
      control.write(message); // eight bytes fit into any buffer
    } catch (IOException e) {
      gone = gone == null ? "its connection broke: " + e.getMessage() : gone;
    }
  }

  /** Reads messages that have arrived. */
  void listen() {
    try {
      while (gone == null) {
        int got = control.read(heard);
        if (got < 0) {
          gone = "its process ended";
        } else if (heard.hasRemaining()) {
          return;
        } else {
          hear(heard.flip().getInt(), heard.getInt());
          heard.clear();
        }
      }
    } catch (IOException e) {
      gone = "its connection broke: " + e.getMessage();
    }
  }

  private void hear(int word, int about) {
    switch (word) {
      case 0 -> accused = about;
      case 1 -> alive = System.nanoTime();
      default -> gone = "it left";
    }
  }

  void close() {
    for (SocketChannel channel : new SocketChannel[] {data, control}) {
      try {
        channel.close();
      } catch (IOException e) {
        gone = e.getMessage(); // the connection is as good as closed
      }
    }
  }

  @Override
  public String toString() {
    return "rank %d at %s".formatted(rank, address);
  }
}
