package io.perflow.cuda;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Makes the PTX under {@code src/main/resources} from the CUDA C under {@code src/main/cuda}, with
 * one pinned version of nvcc: {@code ./gradlew :cuda-kernels:ptx}.
 *
 * <p>nvcc's oldest target is newer than ours, but the instructions are the same, so the header is
 * rewritten to PTX 7.0 for sm_70 (sm_80 where a file says {@code // target: sm_80}); an assembler
 * refuses a file that uses more than its header allows. The first lines of each file say from what
 * it was made: a hash over the source, the headers it includes and the flags, and the compiler.
 */
final class PtxBuild {
  /** The version of nvcc whose output is committed. */
  static final String NVCC = "V13.0.88";

  private static final Pattern INCLUDE = Pattern.compile("(?m)^#include \"(.+)\"$");
  private static final Pattern FLAGS = Pattern.compile("(?m)^// flags: (.+)$");
  private static final Pattern TARGET = Pattern.compile("(?m)^// target: sm_(\\d+)$");

  private final Path sources;
  private final Path results;

  PtxBuild(Path module) {
    sources = module.resolve("src/main/cuda");
    results = module.resolve("src/main/resources/io/perflow/cuda/ptx");
  }

  /** Builds every file, or those whose names are given after the module's directory. */
  public static void main(String[] args) throws IOException {
    PtxBuild build = new PtxBuild(Path.of(args[0]));
    List<String> chosen = List.of(args).subList(1, args.length);
    Files.createDirectories(build.results);
    for (String name : build.names()) {
      if (chosen.isEmpty() || chosen.contains(name)) {
        Files.writeString(build.result(name), build.compile(name));
      }
    }
  }

  /** Names of the source files without their ending, sorted. */
  List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(sources)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(file -> file.endsWith(".cu"))
          .map(file -> file.substring(0, file.length() - 3))
          .sorted()
          .toList();
    }
  }

  /** The committed PTX of a source. */
  Path result(String name) {
    return results.resolve(name + ".ptx");
  }

  /** The line that ties a PTX file to its source. */
  String hashLine(String name) throws IOException {
    Set<Path> files = new LinkedHashSet<>();
    collect(sources.resolve(name + ".cu"), files);
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(String.join(" ", flags(name)).getBytes(UTF_8));
      for (Path file : files) {
        digest.update(Files.readAllBytes(file));
      }
      return "// source-sha256: " + HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  // The file and what it includes, each once, in the order of first mention.
  private void collect(Path file, Set<Path> files) throws IOException {
    if (files.add(file)) {
      Matcher includes = INCLUDE.matcher(Files.readString(file));
      while (includes.find()) {
        collect(sources.resolve(includes.group(1)), files);
      }
    }
  }

  private List<String> flags(String name) throws IOException {
    List<String> flags = new ArrayList<>(List.of("-ptx", "-O3", "-std=c++17"));
    flags.add("-arch=compute_" + (target(name) == 70 ? 75 : target(name)));
    Matcher own = FLAGS.matcher(Files.readString(sources.resolve(name + ".cu")));
    if (own.find()) {
      flags.addAll(List.of(own.group(1).split(" ")));
    }
    return flags;
  }

  private int target(String name) throws IOException {
    Matcher target = TARGET.matcher(Files.readString(sources.resolve(name + ".cu")));
    return target.find() ? Integer.parseInt(target.group(1)) : 70;
  }

  /** What the pinned nvcc makes of a source now. */
  String compile(String name) throws IOException {
    Path output = Files.createTempFile(name, ".ptx");
    try {
      List<String> command = new ArrayList<>(List.of("nvcc"));
      command.addAll(flags(name));
      command.addAll(List.of("-o", output.toString(), name + ".cu"));
      run(sources, command);
      String ptx =
          Files.readString(output)
              .replaceFirst("(?m)^\\.version .*$", ".version 7.0")
              .replaceFirst("(?m)^\\.target .*$", ".target sm_" + target(name));
      return hashLine(name) + "\n// nvcc: " + NVCC + "\n" + ptx;
    } finally {
      Files.delete(output);
    }
  }

  /** Whether the nvcc on the path, if there is one, is the pinned version. */
  static boolean hasPinnedCompiler() {
    try {
      return run(Path.of("."), List.of("nvcc", "--version")).contains(NVCC);
    } catch (IOException | UncheckedIOException e) {
      return false; // none on the path
    }
  }

  private static String run(Path directory, List<String> command) throws IOException {
    Process process =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException(String.join(" ", command) + " failed:\n" + text);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    return text;
  }
}
