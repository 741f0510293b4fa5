package io.perflow.cli;

import io.perflow.flow.Split;
import io.perflow.physics.Dataset;
import io.perflow.physics.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options for the problem and the fields that a command learns from. */
final class DataOptions {
  /** The name of the argument that stands for a problem and its data. */
  static final String PROBLEM = "PROBLEM";

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = PROBLEM,
      description =
          "The problem.json that perflow init wrote, or its directory. If omitted, the description"
              + " inside the data set is used.")
  private Path problemFile;

  @Option(
      names = "--data",
      paramLabel = "FILE",
      description = "Training data set. If omitted, train.safetensors beside PROBLEM.")
  private Path data;

  @Option(
      names = "--val",
      paramLabel = "FILE",
      description =
          "Validation data set. If omitted, val.safetensors beside PROBLEM; if there is none, 5 %%"
              + " of the training data (at most 64 fields) is held out.")
  private Path val;

  /** The files that a problem stands for: itself and the data beside it. */
  static List<Path> at(Path problem) {
    Path file = Files.isDirectory(problem) ? problem.resolve(InitCommand.PROBLEM) : problem;
    return List.of(
        file, file.resolveSibling(InitCommand.TRAIN), file.resolveSibling(InitCommand.VALIDATION));
  }

  boolean hasProblem() {
    return problemFile != null;
  }

  boolean hasData() {
    return data != null;
  }

  /** Returns the file of the fields. */
  Path data() {
    return data;
  }

  /** Returns a file beside the problem's. */
  Path beside(String name) {
    return problemFile.resolveSibling(name);
  }

  /** Fills in what the positional argument implies. */
  void locate() {
    if (problemFile == null) {
      return;
    }
    if (Files.isDirectory(problemFile)) {
      problemFile = problemFile.resolve(InitCommand.PROBLEM);
    }
    if (!Files.exists(problemFile) || !problemFile.toString().endsWith(".json")) {
      throw new IllegalArgumentException(
          "%s is not a problem.json; perflow init makes one from your fields"
              .formatted(problemFile));
    }
    data = data == null ? beside(InitCommand.TRAIN) : data;
    Path validation = beside(InitCommand.VALIDATION);
    val = val == null && Files.exists(validation) ? validation : val;
  }

  /** Returns the fields, as fields of the problem. */
  Dataset read() throws IOException {
    Dataset read = Dataset.read(data);
    if (problemFile == null) {
      return read;
    }
    Problem problem = Problem.read(problemFile);
    refuseOthers(problem, problemFile, read.problem(), data);
    return read.with(problem);
  }

  /** Returns the fields to learn from and those to validate with. */
  Split split(Dataset all) throws IOException {
    if (val == null) {
      return Split.of(all);
    }
    if (Files.exists(val) && Files.isSameFile(data, val)) {
      throw new IllegalArgumentException(
          ("--val %s is the training data, on which error bars look too small; give other fields,"
                  + " or leave --val out")
              .formatted(val));
    }
    Dataset judged = Dataset.read(val);
    refuseOthers(all.problem(), data, judged.problem(), val);
    return new Split(all, judged);
  }

  private static void refuseOthers(Problem one, Path file, Problem other, Path otherFile) {
    one.difference(other)
        .ifPresent(
            difference -> {
              throw new IllegalArgumentException(
                  "%s and %s do not belong together: %s".formatted(file, otherFile, difference));
            });
  }
}
