package io.perflow.cli;

import io.perflow.flow.RunLock;
import io.perflow.nn.distributed.Collective;
import io.perflow.nn.distributed.Engine;
import io.perflow.nn.distributed.Gang;
import io.perflow.nn.distributed.Reduction;
import io.perflow.nn.distributed.Wire;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.tensor.Named;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The options for sharing a training among several processes. */
final class RankOptions {
  // time for Spark to end a process that hangs
  private static final Duration ATTEMPT_ENDS = Duration.ofSeconds(60);

  @Option(
      names = "--shards",
      converter = Count.class,
      description =
          "Parts of a batch, each with random numbers of its own; as many ranks can share a"
              + " training, and their number does not change its weights. If omitted, one for each"
              + " rank.")
  private Integer shards;

  @Option(
      names = "--ranks",
      converter = Count.class,
      description =
          "Processes that train together, with --master. If omitted, one for each executor of the"
              + " cluster, or for each process of an MPI job.")
  private Integer ranks;

  @Option(
      names = "--least-ranks",
      converter = Count.class,
      description =
          "Go on with as few when machines are lost and none replaces them within two minutes. If"
              + " omitted, --ranks.")
  private Integer least;

  @Option(
      names = "--wire",
      defaultValue = "f32",
      description =
          "How gradients travel: f32, or bf16 for half the traffic at less precision"
              + " (${DEFAULT-VALUE}).")
  private String wire;

  @Option(
      names = "--deadline",
      converter = Count.class,
      defaultValue = "600",
      description = "Seconds after which a silent rank counts as lost (${DEFAULT-VALUE}).")
  private int deadline;

  /** Refuses options that only the ranks of a cluster have. */
  static void refuseAlone(CommandSpec spec) {
    for (String option : List.of("--ranks", "--least-ranks", "--wire", "--deadline")) {
      if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
        throw new IllegalArgumentException(
            "%s is for a training on a cluster: perflow --master CLUSTER train; leave it out here"
                .formatted(option));
      }
    }
  }

  /** Sets the number of parts of a batch unless the user has set it. */
  void shards(int count) {
    shards = shards == null ? count : shards;
  }

  /** Returns the parts of a batch. */
  int shards() {
    return shards;
  }

  /**
   * Trains on a cluster, prints what the first rank says and returns its exit code.
   *
   * @param network the network that the user has chosen; null for none
   */
  int train(String master, CommandSpec spec, Path checkpoint, UNetConfig network) {
    try (Engine engine = Engine.connect(master)) {
      int size = ranks == null ? engine.slots() : ranks;
      Gang gang =
          Gang.of(size)
              .least(least == null ? size : least, Duration.ofMinutes(2))
              .deadline(Duration.ofSeconds(deadline))
              .sums(Reduction.FIXED_ORDER, Named.parse(Wire.class, wire, "--wire"))
              .attempts(3, () -> written(checkpoint))
              .listener(RemoteTraining.printing(spec));
      return engine.gang(gang, RemoteTraining.of(spec, size, network)).getFirst();
    }
  }

  // changes with every checkpoint
  private static String written(Path checkpoint) {
    try {
      return Files.exists(checkpoint) ? Files.getLastModifiedTime(checkpoint).toString() : "none";
    } catch (IOException e) {
      return e.toString();
    }
  }

  /**
   * Returns the lock of a run; an earlier attempt's process that is being ended may still have it.
   */
  static RunLock lock(Collective all, Path directory) throws IOException {
    return RunLock.take(directory, all.size() == 1 ? Duration.ZERO : ATTEMPT_ENDS);
  }
}
