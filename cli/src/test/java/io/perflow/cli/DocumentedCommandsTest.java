package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Every {@code ./perflow} in the pages is one that the command understands: names and options. */
class DocumentedCommandsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```\\n(.*?)^```$");
  private static final Pattern INLINE = Pattern.compile("`(\\./perflow [a-z][^`\\n]*)`");

  @Test
  void commandsAndOptionsExist() throws IOException {
    List<String> wrong = new ArrayList<>();
    int count = 0;
    for (Path page : pages()) {
      for (String command : commands(Files.readString(page))) {
        count++;
        try {
          PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
          Main.commandLine(nowhere, nowhere, Screen.NONE).parseArgs(command.split("\\s+"));
        } catch (CommandLine.MissingParameterException e) {
          // text between code marks may name a command without all that it needs
        } catch (CommandLine.ParameterException e) {
          wrong.add(ROOT.relativize(page) + ": " + command + ": " + e.getMessage());
        }
      }
    }
    assertTrue(count > 40, "commands found: " + count);
    assertEquals("", String.join("\n", wrong));
  }

  /** The arguments of every command of a page, without those that stand for others. */
  private static List<String> commands(String page) {
    Stream<String> blocks =
        BLOCK
            .matcher(page)
            .results()
            .map(block -> block.group(1).replaceAll("\\\\\\n\\s*", ""))
            .flatMap(String::lines)
            .filter(line -> line.startsWith("./perflow "))
            .map(line -> line.replaceFirst("\\s+#.*", ""));
    Stream<String> inline = INLINE.matcher(page).results().map((MatchResult m) -> m.group(1));
    return Stream.concat(blocks, inline)
        .filter(line -> !line.matches(".*[…|\\[>].*|.*\\bN\\b.*|.* WHAT.*"))
        .map(line -> line.substring("./perflow ".length()).strip())
        .toList();
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (String place : List.of("docs", "models", "examples")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(place))) {
        files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
      }
    }
    pages.add(ROOT.resolve("README.md"));
    return pages;
  }
}
