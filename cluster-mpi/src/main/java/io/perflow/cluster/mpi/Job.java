package io.perflow.cluster.mpi;

import io.perflow.cluster.mpi.Order.Outcome;
import io.perflow.nn.distributed.Collective;
import io.perflow.nn.distributed.RankLostException;
import io.perflow.nn.distributed.Transport;
import io.perflow.tensor.Settings;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The processes of one MPI job. The first runs a program; the others wait for what it has them do.
 */
final class Job {
  private static final Duration ALWAYS = Duration.ofDays(10_000);
  private static final Duration TELL = Duration.ofSeconds(5); // for the others when one is lost
  private static final int ORDERS = 0; // numbers of two gangs of all processes
  private static final int REPORTS = 1;

  private static Job current; // null in a process that MpiMain did not start

  private final Mpi mpi;
  private final Collective all;
  private int gangs = REPORTS;
  private boolean broken; // somebody may never answer

  private Job(Mpi mpi) {
    this.mpi = mpi;
    all = Collective.over(new MpiTransport(mpi, ORDERS, mpi.size(), ALWAYS));
  }

  /** Joins the processes of this job. */
  static synchronized Job join() {
    current = new Job(Mpi.start());
    current.shareProcessors();
    return current;
  }

  /** The job that this process belongs to. */
  static synchronized Job current() {
    if (current == null) {
      throw new IllegalStateException(
          "this process is no rank of MPI: start the program by mpiexec -n 4 java … %s <its class>,"
                  .formatted(MpiMain.class.getName())
              + " or by mpiexec -n 4 perflow --master mpi");
    }
    return current;
  }

  boolean leads() {
    return mpi.rank() == 0;
  }

  int size() {
    return mpi.size();
  }

  Mpi mpi() {
    return mpi;
  }

  /** A number for the next gang. */
  int nextGang() {
    return ++gangs;
  }

  // Processes of one machine that the launcher has not bound to processors of their own share all.
  private void shareProcessors() {
    String host = host();
    int here = 0;
    for (int rank = 0; rank < mpi.size(); rank++) {
      here += host.equals(object(announce(rank, bytes(host)))) ? 1 : 0;
    }
    int mine = Runtime.getRuntime().availableProcessors();
    if (System.getProperty("perflow.threads") == null && mine == processors()) {
      Settings.threads(Math.max(1, mine / here));
    }
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (IOException e) {
      return System.getenv().getOrDefault("HOSTNAME", "");
    }
  }

  // of this machine, whatever this process is bound to
  private static int processors() {
    try {
      String online = Files.readString(Path.of("/sys/devices/system/cpu/online")).strip();
      int count = 0;
      for (String range : online.split(",")) {
        String[] ends = range.split("-");
        count += Integer.parseInt(ends[ends.length - 1]) - Integer.parseInt(ends[0]) + 1;
      }
      return count;
    } catch (IOException | NumberFormatException e) {
      return Runtime.getRuntime().availableProcessors();
    }
  }

  /**
   * Has all processes do something and gives how each fared, in the order of ranks.
   *
   * @param listener hears what this process, which is rank 0, tells
   */
  synchronized List<Outcome> command(
      Order order, Duration deadline, Consumer<Serializable> listener) {
    if (broken) {
      throw new IllegalStateException(
          "a process of this MPI job is lost; give the same mpiexec command again");
    }
    broken = true; // until all have answered
    announce(0, bytes(order));
    List<Outcome> outcomes = new ArrayList<>(List.of(order.obey(mpi, listener)));
    Transport reports = reports(outcomes.getFirst().lost() ? TELL : deadline);
    try {
      for (int rank = 1; rank < mpi.size(); rank++) {
        outcomes.add((Outcome) object(receive(reports, rank)));
      }
      broken = false;
    } catch (RankLostException e) {
      outcomes.add(Outcome.failed(e, ""));
    }
    return outcomes;
  }

  /** Does what the first process says until it says that this is the end. */
  void serve() {
    while (object(announce(0, null)) instanceof Order order && !(order instanceof Order.End)) {
      byte[] outcome = bytes(order.obey(mpi, _ -> {}));
      Transport reports = reports(ALWAYS);
      send(reports, ByteBuffer.allocate(Integer.BYTES).putInt(outcome.length).flip());
      send(reports, ByteBuffer.wrap(outcome));
    }
    finish();
  }

  /** Sends all home, or ends them if one may not hear it. */
  synchronized void end() {
    if (broken) {
      mpi.abort(1);
    } else {
      announce(0, bytes(new Order.End()));
      finish();
    }
  }

  private void finish() {
    all.barrier(); // what others have said is there then
    try {
      mpi.end(MpiTransport.WORD);
    } catch (Mpi.Failure e) {
      mpi.abort(1);
    }
  }

  private Transport reports(Duration deadline) {
    return new MpiTransport(mpi, REPORTS, mpi.size(), deadline);
  }

  private static void send(Transport reports, ByteBuffer bytes) {
    reports.exchange(0, bytes, Transport.NOBODY, ByteBuffer.allocate(0));
  }

  private static byte[] receive(Transport reports, int rank) {
    ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
    reports.exchange(Transport.NOBODY, ByteBuffer.allocate(0), rank, length);
    ByteBuffer bytes = ByteBuffer.allocate(length.getInt(0));
    reports.exchange(Transport.NOBODY, ByteBuffer.allocate(0), rank, bytes);
    return bytes.array();
  }

  // what one process says to all
  private byte[] announce(int from, byte[] bytes) {
    boolean own = from == mpi.rank();
    ByteBuffer length = ByteBuffer.allocate(Integer.BYTES).putInt(0, own ? bytes.length : 0);
    all.broadcast(from, length);
    ByteBuffer whole = own ? ByteBuffer.wrap(bytes) : ByteBuffer.allocate(length.getInt(0));
    all.broadcast(from, whole);
    return whole.array();
  }

  private static byte[] bytes(Serializable value) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    } catch (IOException e) {
      throw new UncheckedIOException("this cannot travel between processes: " + e, e);
    }
    return bytes.toByteArray();
  }

  // from a process of the same job, which its user has started
  private static Object object(byte[] bytes) {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
      return in.readObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(
          "%s is not on the class path of all processes; give them the same"
              .formatted(e.getMessage()),
          e);
    }
  }
}
