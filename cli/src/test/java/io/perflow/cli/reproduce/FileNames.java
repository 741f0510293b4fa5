package io.perflow.cli.reproduce;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Names of files in a directory. */
final class FileNames {
  private FileNames() {}

  /** Those that begin like this, sorted. */
  static List<String> of(Path directory, String start) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith(start))
          .sorted()
          .toList();
    }
  }
}
