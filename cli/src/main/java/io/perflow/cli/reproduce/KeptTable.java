package io.perflow.cli.reproduce;

import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Tables of studies as {@code results.csv} holds them. Figures are drawn again from them. */
public final class KeptTable {
  private final Path file;
  private final Study study;
  private final List<Trial> trials;
  private List<String> header = List.of();

  private KeptTable(Path file, Study study, List<Trial> trials) {
    this.file = file;
    this.study = study;
    this.trials = trials;
  }

  /**
   * Draws the figures of studies again from their tables.
   *
   * @param root the directory of a reproduction
   * @param studies those without a table are left out, and so is {@link Study#UQ}, whose maps show
   *     fields
   * @return the figures
   * @throws FileFormatException when a table is damaged
   * @throws IllegalArgumentException when no study has a table
   */
  public static List<Path> redraw(Path root, List<Study> studies) throws IOException {
    List<Path> figures = new ArrayList<>();
    for (Study study : studies) {
      Path directory = root.resolve(study.toString());
      if (study != Study.UQ && Files.exists(directory.resolve(ResultTable.FILE))) {
        Path figure = directory.resolve(StudyFigure.FILE);
        StudyFigure.of(read(study, directory)).write(figure);
        figures.add(figure);
      }
    }
    if (figures.isEmpty()) {
      throw new IllegalArgumentException(
          "%s has no table to draw a figure from: expected STUDY/%s for one of %s"
              .formatted(root, ResultTable.FILE, studies));
    }
    return figures;
  }

  /**
   * Reads the table in a study's directory.
   *
   * @throws FileFormatException when a row is none of the study's at the scale that its
   *     configuration names
   */
  static ResultTable read(Study study, Path directory) throws IOException {
    Path configuration = directory.resolve(Reproduction.CONFIGURATION);
    Map<String, Object> json =
        Json.object(Json.parse(Files.readString(configuration)), configuration.toString());
    Scale scale = Scale.of(Json.text(json.get("scale"), "scale"));
    long seed = Json.integer(json.get("seed"), "seed");
    List<Trial> trials = study.trials(new Trial.Context(scale, seed));
    return new KeptTable(directory.resolve(ResultTable.FILE), study, trials).read();
  }

  private ResultTable read() throws IOException {
    List<String> lines = Files.readAllLines(file);
    header = lines.isEmpty() ? List.of() : cells(lines.getFirst());
    List<ResultTable.Row> rows = new ArrayList<>();
    for (int i = 1; i < lines.size(); i++) {
      List<String> cells = cells(lines.get(i));
      if (cells.size() != header.size()) {
        throw error(i, "%d cells, expected %d".formatted(cells.size(), header.size()));
      }
      rows.add(new ResultTable.Row(trial(i, cells), outcome(i, cells)));
    }
    return new ResultTable(study, rows);
  }

  private Trial trial(int row, List<String> cells) throws FileFormatException {
    String system = cell(row, cells, "system");
    String benchmark = cell(row, cells, "benchmark");
    String setting = cell(row, cells, "setting");
    return trials.stream()
        .filter(trial -> trial.label().equals(system))
        .filter(trial -> trial.benchmark().toString().equals(benchmark))
        .filter(trial -> trial.setting().equals(setting))
        .findFirst()
        .orElseThrow(
            () ->
                error(
                    row,
                    "%s has no row '%s', '%s', '%s'".formatted(study, system, benchmark, setting)));
  }

  private Outcome outcome(int row, List<String> cells) throws FileFormatException {
    Map<String, Object> numbers = new LinkedHashMap<>();
    for (Metric metric : study.metrics()) {
      String text = cell(row, cells, metric.key());
      try {
        if (!text.isEmpty()) {
          numbers.put(metric.key(), Double.parseDouble(text));
        }
      } catch (NumberFormatException e) {
        throw error(row, "%s is '%s', not a number".formatted(metric.key(), text));
      }
    }
    String failure = cell(row, cells, "failure");
    return failure.isEmpty() ? Outcome.of(numbers) : Outcome.failed(failure);
  }

  private String cell(int row, List<String> cells, String column) throws FileFormatException {
    int i = header.indexOf(column);
    if (i < 0) {
      throw error(row, "there is no column '%s', only %s".formatted(column, header));
    }
    return cells.get(i);
  }

  private FileFormatException error(int row, String what) {
    return new FileFormatException(file.toString(), null, "row %d: %s".formatted(row, what));
  }

  // as ResultTable writes them: a cell with a comma or a quote is quoted, and a quote in it doubled
  private static List<String> cells(String line) {
    List<String> cells = new ArrayList<>();
    StringBuilder cell = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (quoted && c == '"' && i + 1 < line.length() && line.charAt(i + 1) == '"') {
        cell.append(line.charAt(++i));
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        cells.add(cell.toString());
        cell.setLength(0);
      } else {
        cell.append(c);
      }
    }
    cells.add(cell.toString());
    return cells;
  }
}
