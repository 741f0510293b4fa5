package io.perflow.flow;

import io.perflow.nn.Layer;
import io.perflow.nn.Parameter;
import io.perflow.nn.distributed.Collective;
import io.perflow.nn.distributed.RankLostException;
import io.perflow.nn.distributed.ShardPlan;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.zip.CRC32;

/** The agreement between the ranks of a training. A training on one machine has one rank. */
final class Sharing {
  private static final int PIECE = 8 << 20;
  private static final Duration ATTEMPT_ENDS = Duration.ofSeconds(60);
  private static final int HALF = 16; // the bits of a checksum that a float holds exactly

  private final Collective ranks;
  private final ShardPlan plan;

  Sharing(Collective ranks, int shards) {
    this.ranks = ranks;
    plan = new ShardPlan(shards, ranks.size());
    if (shards < ranks.size()) {
      throw new IllegalArgumentException(
          "[training] %d shards cannot keep %d ranks busy; ask for at least as many shards as ranks"
              .formatted(shards, ranks.size()));
    }
  }

  Collective ranks() {
    return ranks;
  }

  ShardPlan plan() {
    return plan;
  }

  /** Returns whether this rank writes files. */
  boolean leads() {
    return ranks.rank() == 0;
  }

  boolean alone() {
    return ranks.size() == 1;
  }

  /**
   * Returns the lock of a run; with several ranks an earlier attempt of theirs may still have it.
   */
  RunLock lock(Path directory) throws IOException {
    return RunLock.take(directory, alone() ? Duration.ZERO : ATTEMPT_ENDS);
  }

  int first() {
    return plan.first(ranks.rank());
  }

  int end() {
    return plan.end(ranks.rank());
  }

  /**
   * Returns whether this rank computes a number of a list, each of which is computed by one rank.
   */
  boolean mine(int number) {
    return number % ranks.size() == ranks.rank();
  }

  /** Fills in single-precision numbers that other ranks computed; they hold zeros so far. */
  void share(double[] numbers) {
    if (alone()) {
      return;
    }
    float[] values = new float[numbers.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) numbers[i];
    }
    ranks.allReduce(values); // one rank's number plus zeros: exact
    for (int i = 0; i < values.length; i++) {
      numbers[i] = values[i];
    }
  }

  /** Returns whether any rank says so. */
  boolean any(boolean own) {
    float[] votes = {own ? 1 : 0};
    ranks.allReduce(votes);
    return votes[0] > 0;
  }

  /** Gives every rank the bytes of a file that the leader has. */
  void send(Path file) throws IOException {
    ByteBuffer length = ByteBuffer.allocate(Long.BYTES);
    if (leads()) {
      length.putLong(0, Files.size(file));
    }
    ranks.broadcast(0, length);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      for (long left = length.getLong(0); left > 0; left -= Math.min(left, PIECE)) {
        ByteBuffer piece = ByteBuffer.allocate((int) Math.min(left, PIECE));
        while (leads() && piece.hasRemaining()) {
          if (channel.read(piece) < 0) {
            throw new IOException(file + " ended early");
          }
        }
        piece.clear();
        ranks.broadcast(0, piece);
        piece.flip();
        while (!leads() && piece.hasRemaining()) {
          channel.write(piece);
        }
      }
    }
  }

  /**
   * Demands that all ranks have the same weights. Processors of different kinds may round the norm
   * of a gradient differently, and weights would drift apart unseen.
   */
  void requireSame(Layer network, long step) {
    if (alone()) {
      return;
    }
    int own = checksum(network);
    float[] found = new float[2 * ranks.size()];
    found[2 * ranks.rank()] = own >>> HALF;
    found[2 * ranks.rank() + 1] = own & (1 << HALF) - 1;
    ranks.allReduce(found);
    for (int rank = 1; rank < ranks.size(); rank++) {
      if (found[2 * rank] != found[0] || found[2 * rank + 1] != found[1]) {
        throw new RankLostException(
            rank,
            ("rank %d has other weights than rank 0 after step %d: all machines of a run need"
                    + " processors of one kind")
                .formatted(rank, step));
      }
    }
  }

  private static int checksum(Layer network) {
    CRC32 sum = new CRC32();
    for (Parameter parameter : network.state().values()) {
      Tensor value = parameter.value();
      float[] numbers = value.toFloats();
      ByteBuffer bytes = ByteBuffer.allocate(numbers.length * Float.BYTES);
      bytes.asFloatBuffer().put(numbers);
      sum.update(bytes);
    }
    return (int) sum.getValue();
  }
}
