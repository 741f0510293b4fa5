package io.perflow.cluster;

import io.perflow.nn.distributed.Collective;
import io.perflow.nn.distributed.Door;
import io.perflow.nn.distributed.Engine;
import io.perflow.nn.distributed.RankLostException;
import io.perflow.nn.distributed.Reduction;
import io.perflow.nn.distributed.Token;
import io.perflow.nn.distributed.Transport;
import io.perflow.nn.distributed.Wire;
import io.perflow.tensor.Settings;
import java.io.IOException;
import java.io.Serializable;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.SparkEnv;

/**
 * A task of a barrier stage that is one rank. It meets the others once by Spark, which takes a
 * second, and talks to them directly from then on.
 */
record Rank<R extends Serializable>(
    Engine.RankWork<R> work,
    Duration deadline,
    Reduction reduction,
    Wire wire,
    int threads,
    News news)
    implements Serializable {
  Outcome<R> run(BarrierTaskContext task) {
    int rank = task.partitionId();
    String host = host(task, rank);
    try (Collective ranks = Collective.over(join(task, rank, host), reduction, wire, news::add)) {
      if (threads > 0) {
        Settings.threads(threads);
      }
      return new Outcome<>(rank, host, work.of(ranks), null);
    } catch (Exception e) {
      return new Outcome<>(rank, host, null, travelling(e));
    }
  }

  // The address by which other machines of the cluster know this one; the port is Spark's own.
  private static String host(BarrierTaskContext task, int rank) {
    String address = task.getTaskInfos()[rank].address();
    return address.substring(0, address.lastIndexOf(':'));
  }

  private Transport join(BarrierTaskContext task, int rank, String host) throws IOException {
    try (Door door = Door.open(InetAddress.getByName(host))) {
      String card =
          "%s %d %s %s"
              .formatted(host, door.address().getPort(), Token.random().text(), Build.hash());
      String[] cards = task.allGather(card);
      List<InetSocketAddress> doors = new ArrayList<>();
      for (int other = 0; other < cards.length; other++) {
        String[] parts = cards[other].split(" ");
        doors.add(new InetSocketAddress(parts[0], Integer.parseInt(parts[1])));
        if (!parts[3].equals(Build.hash())) {
          throw new IllegalStateException(
              "rank %d on %s runs another build than rank %d on %s; give all machines the same jars"
                  .formatted(other, parts[0], rank, host));
        }
      }
      return door.join(rank, doors, Token.parse(cards[0].split(" ")[2]), deadline);
    }
  }

  // An exception of any class may not be known to the driver; its text is.
  private static Exception travelling(Exception e) {
    if (e instanceof RankLostException) {
      return e;
    }
    String text = e.getMessage() == null ? e.toString() : e.getMessage();
    IllegalStateException plain = new IllegalStateException(text);
    plain.setStackTrace(e.getStackTrace());
    return plain;
  }

  /** Threads that a rank of a process may use; 0 to leave them as they are. */
  static int threads(boolean local, int ranks) {
    if (local) {
      return Math.max(1, Runtime.getRuntime().availableProcessors() / ranks);
    }
    return SparkEnv.get().conf().getInt("spark.executor.cores", 0);
  }
}
