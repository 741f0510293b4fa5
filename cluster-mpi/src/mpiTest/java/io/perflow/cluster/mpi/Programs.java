package io.perflow.cluster.mpi;

import io.perflow.flow.DataSource;
import io.perflow.flow.FlowConfig;
import io.perflow.flow.Recipe;
import io.perflow.flow.RectifiedFlow;
import io.perflow.flow.TrainConfig;
import io.perflow.flow.Trainer;
import io.perflow.flow.TrainingListener;
import io.perflow.nn.distributed.Collective;
import io.perflow.nn.distributed.Engine;
import io.perflow.nn.distributed.EngineException;
import io.perflow.nn.distributed.Gang;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.solver.Heat;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

/** What the tests run on several processes. */
public final class Programs {
  private static final long STEPS = 12;

  private Programs() {}

  /** Sums of vectors of some lengths, a broadcast and a barrier; the result is a checksum. */
  record Sums() implements Engine.RankWork<Long> {
    @Override
    public Long of(Collective ranks) {
      ranks.tell("begun by rank " + ranks.rank());
      CRC32 sum = new CRC32();
      for (int length : new int[] {0, 1, 7, 1000, 700_001}) {
        float[] values =
            length == 0
                ? new float[0]
                : Tensor.zeros(length)
                    .add(Rng.of(ranks.rank()).normal(Shape.of(length)))
                    .toFloats();
        ranks.allReduce(values);
        sum.update(bytes(values));
      }
      ranks.barrier();
      ByteBuffer word = ByteBuffer.allocateDirect(3_000_001);
      if (ranks.rank() == ranks.size() - 1) {
        for (int i = 0; i < word.capacity(); i++) {
          word.put(i, (byte) (i * 31));
        }
      }
      ranks.broadcast(ranks.size() - 1, word);
      sum.update(word.flip());
      return sum.getValue();
    }
  }

  private static ByteBuffer bytes(float[] values) {
    ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES);
    bytes.asFloatBuffer().put(values);
    return bytes;
  }

  /** The square of a number, and by which process. */
  record Square() implements Engine.Work<Integer, Integer> {
    @Override
    public Integer of(Integer item) {
      if (item < 0) {
        throw new IllegalArgumentException("no square of " + item);
      }
      return item * item;
    }
  }

  /** A small training; at a step something may happen to a rank. */
  record Training(String directory, String trouble) implements Engine.RankWork<Long> {
    private static final int STEP = 7;

    @Override
    public Long of(Collective ranks) throws IOException {
      Heat heat = Heat.standard().size(16);
      Problem problem = heat.problem();
      Normalization units = new Normalization(List.of(300.0), List.of(5.0));
      UNetConfig network =
          new UNetConfig(1, 1, 2, List.of(16, 16), 1, List.of(false, true), 2, 4, 32, false, false);
      FlowConfig config = Recipe.FAST.flow(problem, units).network(network);
      RectifiedFlow flow = RectifiedFlow.of(config, Rng.of(1));
      Tensor fields = units.normalize(heat.samples(12, Rng.of(1)));
      TrainConfig settings = TrainConfig.fast(STEPS, 4, 1).shards(4).saveEvery(3).validateEvery(6);
      DataSource source = DataSource.of(problem, fields, settings);
      new Trainer(flow, source, settings, Path.of(directory))
          .validation(fields.slice(0, 0, 4))
          .ranks(ranks)
          .listener(
              new TrainingListener() {
                @Override
                public void step(long step, double loss, double rate) {
                  if (step == STEP && ranks.rank() == 1) {
                    happen();
                  }
                }
              })
          .train();
      CRC32 sum = new CRC32();
      for (Tensor value : flow.network().values()) {
        sum.update(bytes(value.toFloats()));
      }
      return sum.getValue();
    }

    private void happen() {
      switch (trouble) {
        case "dies" -> Runtime.getRuntime().halt(9);
        case "fails" -> throw new IllegalStateException("out of order");
        case "stops" -> stop();
        default -> {}
      }
    }

    private static void stop() {
      try {
        new ProcessBuilder("kill", "-STOP", "" + ProcessHandle.current().pid()).start().waitFor();
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Sums vectors that do not fit together. */
  record Misfits() implements Engine.RankWork<Integer> {
    @Override
    public Integer of(Collective ranks) {
      ranks.allReduce(new float[ranks.rank() == 0 ? 10 : 14]);
      return 0;
    }
  }

  /** A job: the word says which. */
  public static void main(String[] arguments) {
    try (Engine engine = Engine.connect("mpi")) {
      int size = engine.slots();
      switch (arguments[0]) {
        case "sums" -> say(engine.gang(Gang.of(size).listener(Programs::say), new Sums()));
        case "fewer" -> say(engine.gang(Gang.of(size - 1), new Sums()));
        case "more" -> say(engine.gang(Gang.of(size + 1), new Sums()));
        case "items" -> {
          List<Integer> items = new ArrayList<>(IntStream.range(0, 11).boxed().toList());
          say(engine.map(items, new Square()));
          items.set(4, -4);
          say(engine.map(items, new Square()));
        }
        case "misfits" -> say(engine.gang(Gang.of(size), new Misfits()));
        case "exit" -> System.exit(3);
        default ->
            say(
                engine.gang(
                    Gang.of(size).deadline(Duration.ofSeconds(5)),
                    new Training(arguments[1], arguments[0])));
      }
    } catch (EngineException e) {
      say(e.getMessage());
      System.exit(1);
    }
  }

  private static void say(Object what) {
    System.out.println("found " + what);
  }
}
