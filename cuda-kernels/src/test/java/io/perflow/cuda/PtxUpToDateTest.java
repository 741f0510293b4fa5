package io.perflow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The committed PTX was made from the committed sources. */
class PtxUpToDateTest {
  private static final PtxBuild BUILD = new PtxBuild(Path.of("."));

  static List<String> names() throws IOException {
    return BUILD.names();
  }

  @Test
  void thereAreSources() throws IOException {
    assertTrue(names().contains("elementwise"), names().toString());
  }

  @ParameterizedTest
  @MethodSource("names")
  void hashIsThatOfTheSource(String name) throws IOException {
    List<String> head = Files.readAllLines(BUILD.result(name)).subList(0, 2);
    assertEquals(
        List.of(BUILD.hashLine(name), "// nvcc: " + PtxBuild.NVCC),
        head,
        () -> name + ".cu changed; run ./gradlew :cuda-kernels:ptx");
  }

  @ParameterizedTest
  @MethodSource("names")
  void pinnedCompilerMakesTheSameBytes(String name) throws IOException {
    assumeTrue(PtxBuild.hasPinnedCompiler(), "nvcc " + PtxBuild.NVCC + " is not on the path");
    assertEquals(BUILD.compile(name), Files.readString(BUILD.result(name)), name);
  }
}
