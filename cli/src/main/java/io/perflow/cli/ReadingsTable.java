package io.perflow.cli;

import io.perflow.physics.Axis;
import io.perflow.physics.Grid;
import io.perflow.physics.Problem;
import io.perflow.physics.Quantity;
import io.perflow.physics.Readings;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A table of readings at grid points, with a column for each axis and each quantity. */
final class ReadingsTable {
  private ReadingsTable() {}

  /** Returns the table below a comment; cells without a reading are empty. */
  static String of(Readings readings, String comment) {
    Problem problem = readings.problem();
    int frames = problem.frameCount();
    int cells = problem.grid().cells();
    Map<Integer, String[]> places = new TreeMap<>(); // by frame · cells + cell
    for (Readings.Reading reading : readings.all()) {
      int place = reading.channel() % frames * cells + reading.cells()[0];
      String[] values = places.computeIfAbsent(place, _ -> empty(problem));
      values[reading.channel() / frames] = Float.toString((float) reading.value());
    }
    StringBuilder table = new StringBuilder("# " + comment + "\n");
    table.append(
        Stream.of(
                problem.frames().stream().map(Axis::label),
                Stream.of(problem.grid().rows(), problem.grid().columns()).map(Axis::label),
                problem.quantities().stream().map(Quantity::label))
            .flatMap(part -> part)
            .map(ReadingsTable::quoted)
            .collect(Collectors.joining(",", "", "\n")));
    places.forEach(
        (place, values) -> {
          problem.frames().ifPresent(axis -> table.append(at(axis, place / cells)).append(','));
          table.append(at(problem.grid(), place % cells)).append(',');
          table.append(String.join(",", values)).append('\n');
        });
    return table.toString();
  }

  private static String[] empty(Problem problem) {
    return Stream.generate(() -> "").limit(problem.quantities().size()).toArray(String[]::new);
  }

  /** Returns a cell of the first line. */
  static String quoted(String label) {
    return label.matches(".*[,;\t\"].*") ? '"' + label.replace("\"", "\"\"") + '"' : label;
  }

  private static String at(Grid grid, int cell) {
    return at(grid.rows(), cell / grid.width()) + "," + at(grid.columns(), cell % grid.width());
  }

  private static String at(Axis axis, int index) {
    return number(axis, axis.coordinate(index));
  }

  /**
   * Returns a coordinate with enough digits to resolve a millionth of a step, so that it is read as
   * the grid point.
   */
  static String number(Axis axis, double coordinate) {
    double finest = axis.points() == 1 ? 1 : axis.spacing() * 1e-7;
    int digits = (int) Math.ceil(-Math.log10(finest));
    BigDecimal rounded = new BigDecimal(coordinate).setScale(digits, RoundingMode.HALF_EVEN);
    return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
  }
}
