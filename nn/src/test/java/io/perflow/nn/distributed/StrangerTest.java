package io.perflow.nn.distributed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Bytes that no rank would send, at the door and behind it. */
final class StrangerTest {
  private static final int CALLERS = 300;
  private static final int MESSAGES = 60;
  private static final Duration SHORT = Duration.ofSeconds(3);

  private static byte[] greeting(int caller, int kind, byte[] answer, byte[] proof) {
    return ByteBuffer.allocate(2 * Integer.BYTES + answer.length + proof.length)
        .putInt(caller)
        .putInt(kind)
        .put(answer)
        .put(proof)
        .array();
  }

  // A greeting that is cut, changed, of a rank or kind that there is not, or without the token;
  // every fifth has the right proof of what it says.
  private static byte[] forged(Random random, Token token, byte[] challenge) {
    int[] odd = {0, 1, 2, -1, 7, Integer.MIN_VALUE, Integer.MAX_VALUE};
    boolean insider = random.nextInt(5) == 0;
    int caller = odd[random.nextInt(odd.length)];
    int kind = odd[random.nextInt(odd.length)];
    if (insider && caller == 1 && (kind == 0 || kind == 1)) {
      kind = 2; // what the true rank 1 will say
    }
    byte[] answer = Token.nonce();
    Token own = insider ? token : Token.random();
    byte[] bytes =
        greeting(caller, kind, answer, own.proof("caller", caller, 0, kind, challenge, answer));
    if (!insider) {
      bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      bytes = random.nextBoolean() ? bytes : Arrays.copyOf(bytes, random.nextInt(60));
    }
    return bytes;
  }

  private static boolean isTurnedAway(Door door, Token token, Random random) throws IOException {
    try (Socket socket = new Socket(door.address().getAddress(), door.address().getPort())) {
      byte[] challenge = socket.getInputStream().readNBytes(Token.LENGTH);
      socket.getOutputStream().write(forged(random, token, challenge));
      socket.shutdownOutput();
      return socket.getInputStream().read() < 0;
    } catch (SocketException e) {
      return true; // it closed before it had read all
    }
  }

  @Test
  void strangersAtTheDoorDisturbNobody() throws Exception {
    try (Door zero = Door.open(InetAddress.getLoopbackAddress());
        Door one = Door.open(InetAddress.getLoopbackAddress())) {
      List<InetSocketAddress> doors = List.of(zero.address(), one.address());
      Token token = Token.random();
      CompletableFuture<Transport> first =
          CompletableFuture.supplyAsync(() -> zero.join(0, doors, token, Ranks.DEADLINE));
      Random random = new Random(1);
      for (int caller = 0; caller < CALLERS; caller++) {
        assertTrue(isTurnedAway(zero, token, random), "caller " + caller + " was let in");
        assertTrue(!first.isDone(), () -> "the rank ended: " + first);
      }
      try (Transport second = one.join(1, doors, token, Ranks.DEADLINE);
          Transport joined = first.get(100, TimeUnit.SECONDS)) {
        List<Object> sums =
            Ranks.outcomes(
                List.of(joined, second),
                t -> {
                  float[] ones = {1};
                  Collective.over(t).allReduce(ones);
                  return ones;
                });
        for (Object sum : sums) {
          assertArrayEquals(new float[] {2}, (float[]) sum);
        }
      }
    }
  }

  /** A rank whose memory is broken, or another version: the other names it and ends. */
  @Test
  void messagesThatAreNoneEndTheGang() throws Exception {
    Random random = new Random(2);
    for (int number = 0; number < MESSAGES; number++) {
      byte[] bytes = new byte[1 + random.nextInt(40)];
      random.nextBytes(bytes);
      if (number % 3 == 0) { // looks like a message, of another length
        int[] lengths = {-1, 0, Integer.MIN_VALUE, Integer.MAX_VALUE, 5};
        bytes =
            ByteBuffer.allocate(2 * Integer.BYTES)
                .putInt(0x70665f31)
                .putInt(lengths[random.nextInt(lengths.length)])
                .array();
      }
      boolean control = number % 2 == 0;
      Object outcome = ofRankZero(bytes, control);
      RankLostException lost = assertInstanceOf(RankLostException.class, outcome, "" + number);
      assertTrue(lost.getMessage().contains("rank "), lost.getMessage());
    }
  }

  // what rank 0 says that waits for a number of rank 1, which sends these bytes and goes
  private static Object ofRankZero(byte[] bytes, boolean control) throws Exception {
    try (Door zero = Door.open(InetAddress.getLoopbackAddress())) {
      InetSocketAddress nobody = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);
      List<InetSocketAddress> doors = List.of(zero.address(), nobody);
      Token token = Token.random();
      CompletableFuture<Transport> joining =
          CompletableFuture.supplyAsync(() -> zero.join(0, doors, token, SHORT));
      List<Socket> sockets = new ArrayList<>();
      try {
        for (int kind = 0; kind < Door.KINDS; kind++) {
          sockets.add(greeted(zero, token, kind));
        }
        Transport transport = joining.get(100, TimeUnit.SECONDS);
        sockets.get(control ? Door.CONTROL : Door.DATA).getOutputStream().write(bytes);
        for (Socket socket : sockets) {
          socket.shutdownOutput();
        }
        return Ranks.outcomes(
                List.of(transport),
                t -> {
                  Collective.over(t).allReduce(new float[3]);
                  return "done";
                })
            .getFirst();
      } finally {
        for (Socket socket : sockets) {
          socket.close();
        }
      }
    }
  }

  private static Socket greeted(Door door, Token token, int kind) throws IOException {
    Socket socket = new Socket(door.address().getAddress(), door.address().getPort());
    byte[] challenge = socket.getInputStream().readNBytes(Token.LENGTH);
    byte[] answer = Token.nonce();
    byte[] proof = token.proof("caller", 1, 0, kind, challenge, answer);
    socket.getOutputStream().write(greeting(1, kind, answer, proof));
    socket.getInputStream().readNBytes(Token.PROOF);
    return socket;
  }
}
