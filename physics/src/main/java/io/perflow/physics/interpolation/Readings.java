package io.perflow.physics.interpolation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Readings at distinct places, sorted in row-major order of the places.
 *
 * <p>Positions are in units of one row and one column. They are multiples of {@link #QUANTUM}, so
 * that differences of positions and shifts by a period are exact.
 */
final class Readings {
  /**
   * The unit of positions, 1.5e-11 of a cell: with it, differences fit into 53 bits across three
   * periods of a grid.
   */
  static final double QUANTUM = 0x1p-36;

  /** The distance in cells below which, on both axes, readings are at the same place. */
  static final double SAME = 0x1p-10;

  private record Reading(double row, double column, double value) {
    static final Comparator<Reading> ORDER =
        Comparator.comparingDouble(Reading::row)
            .thenComparingDouble(Reading::column)
            .thenComparingDouble(Reading::value);

    Reading shifted(double rows, double columns) {
      return new Reading(row + rows, column + columns, value);
    }
  }

  private final List<Reading> list;
  private final Lattice lattice;

  private Readings(List<Reading> list, Lattice lattice) {
    this.list = list.stream().sorted(Reading.ORDER).toList();
    this.lattice = lattice;
  }

  /** Checks readings, moves them into the first period and merges those at the same place. */
  static Readings of(double[] rows, double[] columns, double[] values, Lattice lattice) {
    if (rows.length != columns.length || rows.length != values.length) {
      throw new IllegalArgumentException(
          "[interpolation] %d rows, %d columns and %d values: each reading needs one of each"
              .formatted(rows.length, columns.length, values.length));
    }
    if (rows.length == 0) {
      throw new IllegalArgumentException(
          "[interpolation] no reading at all: at least one is needed");
    }
    List<Reading> list = new ArrayList<>();
    for (int i = 0; i < rows.length; i++) {
      if (!Double.isFinite(values[i])) {
        throw new IllegalArgumentException(
            "[interpolation] reading %d is %s: leave out places without a reading"
                .formatted(i, values[i]));
      }
      double row = place("row", i, rows[i], lattice.height(), lattice.periodicRows());
      double column = place("column", i, columns[i], lattice.width(), lattice.periodicColumns());
      list.add(new Reading(row, column, values[i]));
    }
    return new Readings(merge(list), lattice);
  }

  private static double place(String axis, int reading, double at, int extent, boolean periodic) {
    // Written so that NaN fails too; a number of a billion has lost the digits that place it.
    if (!(periodic ? Math.abs(at) < 1e9 : at >= -0.5 && at <= extent - 0.5)) {
      throw new IllegalArgumentException(
          "[interpolation] %s %s of reading %d is outside the grid, whose cells are from -0.5 to %s"
              .formatted(axis, at, reading, extent - 0.5));
    }
    // The seam lies just before 0, so that 0 and a number slightly less than the period are
    // neighbours.
    double inside = periodic ? at - Math.floor((at + SAME) / extent) * extent : at;
    return quantized(inside);
  }

  private static double quantized(double position) {
    return Math.rint(position / QUANTUM) * QUANTUM;
  }

  private static List<Reading> merge(List<Reading> list) {
    List<List<Reading>> places = new ArrayList<>();
    for (Reading reading : list.stream().sorted(Reading.ORDER).toList()) {
      List<Reading> place = null;
      for (int i = places.size() - 1; i >= 0 && place == null; i--) {
        Reading first = places.get(i).getFirst();
        if (reading.row - first.row >= SAME) {
          break;
        }
        place = Math.abs(reading.column - first.column) < SAME ? places.get(i) : null;
      }
      if (place == null) {
        place = new ArrayList<>();
        places.add(place);
      }
      place.add(reading);
    }
    return places.stream().map(Readings::mean).toList();
  }

  private static Reading mean(List<Reading> place) {
    if (place.size() == 1) {
      return place.getFirst();
    }
    return new Reading(
        quantized(mean(place, Reading::row)),
        quantized(mean(place, Reading::column)),
        mean(place, Reading::value));
  }

  private static double mean(List<Reading> place, ToDoubleFunction<Reading> part) {
    double sum = 0;
    for (Reading reading : place) {
      sum += part.applyAsDouble(reading);
    }
    return sum / place.size();
  }

  Lattice lattice() {
    return lattice;
  }

  int size() {
    return list.size();
  }

  double row(int i) {
    return list.get(i).row;
  }

  double column(int i) {
    return list.get(i).column;
  }

  double value(int i) {
    return list.get(i).value;
  }

  double[] rows() {
    return list.stream().mapToDouble(Reading::row).toArray();
  }

  double[] columns() {
    return list.stream().mapToDouble(Reading::column).toArray();
  }

  double[] values() {
    return list.stream().mapToDouble(Reading::value).toArray();
  }

  /** Returns the physical positions along the first axis. */
  double[] x() {
    return list.stream().mapToDouble(r -> r.row * lattice.rowSpacing()).toArray();
  }

  /** Returns the physical positions along the second axis. */
  double[] y() {
    return list.stream().mapToDouble(r -> r.column * lattice.columnSpacing()).toArray();
  }

  /**
   * Returns these readings and their copies one period before and after along each periodic axis.
   */
  Readings tiled() {
    List<Reading> all = copies();
    all.addAll(list);
    return new Readings(all, lattice);
  }

  /**
   * Returns these readings and the copies nearest to the grid, fewer than {@code most} altogether.
   *
   * @return the readings, or nothing when the copies do not surround the grid or reach less than
   *     {@code reach} periods beyond it
   */
  Optional<Readings> tiled(int most, double reach) {
    List<Reading> copies = copies();
    double[] distances = copies.stream().mapToDouble(this::periodsOutside).sorted().toArray();
    double limit = distances[most - size()];
    if (limit < reach) {
      return Optional.empty();
    }
    List<Reading> some = new ArrayList<>(list);
    // Takes all copies at one distance or none, so that whole columns of readings stay whole.
    copies.stream().filter(copy -> periodsOutside(copy) < limit).forEach(some::add);
    boolean around =
        (!lattice.periodicRows() || spans(some, Reading::row, lattice.height()))
            && (!lattice.periodicColumns() || spans(some, Reading::column, lattice.width()));
    return around ? Optional.of(new Readings(some, lattice)) : Optional.empty();
  }

  private static boolean spans(List<Reading> list, ToDoubleFunction<Reading> part, int extent) {
    double[] positions = list.stream().mapToDouble(part).toArray();
    return Arrays.stream(positions).min().orElseThrow() <= 0
        && Arrays.stream(positions).max().orElseThrow() >= extent - 1;
  }

  private List<Reading> copies() {
    int rows = lattice.periodicRows() ? 1 : 0;
    int columns = lattice.periodicColumns() ? 1 : 0;
    List<Reading> copies = new ArrayList<>();
    for (int i = -rows; i <= rows; i++) {
      for (int j = -columns; j <= columns; j++) {
        if (i != 0 || j != 0) {
          for (Reading reading : list) {
            copies.add(reading.shifted(i * lattice.height(), j * lattice.width()));
          }
        }
      }
    }
    return copies;
  }

  private double periodsOutside(Reading reading) {
    double rows = outside(reading.row / lattice.height());
    double columns = outside(reading.column / lattice.width());
    return Math.max(lattice.periodicRows() ? rows : 0, lattice.periodicColumns() ? columns : 0);
  }

  private static double outside(double periods) {
    return Math.max(0, Math.max(-periods, periods - 1));
  }
}
