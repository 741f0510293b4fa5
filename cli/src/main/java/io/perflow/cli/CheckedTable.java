package io.perflow.cli;

import io.perflow.tensor.io.FileFormatException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A check of a table of readings, places or results. A table may be edited, so it has no checksum;
 * it must consist of whole lines with the same number of cells. The commands that read it check
 * whether its numbers fit a problem.
 */
final class CheckedTable {
  private static final Pattern COMMENT = Pattern.compile("(?m)^#.*$");
  private static final Pattern QUOTED = Pattern.compile("\"[^\"]*+\"");

  private CheckedTable() {}

  /**
   * Reads a table and says what it is.
   *
   * @throws FileFormatException when lines are cut short or differ in their number of cells
   */
  static String describe(Path file) throws IOException {
    String text = text(file);
    // Quoted text may contain commas and line ends.
    String plain = QUOTED.matcher(COMMENT.matcher(text).replaceAll("")).replaceAll("");
    List<String> lines = plain.lines().filter(line -> !line.isBlank()).toList();
    if (lines.isEmpty() || cells(lines.getFirst()) == 1) {
      return "not checked: a text without columns between commas";
    }
    if (!text.endsWith("\n")) {
      throw damaged(file, "its last line has no end; add one if nothing is missing");
    }
    int columns = cells(lines.getFirst());
    for (int i = 1; i < lines.size(); i++) {
      if (cells(lines.get(i)) != columns) {
        throw damaged(
            file,
            "row %d has %d cells, the first line %d".formatted(i, cells(lines.get(i)), columns));
      }
    }
    return "readable: a table of %s and %s"
        .formatted(Counted.of(lines.size() - 1, "row"), Counted.of(columns, "column"));
  }

  private static String text(Path file) throws IOException {
    try {
      return Files.readString(file);
    } catch (CharacterCodingException e) {
      throw new FileFormatException(file.toString(), null, "is not a text in UTF-8", e);
    }
  }

  private static int cells(String line) {
    return 1 + (int) line.chars().filter(c -> c == ',').count();
  }

  private static FileFormatException damaged(Path file, String what) {
    return new FileFormatException(file.toString(), null, what);
  }
}
