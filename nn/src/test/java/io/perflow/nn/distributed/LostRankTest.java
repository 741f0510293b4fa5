package io.perflow.nn.distributed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A rank that waits for a lost one names it, and no rank hangs. */
final class LostRankTest {
  private static final Duration SHORT = Duration.ofMillis(1500);

  private static void reduce(Transport transport, int times) {
    Collective gang = Collective.over(transport, Reduction.RING, Wire.F32);
    for (int i = 0; i < times; i++) {
      gang.allReduce(new float[1000]);
    }
  }

  private static void expectLost(int rank, Object outcome) {
    RankLostException lost = assertInstanceOf(RankLostException.class, outcome);
    assertEquals(rank, lost.rank(), lost.getMessage());
    assertTrue(lost.getMessage().contains("rank " + rank), lost.getMessage());
  }

  @Test
  void allRanksNameTheOneThatLeft() throws Exception {
    for (boolean sockets : new boolean[] {false, true}) {
      List<? extends Transport> gang =
          sockets ? Ranks.sockets(4, Ranks.DEADLINE) : ThreadTransport.gang(4, Ranks.DEADLINE);
      List<Object> outcomes =
          Ranks.outcomes(
              gang,
              t -> {
                reduce(t, t.rank() == 2 ? 3 : 10);
                return "done";
              });
      assertEquals("done", outcomes.get(2));
      for (int rank : new int[] {0, 1, 3}) {
        expectLost(2, outcomes.get(rank));
      }
    }
  }

  @Test
  void allRanksNameTheOneThatFallsSilent() throws Exception {
    for (boolean sockets : new boolean[] {false, true}) {
      List<? extends Transport> gang =
          sockets ? Ranks.sockets(4, SHORT) : ThreadTransport.gang(4, SHORT);
      CompletableFuture<Void> end = new CompletableFuture<>();
      CompletableFuture<List<Object>> all =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return Ranks.outcomes(
                      gang,
                      t -> {
                        reduce(t, 2);
                        if (t.rank() == 1) {
                          end.get(100, TimeUnit.SECONDS);
                          return "asleep";
                        }
                        reduce(t, 1);
                        return "done";
                      });
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              });
      TimeUnit.MILLISECONDS.sleep(sockets ? 6000 : 2500);
      end.complete(null);
      List<Object> outcomes = all.get(100, TimeUnit.SECONDS);
      assertEquals("asleep", outcomes.get(1));
      expectNamed(sockets, outcomes);
    }
  }

  // Threads name whom they wait for themselves; processes find out who is the silent one.
  private static void expectNamed(boolean sockets, List<Object> outcomes) {
    for (int rank : new int[] {0, 2, 3}) {
      if (sockets) {
        expectLost(1, outcomes.get(rank));
      } else {
        assertInstanceOf(RankLostException.class, outcomes.get(rank));
      }
    }
  }

  @Test
  void anInterruptedRankEndsAndIsNamed() throws Exception {
    List<Object> outcomes =
        Ranks.outcomes(
            Ranks.sockets(3, Ranks.DEADLINE),
            t -> {
              if (t.rank() == 0) {
                Thread.currentThread().interrupt();
              }
              reduce(t, 1);
              return "done";
            });
    for (Object outcome : outcomes) {
      expectLost(0, outcome);
    }
  }

  @Test
  void ranksThatDoNotComeAreNamed() throws Exception {
    try (Door door = Door.open(InetAddress.getLoopbackAddress());
        Door closed = Door.open(InetAddress.getLoopbackAddress())) {
      List<InetSocketAddress> doors = List.of(door.address(), closed.address(), closed.address());
      RankLostException late =
          assertThrows(
              RankLostException.class,
              () -> door.join(0, doors, Token.random(), Duration.ofMillis(300)));
      assertEquals(1, late.rank());
      assertTrue(late.getMessage().startsWith("rank 1, 2 did not connect"), late.getMessage());
      closed.close();
      RankLostException gone =
          assertThrows(
              RankLostException.class,
              () -> door.join(1, List.of(closed.address(), door.address()), Token.random(), SHORT));
      assertEquals(0, gone.rank());
    }
  }

  @Test
  void callersWithoutTheTokenAreTurnedAwayAndDisturbNobody() throws Exception {
    try (Door zero = Door.open(InetAddress.getLoopbackAddress());
        Door one = Door.open(InetAddress.getLoopbackAddress());
        Socket mute = new Socket(zero.address().getAddress(), zero.address().getPort())) {
      List<InetSocketAddress> doors = List.of(zero.address(), one.address());
      Token token = Token.random();
      CompletableFuture<Transport> first =
          CompletableFuture.supplyAsync(() -> zero.join(0, doors, token, Ranks.DEADLINE));
      RankLostException refused =
          assertThrows(
              RankLostException.class, () -> one.join(1, doors, Token.random(), Ranks.DEADLINE));
      assertTrue(refused.getMessage().contains("their tokens differ"), refused.getMessage());
      Token parsed = Token.parse(token.text());
      try (Transport second = one.join(1, doors, parsed, Ranks.DEADLINE);
          Transport joined = first.get(100, TimeUnit.SECONDS)) {
        assertEquals(2, second.size());
        assertEquals(0, joined.rank());
      }
      assertTrue(mute.isConnected());
    }
  }

  @Test
  void ranksThatDoDifferentThingsAreTold() throws Exception {
    List<Object> outcomes =
        Ranks.outcomes(
            Ranks.sockets(2, Ranks.DEADLINE),
            t -> {
              Collective.over(t).allReduce(new float[t.rank() == 0 ? 10 : 12]);
              return "done";
            });
    assertTrue(
        outcomes.stream().anyMatch(o -> o.toString().contains("the ranks do different things")),
        outcomes.toString());
  }
}
