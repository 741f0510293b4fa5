package io.perflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The programs in {@code examples/programs} print what their last lines say. */
class ExamplesTest {
  private static final Path PROGRAMS = Path.of("../examples/programs").toAbsolutePath().normalize();
  private static final Pattern NUMBER = Pattern.compile("(?<![\\w.])-?\\d+(\\.\\d+)?");

  static List<String> programs() throws IOException {
    try (Stream<Path> files = Files.list(PROGRAMS)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> !name.endsWith(".kts")) // its compiler comes with ./gradlew consumers
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("programs")
  void printsWhatItSays(String name) throws IOException, InterruptedException {
    Path source = PROGRAMS.resolve(name);
    String text = Files.readString(source);
    String wanted = text.substring(text.indexOf("// Output:\n") + 11).replaceAll("(?m)^// ", "");
    String said = name.endsWith(".jsh") ? Program.runCells(source) : Program.run(source);
    // what the JVM says of itself comes first
    List<String> lines = said.lines().toList();
    int count = (int) wanted.lines().count();
    assertTrue(lines.size() >= count, said);
    String found = String.join("\n", lines.subList(lines.size() - count, lines.size()));
    assertEquals(
        NUMBER.matcher(wanted.strip()).replaceAll("#"), NUMBER.matcher(found).replaceAll("#"));
    List<Double> numbers = numbers(wanted);
    List<Double> others = numbers(found);
    for (int i = 0; i < numbers.size(); i++) {
      // sums in another order on another machine
      double tolerance = 0.3 * Math.abs(numbers.get(i)) + 0.005;
      assertEquals(numbers.get(i), others.get(i), tolerance, found);
    }
  }

  private static List<Double> numbers(String text) {
    return NUMBER.matcher(text).results().map(MatchResult::group).map(Double::valueOf).toList();
  }
}
