package io.perflow.cli;

import io.perflow.physics.Dataset;
import io.perflow.physics.Readings;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * The files that {@link InitCommand} writes to its directory.
 *
 * @param train the fields to train on
 * @param validation the fields to validate on
 * @param test the fields to test on
 * @param readings the readings of the first test field
 */
record InitFiles(Dataset train, Dataset validation, Dataset test, Readings readings) {
  private static final String COMMENT =
      "Example made by perflow init: what sensors read of the first field of "
          + InitCommand.TEST
          + ". Replace it by your own readings.";

  /** Refuses, before any work is done, a directory that would be overwritten or cannot be made. */
  static void checkFree(Path directory, List<Path> inputs, boolean force) throws IOException {
    Path wanted = directory.toAbsolutePath().normalize();
    if (inputs.stream().anyMatch(input -> input.toAbsolutePath().normalize().equals(wanted))) {
      throw new IOException(
          directory + " holds the data themselves; choose another directory with --out");
    }
    if (Files.exists(directory) && !Files.isDirectory(directory)) {
      throw new IOException(directory + " is a file; choose another directory with --out");
    }
    if (Files.isDirectory(directory) && !force && !isEmpty(directory)) {
      throw new IOException(
          directory + " is there already; choose another --out, or write into it: --force");
    }
    Path there = wanted;
    while (!Files.exists(there)) {
      there = there.getParent();
    }
    if (!Files.isDirectory(there)) {
      throw new NotDirectoryException(there.toString());
    }
    if (!Files.isWritable(there)) {
      throw new AccessDeniedException(there.toString());
    }
  }

  private static boolean isEmpty(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.findAny().isEmpty();
    }
  }

  /** Writes all files, or leaves the directory as it was. */
  void write(Path directory) throws IOException {
    Path target = directory.toAbsolutePath().normalize();
    Files.createDirectories(target.getParent());
    Path made =
        target.resolveSibling("." + target.getFileName() + "-" + ProcessHandle.current().pid());
    Files.createDirectory(made);
    try {
      train.problem().write(made.resolve(InitCommand.PROBLEM));
      train.write(made.resolve(InitCommand.TRAIN));
      validation.write(made.resolve(InitCommand.VALIDATION));
      test.write(made.resolve(InitCommand.TEST));
      Files.writeString(made.resolve(InitCommand.READINGS), ReadingsTable.of(readings, COMMENT));
      Files.createDirectories(target);
      for (Path file : list(made)) {
        Files.move(file, target.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
    } finally {
      for (Path file : list(made)) {
        Files.delete(file);
      }
      Files.delete(made);
    }
  }

  private static List<Path> list(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.toList();
    }
  }
}
