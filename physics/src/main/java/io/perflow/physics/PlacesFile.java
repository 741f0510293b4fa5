package io.perflow.physics;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** A reader of the places of sensors; {@link Sensors#read} describes the file. */
final class PlacesFile {
  private final TextTable table;
  private final Grid grid;

  private PlacesFile(TextTable table, Grid grid) {
    this.table = table;
    this.grid = grid;
  }

  static List<List<Double>> read(Path file, Grid grid) throws IOException {
    try (TextTable table = new TextTable(file)) {
      return new PlacesFile(table, grid).read();
    }
  }

  private List<List<Double>> read() throws IOException {
    List<String> names = table.next();
    int rows = column(names, grid.rows());
    int columns = column(names, grid.columns());
    List<List<Double>> places = new ArrayList<>();
    for (List<String> cells = table.next(); !cells.isEmpty(); cells = table.next()) {
      table.requireCells(cells, names.size());
      places.add(
          List.of(
              coordinate(cells.get(rows), grid.rows()),
              coordinate(cells.get(columns), grid.columns())));
    }
    if (places.isEmpty()) {
      throw table.error("has no line with a place below its line of names");
    }
    return places;
  }

  private int column(List<String> names, Axis axis) throws IOException {
    return IntStream.range(0, names.size())
        .filter(i -> ReadingsColumns.Heading.of(names.get(i)).is(axis.name()))
        .findFirst()
        .orElseThrow(
            () ->
                table.error(
                    "has no column %s; its first line must name the axes %s,%s",
                    axis.name(), grid.rows().name(), grid.columns().name()));
  }

  private double coordinate(String cell, Axis axis) throws IOException {
    double coordinate = table.number(cell, axis.name());
    try {
      axis.position(coordinate);
    } catch (IllegalArgumentException e) { // throws if the place is outside the axis
      throw table.at(table.line(), "%s", e.getMessage());
    }
    return coordinate;
  }
}
