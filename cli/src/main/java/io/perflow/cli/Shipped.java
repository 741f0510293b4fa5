package io.perflow.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What comes with the command. */
final class Shipped {
  private Shipped() {}

  /** Returns the directory of the models, beside the launcher, which names its own directory. */
  static Path models() {
    Path here = Path.of("").toAbsolutePath();
    Path models = here.resolve(System.getProperty("perflow.home", "")).resolve("models");
    return models.startsWith(here) ? here.relativize(models) : models;
  }

  /** Returns whether an existing file is one of the models, by whatever path. */
  static boolean isOne(Path file) throws IOException {
    Path models = models();
    return Files.isDirectory(models) && file.toRealPath().getParent().equals(models.toRealPath());
  }
}
