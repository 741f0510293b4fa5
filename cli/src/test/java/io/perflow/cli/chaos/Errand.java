package io.perflow.cli.chaos;

import io.perflow.cli.Plate;
import io.perflow.cli.Shell;
import io.perflow.flow.RunLock;
import io.perflow.flow.Trainer;
import io.perflow.flow.log.TrainingLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Work that writes files, which chaos may disturb and which is then done again. */
enum Errand {
  /** A training with a checkpoint every third step. */
  TRAIN(Results.RUN) {
    @Override
    void run(Path home, Path out) throws IOException {
      train(home, out, 12);
    }
  },

  /** A training that takes long. */
  LONG_TRAIN(Results.RUN) {
    @Override
    void run(Path home, Path out) throws IOException {
      train(home, out, 150);
    }
  },

  /** The generation of a data set. */
  GENERATE(List.of("data.safetensors")) {
    @Override
    void run(Path home, Path out) throws IOException {
      generate(out, 16, 12);
    }
  },

  /** A generation that takes long. */
  LONG_GENERATE(List.of("data.safetensors")) {
    @Override
    void run(Path home, Path out) throws IOException {
      generate(out, 64, 100);
    }
  },

  /** A prior, learnt from the data. */
  LEARN(List.of("best.safetensors")) {
    @Override
    void run(Path home, Path out) throws IOException {
      perflow("train", home, "--system", "kriging").to(out);
    }
  },

  /** A reconstruction with its figure and certificate. */
  RECONSTRUCT(List.of("fields.npz", "certificate.json", "figure.png")) {
    @Override
    void run(Path home, Path out) throws IOException {
      Path model = home.resolve("run/best.safetensors");
      Path readings = home.resolve("readings.csv");
      perflow("reconstruct", "--model", model, "--observations", readings, "--samples", 2)
          .and("--steps", 2)
          .to(out);
    }
  };

  // apart, because constants of an enum cannot name what the enum declares after them
  private static final class Results {
    static final List<String> RUN =
        List.of("best.safetensors", "last.safetensors", "train.csv", "validation.csv");
  }

  private final List<String> results;

  Errand(List<String> results) {
    this.results = results;
  }

  /** Those that a process does in a second or two. */
  static List<Errand> shortOnes() {
    return List.of(TRAIN, GENERATE, LEARN, RECONSTRUCT);
  }

  private static void train(Path home, Path out, long steps) throws IOException {
    Trainer trainer = Plate.trainer(home, out, steps);
    try (RunLock _ = RunLock.take(out);
        TrainingLog log = new TrainingLog(out, trainer.resume())) {
      trainer.listener(log).train();
    }
  }

  private static void generate(Path out, int size, int samples) throws IOException {
    Files.createDirectories(out); // the command asks for it
    perflow("generate", "burgers", "--size", size, "--samples", samples)
        .and("--threads", 1, "--force")
        .to(out.resolve("data.safetensors"));
  }

  /** Does the errand, or continues what an earlier attempt has left. */
  abstract void run(Path home, Path out) throws IOException;

  /** Creates the files that the errands need. */
  static Path prepare(Path home) throws IOException {
    Plate.write(home);
    Plate.readings(home);
    Shell.good(Plate.train(home, "--json"));
    return home;
  }

  /** The name of the first result that is missing or differs; empty if there is none. */
  String difference(Path whole, Path out) throws IOException {
    for (String result : results) {
      Path file = out.resolve(result);
      if (!Files.exists(file) || Files.mismatch(whole.resolve(result), file) >= 0) {
        return result;
      }
    }
    return "";
  }

  /** Temporary files that nobody writes any more. */
  static List<Path> leftovers(Path out) throws IOException {
    if (!Files.exists(out)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(out)) { // which does not mind that others go
      return files.filter(file -> file.toString().endsWith(".tmp")).toList();
    }
  }

  /** A command and its arguments. */
  private record Command(List<Object> args) {
    Command and(Object... more) {
      List<Object> all = new ArrayList<>(args);
      all.addAll(List.of(more));
      return new Command(all);
    }

    void to(Path out) throws IOException {
      Shell.Result result = Shell.run(and("--out", out).args.toArray());
      if (result.code() != 0) {
        throw new IOException(result.err().strip());
      }
    }
  }

  private static Command perflow(Object... args) {
    return new Command(List.of(args));
  }
}
