package io.perflow.physics;

import io.perflow.tensor.io.FileFormatException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A text file of numbers in columns, as other programs write it: separated by commas, semicolons or
 * tabs, with or without quotes, comments, empty lines and a line of names.
 */
final class TextTable implements AutoCloseable {
  private static final long MAX_BYTES = 1L << 28;
  private static final int MAX_LINE = 1 << 20; // characters
  private static final int MAX_CELLS = 10_000; // of a line
  private static final int MAX_QUOTE = 40;
  private static final Set<String> NOTHING = Set.of("", "-", "na", "n/a", "nan", "null", "none");
  private static final Pattern NUMBER =
      Pattern.compile("([+-]?(?:\\d+\\.?\\d*|\\.\\d+))(?:[eEdD]([+-]?\\d+))?");
  private static final Pattern INFINITE = Pattern.compile("[+-]?inf(inity)?");
  // Excel writes and reads this first line of a file.
  private static final Pattern SEPARATOR = Pattern.compile("\"?sep=([,;\t])\"?");

  private final Path file;
  private final BufferedReader reader;
  private char separator; // 0 until the first line of cells is seen
  private int columns;
  private int line;
  private String comment = "";
  private int commentLine;

  TextTable(Path file) throws IOException {
    this.file = file;
    if (Files.size(file) > MAX_BYTES) {
      throw error("%d bytes, at most %d are read", Files.size(file), MAX_BYTES);
    }
    reader = Files.newBufferedReader(file);
  }

  /** Returns the number of the last line that was read, counted from 1. */
  int line() {
    return line;
  }

  /** Sets the number of columns; text after # beyond them is a comment. */
  void columns(int count) {
    columns = count;
  }

  /** Returns the cells of the next line that has any; empty at the end of the file. */
  List<String> next() throws IOException {
    for (String text = read(); text != null; text = read()) {
      Matcher named = SEPARATOR.matcher(text);
      if (text.stripLeading().startsWith("#")) {
        comment = text.stripLeading().substring(1).strip();
        commentLine = line;
      } else if (separator == 0 && named.matches()) {
        separator = named.group(1).charAt(0);
      } else {
        List<String> cells = split(text, columns);
        if (!cells.stream().allMatch(String::isEmpty)) {
          return cells;
        }
      }
    }
    return List.of();
  }

  /** Returns the cells of the last comment, for programs that write the line of names as one. */
  List<String> comment() throws FileFormatException {
    return comment.indexOf('"') >= 0 ? List.of() : split(comment, 0);
  }

  /** Returns the number of the line of the last comment. */
  int commentLine() {
    return commentLine;
  }

  private String read() throws IOException {
    try {
      line++;
      String text = readLine();
      if (text == null) {
        return null;
      }
      boolean marked = line == 1 && text.startsWith("\ufeff"); // byte order mark
      return blanks(marked ? text.substring(1) : text);
    } catch (CharacterCodingException e) {
      throw new FileFormatException(
          file.toString(), null, "is not a text in UTF-8; save it as CSV in UTF-8", e);
    }
  }

  // BufferedReader.readLine would take a line of any length into memory.
  private String readLine() throws IOException {
    StringBuilder text = new StringBuilder();
    int c = reader.read();
    if (c < 0) {
      return null;
    }
    for (; c >= 0 && c != '\n' && c != '\r'; c = reader.read()) {
      if (text.length() == MAX_LINE) {
        throw at(line, "it has more than %d characters; is this a table of readings?", MAX_LINE);
      }
      text.append((char) c);
    }
    if (c == '\r') { // of a pair, or alone as on old systems
      reader.mark(1);
      if (reader.read() != '\n') {
        reader.reset();
      }
    }
    return text.toString();
  }

  // Non-breaking spaces are spaces. Tabs at the ends of a line are empty cells.
  private static String blanks(String text) {
    String plain = text.replace('\u00a0', ' ').replace('\u202f', ' ');
    return plain.isBlank() ? "" : plain;
  }

