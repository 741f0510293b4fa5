package io.perflow.nn.distributed;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Runs the ranks of a gang as threads, joined in memory or by sockets. */
final class Ranks {
  static final Duration DEADLINE = Duration.ofSeconds(90); // the machine may be busy

  private Ranks() {}

  /** What a rank does. */
  interface Work<R> {
    R run(Transport transport) throws Exception;
  }

  /** What every rank found, or the exception of the first that failed. */
  static <R> List<R> all(List<? extends Transport> gang, Work<R> work) throws Exception {
    List<R> found = new ArrayList<>();
    for (Future<R> future : start(gang, work)) {
      found.add(future.get(200, TimeUnit.SECONDS));
    }
    return found;
  }

  /** What every rank found or threw. */
  static <R> List<Object> outcomes(List<? extends Transport> gang, Work<R> work) throws Exception {
    List<Object> outcomes = new ArrayList<>();
    for (Future<R> future : start(gang, work)) {
      try {
        outcomes.add(future.get(200, TimeUnit.SECONDS));
      } catch (ExecutionException e) {
        outcomes.add(e.getCause());
      }
    }
    return outcomes;
  }

  private static <R> List<Future<R>> start(List<? extends Transport> gang, Work<R> work) {
    try (var pool = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      List<Future<R>> futures = new ArrayList<>();
      for (Transport transport : gang) {
        futures.add(
            pool.submit(
                () -> {
                  try (transport) {
                    return work.run(transport);
                  }
                }));
      }
      return futures;
    }
  }

  static List<Transport> sockets(int size, Duration deadline) throws Exception {
    List<Door> doors = new ArrayList<>();
    List<InetSocketAddress> addresses = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      doors.add(Door.open(InetAddress.getLoopbackAddress()));
      addresses.add(doors.getLast().address());
    }
    Token token = Token.random();
    List<Transport> gang = new ArrayList<>();
    try (var pool = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      List<Future<Transport>> joins = new ArrayList<>();
      for (int rank = 0; rank < size; rank++) {
        int me = rank;
        joins.add(pool.submit(() -> doors.get(me).join(me, addresses, token, deadline)));
      }
      for (Future<Transport> join : joins) {
        gang.add(join.get());
      }
    }
    for (Door door : doors) {
      door.close();
    }
    return gang;
  }
}
