package io.perflow.cli;

import io.perflow.tensor.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** What a command writes: files that it does not read, each another one, in places that exist. */
final class Outputs {
  private static final String OUT = "--out";
  private static final String JSON = "--json";
  private static final Set<String> WRITTEN = Set.of(OUT, JSON, "--figure");

  private Outputs() {}

  /**
   * Refuses a command that would overwrite what it reads, or one of its results by another one.
   *
   * @throws ParameterException naming the file and both arguments
   */
  static void requireApart(CommandSpec command) {
    Map<Path, ArgSpec> seen = new LinkedHashMap<>();
    for (boolean written : new boolean[] {false, true}) {
      for (ArgSpec arg : command.args()) {
        if (written == isWritten(arg)) {
          for (Path path : paths(arg)) {
            ArgSpec other = Files.isDirectory(path) ? null : seen.putIfAbsent(real(path), arg);
            if (written && other != null) {
              throw new ParameterException(command.commandLine(), message(path, arg, other));
            }
          }
        }
      }
    }
  }

  /**
   * Refuses a file that cannot be written before the work is done whose result it is for.
   *
   * @throws ExecutionException naming the file and the reason
   */
  static void requirePlaces(CommandSpec command) {
    // these make a directory, in which other files may go
    boolean makes = command.args().stream().anyMatch(arg -> isWritten(arg) && isDirectory(arg));
    for (ArgSpec arg : command.args()) {
      if (!isWritten(arg) || isDirectory(arg)) {
        continue;
      }
      for (Path path : paths(arg)) {
        Path parent = path.toAbsolutePath().getParent();
        boolean directory = Files.isDirectory(path) && !name(arg).equals(OUT); // which tells more
        boolean writable = makes || Files.isDirectory(parent) && Files.isWritable(parent);
        if (directory || !writable) {
          IOException reason = new IOException("it is a directory");
          throw new ExecutionException(
              command.commandLine(), path.toString(), DiskFile.cannotWrite(path, reason));
        }
      }
    }
  }

  private static boolean isDirectory(ArgSpec arg) {
    return arg.paramLabel().equals("DIR");
  }

  private static boolean isWritten(ArgSpec arg) {
    return arg instanceof OptionSpec option && WRITTEN.contains(option.longestName());
  }

  private static String message(Path path, ArgSpec written, ArgSpec other) {
    return isWritten(other)
        ? "%s and %s both name %s; choose another file for one of them"
            .formatted(name(written), name(other), path)
        : "%s %s is what the command reads as %s; choose another file"
            .formatted(name(written), path, name(other));
  }

  private static String name(ArgSpec arg) {
    return arg instanceof OptionSpec option ? option.longestName() : arg.paramLabel();
  }

  private static List<Path> paths(ArgSpec arg) {
    return switch (arg.getValue()) {
      case Path path when arg.paramLabel().equals(DataOptions.PROBLEM) -> DataOptions.at(path);
      case Path path -> List.of(path);
      case Collection<?> many ->
          many.stream().filter(Path.class::isInstance).map(Path.class::cast).toList();
      // a problem may be an argument by its name or by its file
      case String text when arg.isPositional() -> List.of(Path.of(text));
      case String text when name(arg).equals(JSON) && !text.equals(JsonOption.STANDARD_OUTPUT) ->
          List.of(Path.of(text));
      case null, default -> List.of();
    };
  }

  private static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) { // nothing is there yet
      Path absolute = path.toAbsolutePath().normalize();
      Path parent = absolute.getParent();
      return parent == null || !Files.exists(parent)
          ? absolute
          : real(parent).resolve(absolute.getFileName());
    }
  }
}
