package io.perflow.cli;

import io.perflow.flow.RectifiedFlow;
import io.perflow.flow.Trainer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Models as options name them. */
final class ModelFile {
  private ModelFile() {}

  /** Loads a flow from its file, or the best one of a directory that {@code train} wrote to. */
  static RectifiedFlow load(Path named) throws IOException {
    Path file = Files.isDirectory(named) ? named.resolve(Trainer.BEST) : named;
    if (file.toString().endsWith(".json")) {
      throw new IllegalArgumentException(
          "%s is no model; perflow train writes one, named %s".formatted(file, Trainer.BEST));
    }
    return RectifiedFlow.load(file);
  }
}
