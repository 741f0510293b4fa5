package io.perflow.tensor.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The compiler's report on every kernel that computes with vectors: an operation that the compiler
 * leaves to a call makes objects of the vectors that lead to it, and the kernel then runs ten to a
 * hundred times as slowly, in some starts or in all.
 */
class KernelInliningTest {
  // constants, and a type without code
  private static final List<String> NO_KERNELS = List.of("vector.Simd", "Loop$Function");

  @TempDir private static Path directory;
  private static List<String> report;

  @BeforeAll
  static void compile() throws Exception {
    Path log = directory.resolve("log.txt");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-modules=jdk.incubator.vector",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-TieredCompilation", // one compiler, one report
                "-Xbatch", // which is complete when the work ends
                "-XX:CompileThreshold=1500",
                "-XX:+PrintCompilation",
                "-XX:CompileCommand=PrintInlining,io.perflow.tensor.cpu.*::*",
                "-cp",
                System.getProperty("java.class.path"),
                KernelWork.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    boolean ended = process.waitFor(3, TimeUnit.MINUTES);
    process.destroyForcibly();
    report = Files.readAllLines(log);
    assertTrue(ended && process.exitValue() == 0, () -> String.join("\n", report));
  }

  @Test
  void noVectorOperationRemainsACall() {
    List<String> calls =
        report.stream()
            .filter(
                line -> line.contains("jdk.incubator.vector.") || line.contains("VectorSupport"))
            .filter(line -> line.contains("virtual call") || line.contains("too big"))
            .filter(line -> !line.contains("::checkFailed")) // makes an exception's message
            .toList();
    assertEquals(List.of(), calls, () -> String.join("\n", around(calls.getFirst())));
  }

  @Test
  void everyKernelWasCompiled() throws IOException {
    Path classes = Path.of("build/classes/java/main").toAbsolutePath();
    List<String> vectors;
    try (Stream<Path> files = Files.walk(classes.resolve("io/perflow/tensor/cpu"))) {
      vectors =
          files
              .filter(file -> file.toString().endsWith(".class") && usesVectors(file))
              .map(file -> classes.relativize(file).toString().replace('/', '.'))
              .map(name -> name.substring(0, name.length() - ".class".length()))
              .filter(name -> NO_KERNELS.stream().noneMatch(name::endsWith))
              .sorted()
              .toList();
    }
    assertTrue(vectors.size() > 20, vectors::toString);
    List<String> missing =
        vectors.stream()
            .filter(name -> report.stream().noneMatch(line -> named(line, name)))
            .toList();
    assertEquals(List.of(), missing, "no kernel of these was compiled: call it in KernelWork");
  }

  // a template's copies are hidden classes, whose names go on with a slash
  private static boolean named(String line, String name) {
    return line.contains(name + "::") || line.contains(name + "/");
  }

  private static boolean usesVectors(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1).contains("jdk/incubator/vector/");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> around(String line) {
    int at = report.indexOf(line);
    return report.subList(Math.max(0, at - 40), Math.min(report.size(), at + 5));
  }
}
