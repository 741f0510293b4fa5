package io.perflow.flow.log;

import io.perflow.tensor.disk.DiskFile;
import io.perflow.tensor.io.AtomicFile;
import io.perflow.tensor.io.FileFormatException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A table of numbers as a CSV file: a header {@code step,name,name,…}, then a row for each step
 * with an empty cell where a number is missing. Numbers are read back with the same bits.
 */
public final class CsvLog implements ScalarLog {
  private static final String STEP = "step";

  private final Path file;
  private final List<String> names;
  private final DiskFile out;
  private long end;

  private CsvLog(Path file, List<String> names, DiskFile out) throws IOException {
    this.file = file;
    this.names = names;
    this.out = out;
    this.end = out.length();
  }

  /**
   * Opens a new table or continues one.
   *
   * @param file the table; if it exists, its columns must be these, and its rows after {@code step}
   *     and an incomplete last line are removed
   * @param step the step at which the run starts; rows up to this step are kept
   * @param names the columns beside the step
   * @throws FileFormatException if the file exists and has other columns
   */
  public static CsvLog open(Path file, long step, List<String> names) throws IOException {
    for (String name : names) {
      if (name.isBlank() || name.chars().anyMatch(c -> ",\"\r\n".indexOf(c) >= 0)) {
        throw new IllegalArgumentException(
            "'%s' cannot name a column: commas, quotes and line ends separate".formatted(name));
      }
    }
    String header = STEP + "," + String.join(",", names);
    List<String> kept = Files.exists(file) ? upTo(step, header, file) : List.of(header);
    AtomicFile.write(file, String.join("\n", kept) + "\n");
    return new CsvLog(file, List.copyOf(names), DiskFile.open(file));
  }

  @Override
  public void write(long step, Map<String, Double> values) throws IOException {
    for (String name : values.keySet()) {
      if (!names.contains(name)) {
        throw new IllegalArgumentException(
            "%s has no column '%s'; it has %s".formatted(file, name, names));
      }
    }
    StringBuilder row = new StringBuilder().append(step);
    for (String name : names) {
      Double value = values.get(name);
      row.append(',').append(value == null ? "" : value.toString());
    }
    byte[] line = row.append('\n').toString().getBytes(StandardCharsets.UTF_8);
    out.write(end, line);
    end += line.length;
  }

  @Override
  public void close() throws IOException {
    out.close();
  }

  /**
   * Returns the columns of a table by name, {@code step} first, with NaN for empty cells.
   *
   * @throws FileFormatException naming the first line that is not a row of numbers
   */
  public static Map<String, double[]> read(Path file) throws IOException {
    List<String> lines = lines(file);
    if (lines.isEmpty()) {
      throw new FileFormatException(file.toString(), null, "the table is empty, without a header");
    }
    String[] names = lines.getFirst().split(",", -1);
    double[][] columns = new double[names.length][lines.size() - 1];
    for (int i = 1; i < lines.size(); i++) {
      String[] cells = lines.get(i).split(",", -1);
      if (cells.length != names.length) {
        throw bad(file, i, "has %d cells, the header %d".formatted(cells.length, names.length));
      }
      for (int c = 0; c < names.length; c++) {
        columns[c][i - 1] = number(cells[c], file, i);
      }
    }
    Map<String, double[]> table = new LinkedHashMap<>();
    for (int c = 0; c < names.length; c++) {
      table.put(names[c], columns[c]);
    }
    return table;
  }

  private static List<String> upTo(long step, String header, Path file) throws IOException {
    List<String> lines = lines(file);
    if (lines.isEmpty()) {
      return List.of(header);
    }
    if (!lines.getFirst().equals(header)) {
      throw new FileFormatException(
          file.toString(),
          null,
          "its columns are '%s', not '%s'; move it away to start a new table"
              .formatted(lines.getFirst(), header));
    }
    double[] steps = read(file).get(STEP);
    int rows = (int) Arrays.stream(steps).takeWhile(s -> s <= step).count();
    return lines.subList(0, rows + 1);
  }

  // Keep whole lines only, because a process that is killed may leave part of one.
  private static List<String> lines(Path file) throws IOException {
    String text;
    try {
      text = Files.readString(file);
    } catch (CharacterCodingException e) {
      throw new FileFormatException(file.toString(), null, "is not a text in UTF-8", e);
    }
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
  }

  private static double number(String cell, Path file, int line) throws FileFormatException {
    try {
      return cell.isEmpty() ? Double.NaN : Double.parseDouble(cell);
    } catch (NumberFormatException e) {
      throw bad(file, line, "has '%s' where a number should be".formatted(cell));
    }
  }

  private static FileFormatException bad(Path file, int line, String what) {
    return new FileFormatException(file.toString(), null, "line " + (line + 1) + " " + what);
  }
}
