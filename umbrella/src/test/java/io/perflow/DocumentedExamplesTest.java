package io.perflow;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compiles and runs every Java program in the README and in {@code docs/}.
 *
 * <p>A block that starts with {@code ```java} must be a whole program in one file. It may read
 * {@code models/} and {@code examples/} as in a checkout.
 */
class DocumentedExamplesTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern PROGRAM = Pattern.compile("(?ms)^```java\\n(.*?)^```$");

  @TempDir private Path directory;

  @TestFactory
  List<DynamicTest> programsRun() throws IOException {
    var tests = new ArrayList<DynamicTest>();
    for (var page : pages()) {
      var programs = PROGRAM.matcher(Files.readString(page)).results().toList();
      for (int i = 0; i < programs.size(); i++) {
        var program = programs.get(i).group(1);
        tests.add(dynamicTest(ROOT.relativize(page) + " " + (i + 1), () -> run(program)));
      }
    }
    assertFalse(tests.isEmpty(), "no program found");
    return tests;
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(
              Stream.of(ROOT.resolve("README.md")),
              docs.filter(page -> page.toString().endsWith(".md")).sorted())
          .toList();
    }
  }

  private void run(String program) throws IOException, InterruptedException {
    for (var read : List.of("models", "examples")) {
      var link = directory.resolve(read);
      if (Files.notExists(link)) {
        Files.createSymbolicLink(link, ROOT.resolve(read));
      }
    }
    Program.run(Files.writeString(directory.resolve("Example.java"), program));
  }
}
