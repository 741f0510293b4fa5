package io.perflow.cluster;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Lets processes work one after the other, so that all meet the machine as it is at the time: a
 * virtual one runs the same code at two speeds for minutes at a time. A process that is not called
 * waits at its socket and takes no processor.
 */
final class Turns implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 240_000; // a first step is compiled while it runs

  private final ServerSocket door;
  private final List<Player> players = new ArrayList<>();

  /** A process that works when it is called. */
  private record Player(String team, Socket socket) {}

  Turns() throws IOException {
    door = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    door.setSoTimeout(PATIENCE_MILLIS);
  }

  int port() {
    return door.getLocalPort();
  }

  /** Waits until so many processes have come. */
  void admit(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      Socket socket = door.accept();
      socket.setSoTimeout(PATIENCE_MILLIS);
      socket.setTcpNoDelay(true);
      players.add(new Player(new DataInputStream(socket.getInputStream()).readUTF(), socket));
    }
  }

  /** Calls all processes of some teams at once and waits for them; the seconds that they take. */
  double call(String... teams) throws IOException {
    List<Player> called =
        players.stream().filter(player -> Arrays.asList(teams).contains(player.team)).toList();
    long start = System.nanoTime();
    for (Player player : called) {
      player.socket.getOutputStream().write(1);
    }
    for (Player player : called) {
      if (player.socket.getInputStream().read() < 0) {
        throw new EOFException("a process of '%s' has ended".formatted(player.team));
      }
    }
    return (System.nanoTime() - start) * 1e-9;
  }

  /** Sends everybody home. */
  @Override
  public void close() throws IOException {
    for (Player player : players) {
      player.socket.close();
    }
    door.close();
  }

  /** A place among the players. */
  static final class Place implements AutoCloseable {
    private final Socket socket = new Socket();

    Place(int port, String team) throws IOException {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      socket.setTcpNoDelay(true);
      new DataOutputStream(socket.getOutputStream()).writeUTF(team);
    }

    /** Waits to be called; false when there is nothing more to do. */
    boolean called() throws IOException {
      return socket.getInputStream().read() > 0;
    }

    void done() throws IOException {
      socket.getOutputStream().write(1);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