  private List<String> split(String text, int expected) throws FileFormatException {
    if (separator == 0 && !text.isEmpty()) {
      separator = separator(text);
    }
    List<String> cells = new ArrayList<>();
    StringBuilder cell = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quoted) {
        if (c != '"') {
          cell.append(c);
        } else if (i + 1 < text.length() && text.charAt(i + 1) == '"') {
          cell.append(text.charAt(++i));
        } else {
          quoted = false;
        }
      } else if (c == separator) {
        cells.add(cell.toString().strip());
        cell.setLength(0);
        if (cells.size() > MAX_CELLS) {
          throw at(line, "it has more than %d cells", MAX_CELLS);
        }
      } else if (c == '"' && cell.toString().isBlank()) {
        quoted = true;
      } else if (c == '#' && expected > 0 && cells.size() >= expected - 1) {
        break;
      } else {
        cell.append(c);
      }
    }
    if (quoted) {
      throw at(line, "a quote is not closed: %s", quote(text));
    }
    cells.add(cell.toString().strip());
    return cells;
  }

  // Semicolons and tabs are rarely part of a cell; commas occur in numbers, units and texts.
  private static char separator(String text) {
    String plain = text.replaceAll("\"[^\"]*\"", "");
    return plain.indexOf(';') >= 0 ? ';' : plain.indexOf('\t') >= 0 ? '\t' : ',';
  }

  /** Returns whether a cell means that nothing was measured. */
  static boolean nothing(String cell) {
    return NOTHING.contains(cell.toLowerCase(Locale.ROOT));
  }

  /** Returns whether a cell holds a number. */
  boolean isNumber(String cell) {
    return NUMBER.matcher(plain(cell)).matches();
  }

  /** Returns the number in a cell of the last line. */
  double number(String cell, String name) throws FileFormatException {
    Matcher number = NUMBER.matcher(plain(cell));
    boolean infinite = INFINITE.matcher(cell.toLowerCase(Locale.ROOT)).matches();
    if (!number.matches() && !infinite) {
      boolean comma = separator == ',' && isNumber(cell.replace(',', '.'));
      throw at(
          line,
          "%s = %s is not a number%s",
          name,
          quote(cell),
          comma ? "; write it with a point, or separate the columns by semicolons" : "");
    }
    double value =
        infinite
            ? Double.POSITIVE_INFINITY
            : Double.parseDouble(
                number.group(1) + (number.group(2) == null ? "" : "e" + number.group(2)));
    if (Double.isInfinite(value)) {
      throw at(
          line,
          "%s = %s is not finite; leave the cell empty if nothing was measured",
          name,
          quote(cell));
    }
    return value;
  }

  // The number has a decimal point and the minus sign of the keyboard.
  private String plain(String cell) {
    String text = cell.replace('\u2212', '-');
    return separator != ',' && text.indexOf('.') < 0 ? text.replace(',', '.') : text;
  }

  /** Returns the text of the file between quotes, shortened when it is long. */
  static String quote(String text) {
    return "'" + (text.length() > MAX_QUOTE ? text.substring(0, MAX_QUOTE) + "…" : text) + "'";
  }

  /** Returns an error in a line. */
  FileFormatException at(int where, String problem, Object... args) {
    return error("line %d: %s", where, problem.formatted(args));
  }

  /** Refuses a line, the last that was read, with fewer or more cells than the first one. */
  void requireCells(List<String> cells, int count) throws FileFormatException {
    boolean more = cells.stream().skip(count).anyMatch(cell -> !cell.isEmpty());
    if (cells.size() < count || more) {
      throw at(
          line,
          "%d cells, expected %d as in the first line%s",
          cells.size(),
          count,
          more ? "; numbers with a decimal comma need semicolons between columns" : "");
    }
  }

  /** Returns an error of the file. */
  FileFormatException error(String problem, Object... args) {
    return new FileFormatException(file.toString(), null, problem.formatted(args));
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
