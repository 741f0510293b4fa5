package io.perflow.physics;

import io.perflow.tensor.Shape;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Reads files of readings; {@link Readings#read} describes them. */
final class ReadingsFile {
  private final Path file;
  private final Problem problem;
  private final List<Axis> axes;
  private final Readings.Builder readings;
  private final List<String> notes = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private int empty; // lines without a value
  private int unsure; // readings without a sigma in a file that has them

  private ReadingsFile(Path file, Problem problem) {
    this.file = file;
    this.problem = problem;
    axes = Readings.axes(problem);
    readings = Readings.of(problem);
  }

  static Readings read(Path file, Problem problem) throws IOException {
    if (Files.isDirectory(file)) {
      throw new FileFormatException(
          file.toString(), null, "is a directory; name the table of readings itself");
    }
    ReadingsFile reader = new ReadingsFile(file, problem);
    if (file.toString().toLowerCase(Locale.ROOT).endsWith(".npz")) {
      reader.arrays();
    } else {
      try (TextTable table = new TextTable(file)) {
        reader.table(table);
      }
    }
    return reader.result();
  }

  private Readings result() throws FileFormatException {
    if (empty > 0) {
      notes.add("lines without a value: " + empty);
    }
    if (unsure > 0) {
      notes.add("readings without a sigma: " + unsure);
    }
    try {
      Readings result = readings.build();
      if (result.size() == 0) {
        notes.add("there is no reading");
      }
      return result.with(notes, warnings);
    } catch (IllegalArgumentException e) { // readings that contradict each other
      throw new FileFormatException(file.toString(), null, e.getMessage(), e);
    }
  }

  // ---- tables

  private void table(TextTable table) throws IOException {
    List<String> cells = table.next();
    if (cells.isEmpty()) {
      throw table.error(
          "is empty; its first line must be names such as %s",
          String.join(",", ReadingsColumns.names(problem)));
    }
    boolean named = !numbers(table, cells);
    ReadingsColumns columns =
        named ? columns(cells, table, table.line()) : unnamed(table, cells.size());
    notes.addAll(columns.notes());
    warnings.addAll(columns.warnings());
    table.columns(columns.count());
    for (cells = named ? table.next() : cells; !cells.isEmpty(); cells = table.next()) {
      table.requireCells(cells, columns.count());
      row(table, cells, columns);
    }
  }

  private static boolean numbers(TextTable table, List<String> cells) {
    return cells.stream().allMatch(cell -> TextTable.nothing(cell) || table.isNumber(cell))
        && cells.stream().anyMatch(table::isNumber);
  }

  private ReadingsColumns columns(List<String> names, TextTable table, int line)
      throws FileFormatException {
    try {
      return new ReadingsColumns(names, problem);
    } catch (IllegalArgumentException e) {
      throw table.at(line, "%s", e.getMessage());
    }
  }

  // NumPy writes the line of names as a comment; without one the order is taken on trust.
  private ReadingsColumns unnamed(TextTable table, int count) throws FileFormatException {
    List<String> names = ReadingsColumns.names(problem);
    List<String> comment = table.comment();
    if (comment.size() == count && ReadingsColumns.anyKnown(comment, problem)) {
      return columns(comment, table, table.commentLine());
    }
    boolean noFrame = problem.frames().isPresent() && problem.frameCount() == 1;
    List<String> expected =
        noFrame && count == names.size() - 1 ? names.subList(1, names.size()) : names;
    if (count != expected.size()) {
      throw table.at(
          table.line(),
          "%d columns without names; write a first line of names such as %s",
          count,
          String.join(",", names));
    }
    notes.add("no line of names; the columns are taken as " + String.join(",", expected));
    return columns(expected, table, table.line());
  }

  private void row(TextTable table, List<String> cells, ReadingsColumns columns)
      throws FileFormatException {
    int before = readings.count();
    if (columns.quantity() != ReadingsColumns.NONE) {
      String name = cells.get(columns.quantity());
      add(table, cells, columns, columns.value(), ReadingsColumns.NONE, name);
    } else {
      for (int q = 0; q < columns.quantities().size(); q++) {
        String name = problem.quantities().get(q).name();
        add(table, cells, columns, columns.quantities().get(q), columns.sigmas().get(q), name);
      }
    }
    empty += readings.count() == before ? 1 : 0;
  }

  private void add(
      TextTable table,
      List<String> cells,
      ReadingsColumns columns,
      int valueColumn,
      int sigmaColumn,
      String name)
      throws FileFormatException {
    if (valueColumn == ReadingsColumns.NONE || TextTable.nothing(cells.get(valueColumn))) {
      return;
    }
    Quantity quantity = quantity(table, name);
    double value = table.number(cells.get(valueColumn), quantity.name());
    double sigma = sigma(table, cells, columns, sigmaColumn, quantity);
    double[] place = place(table, cells, columns);
    try {
      readings.source("line " + table.line()).sigma(sigma).at(quantity.name(), value, place);
    } catch (IllegalArgumentException e) { // a place outside the grid, a number out of range
      throw table.at(table.line(), "%s", e.getMessage());
    }
  }

  private Quantity quantity(TextTable table, String name) throws FileFormatException {
    List<Quantity> all = problem.quantities();
    List<Quantity> like = all.stream().filter(q -> q.name().equalsIgnoreCase(name)).toList();
    return like.stream()
        .filter(q -> like.size() == 1 || q.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                table.at(
                    table.line(),
                    "there is no quantity %s; there are %s",
                    TextTable.quote(name),
                    all.stream().map(Quantity::name).collect(Collectors.joining(", "))));
  }

  private double sigma(
      TextTable table, List<String> cells, ReadingsColumns columns, int own, Quantity quantity)
      throws FileFormatException {
    for (int column : new int[] {own, columns.sigma()}) {
      if (column != ReadingsColumns.NONE && !TextTable.nothing(cells.get(column))) {
        double sigma = table.number(cells.get(column), "sigma of " + quantity.name());
        if (sigma < 0) {
          throw table.at(
              table.line(),
              "sigma of %s = %s is negative; it must be 0 (exact) or a positive number",
              quantity.name(),
              TextTable.quote(cells.get(column)));
        }
        return sigma;
      }
    }
    unsure += own != ReadingsColumns.NONE || columns.sigma() != ReadingsColumns.NONE ? 1 : 0;
    return 0;
  }

  private double[] place(TextTable table, List<String> cells, ReadingsColumns columns)
      throws FileFormatException {
    List<Double> place = new ArrayList<>();
    for (int i = 0; i < columns.axes().size(); i++) {
      int column = columns.axes().get(i);
      if (column != ReadingsColumns.NONE) {
        String name = axes.get(i).name();
        if (TextTable.nothing(cells.get(column))) {
          throw table.at(
              table.line(),
              "%s = %s, but there is a value",
              name,
              TextTable.quote(cells.get(column)));
        }
        place.add(table.number(cells.get(column), name));
      }
    }
    return place.stream().mapToDouble(c -> c).toArray();
  }

  // ---- arrays

  private void arrays() throws IOException {
    int channels = problem.channelCount();
    try (Npz npz = Npz.read(file)) {
      double[] values = array(npz, "values", channels);
      int planes = npz.shape("mask").size() == values.length ? channels : problem.planes();
      double[] mask = expanded(array(npz, "mask", planes), values.length);
      double[] sigma = {0};
      if (npz.names().contains("sigma")) {
        boolean one = npz.shape("sigma").size() == 1;
        sigma = one ? npz.load("sigma").toDoubles() : array(npz, "sigma", channels);
      }
      readings.masked("values", values, mask, sigma);
    } catch (IllegalArgumentException e) { // numbers that are no readings
      throw new FileFormatException(file.toString(), null, e.getMessage(), e);
    }
  }

  private double[] array(Npz npz, String name, int count) throws IOException {
    Shape shape = npz.shape(name);
    Grid grid = problem.grid();
    boolean fits =
        shape.size() == (long) count * grid.cells()
            && shape.rank() >= 2
            && shape.dim(-1) == grid.width()
            && shape.dim(-2) == grid.height();
    if (!fits) {
      String more = name.equals("mask") && count < problem.channelCount() ? " or like values" : "";
      throw new FileFormatException(
          file.toString(),
          name,
          "has shape %s, expected [%d, %d, %d]%s"
              .formatted(shape, count, grid.height(), grid.width(), more));
    }
    return npz.load(name).toDoubles();
  }

  // channel c is read through mask c mod the number of masks
  private static double[] expanded(double[] mask, int size) {
    double[] all = new double[size];
    for (int i = 0; i < size; i++) {
      all[i] = mask[i % mask.length];
    }
    return all;
  }
}
