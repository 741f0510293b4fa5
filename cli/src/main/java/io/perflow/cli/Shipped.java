package io.perflow.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The models that come with the command. */
final class Shipped {
  private static final String ENDING = ".safetensors";

  private Shipped() {}

  /**
   * Returns the directory of the models. It is beside the launcher, which sets a property to its
   * own directory.
   */
  static Path models() {
    Path here = Path.of("").toAbsolutePath();
    Path models = here.resolve(System.getProperty("perflow.home", "")).resolve("models");
    return models.startsWith(here) ? here.relativize(models) : models;
  }

  /**
   * Returns the shipped model of a name; empty for a name with an ending, which means a file.
   *
   * @throws IllegalArgumentException listing the shipped models when none has a name without ending
   */
  static Optional<Path> model(String name) throws IOException {
    Path shipped = models().resolve(name + ENDING);
    if (Files.exists(shipped)) {
      return Optional.of(shipped);
    }
    if (name.contains(".") || !Files.isDirectory(models())) {
      return Optional.empty();
    }
    try (Stream<Path> files = Files.list(models())) {
      throw new IllegalArgumentException(
          "%s: there is no such file, directory or shipped model; shipped are %s"
              .formatted(
                  name,
                  files
                      .map(file -> file.getFileName().toString())
                      .filter(file -> file.endsWith(ENDING))
                      .map(file -> file.substring(0, file.length() - ENDING.length()))
                      .sorted()
                      .collect(Collectors.joining(", "))));
    }
  }

  /** Returns whether an existing file is one of the models, by whatever path. */
  static boolean isOne(Path file) throws IOException {
    Path models = models();
    return Files.isDirectory(models) && file.toRealPath().getParent().equals(models.toRealPath());
  }
}
