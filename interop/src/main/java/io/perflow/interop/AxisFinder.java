package io.perflow.interop;

import io.perflow.physics.Axis;
import io.perflow.tensor.io.FileFormatException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A search for the axes of dimensions: their ends from coordinates, their units from files, and the
 * rest from options.
 */
final class AxisFinder {
  /**
   * The smallest number of points for which the first coordinate shows that points are centres of
   * cells.
   */
  private static final int ENOUGH = 4;

  private final String file;
  private final FinderOptions options;
  private final List<String> notes;
  private final List<String> guessed = new ArrayList<>(); // axes with points in cells
  private final List<String> nodes = new ArrayList<>(); // options that contradict this

  AxisFinder(String file, FinderOptions options, List<String> notes) {
    this.file = file;
    this.options = options;
    this.notes = notes;
  }

  /** Returns whether coordinates decrease, so that the fields must be reversed. */
  static boolean falls(Dimension dimension) {
    return dimension.coordinates().filter(c -> c.last() < c.first()).isPresent();
  }

  /**
   * Returns the axis of a dimension.
   *
   * @param name the name of the axis
   * @param points the number of points of the dimension that are kept, the first ones after the
   *     reversal
   * @param otherwise whether a dimension without a name is time
   */
  Axis axis(Dimension dimension, String name, int points, boolean otherwise)
      throws FileFormatException {
    boolean cells = options.cells().contains(name);
    FinderOptions.Extent given = options.extents().get(name);
    Axis plain =
        new Axis(
            name,
            0,
            1,
            points,
            unit(dimension, name),
            cells ? Axis.Placement.CELLS : Axis.Placement.NODES,
            options.periodic().contains(name),
            options.time().isEmpty()
                ? dimension.name().map(own -> Meaning.of(own) == Meaning.TIME).orElse(otherwise)
                : options.time().equals(name));
    if (given != null) {
      return between(plain, given.from(), given.to());
    }
    return dimension.coordinates().isPresent()
        ? fromCoordinates(plain, dimension.coordinates().get())
        : plain;
  }

  private String unit(Dimension dimension, String name) {
    String own = dimension.coordinates().flatMap(Coordinates::unit).map(Legal::unit).orElse("");
    return options.units().getOrDefault(name, own);
  }

  private Axis fromCoordinates(Axis axis, Coordinates coordinates) throws FileFormatException {
    double[] values = coordinates.values();
    if (values.length > 1 && coordinates.step().isEmpty()) {
      throw uneven(axis.name(), coordinates);
    }
    double step = Math.abs(coordinates.step().orElse(0));
    double first = Math.min(coordinates.first(), coordinates.last());
    double last = first + (axis.points() - 1) * step;
    double noise = noise(values, step);
    boolean centred =
        axis.points() >= ENOUGH && Math.abs(first - step / 2) <= Math.max(noise, 1e-4 * step);
    if (axis.placement() == Axis.Placement.CELLS || centred) {
      Axis centres =
          between(
              axis.cells(),
              Legal.number(first - step / 2, noise),
              Legal.number(last + step / 2, noise));
      if (axis.placement() != Axis.Placement.CELLS) {
        guessed.add(axis.name());
        nodes.add(
            "--extent %s=%s..%s"
                .formatted(
                    axis.name(),
                    Legal.text(Legal.number(first, noise)),
                    Legal.text(Legal.number(last, noise))));
      }
      return centres;
    }
    double end = axis.periodic() ? last + step : last;
    return between(axis, Legal.number(first, noise), Legal.number(end, noise));
  }

  /** Notes the axes for which it was assumed that their points are centres of cells. */
  void noteCentres() {
    if (!guessed.isEmpty()) {
      notes.add(
          ("The points of %s are taken as the centres of cells, since the first is half a step from"
                  + " 0; for points on nodes use %s.")
              .formatted(String.join(" and ", guessed), String.join(" ", nodes)));
    }
  }

  // Coordinates in single precision are shown with their own digits.
  private static double noise(double[] values, double step) {
    boolean single = Arrays.stream(values).allMatch(value -> (float) value == value);
    double largest = Arrays.stream(values).map(Math::abs).max().orElse(0);
    return single ? Math.min(2 * Math.ulp((float) largest), 1e-3 * step) : 1e-9 * step;
  }

  private FileFormatException uneven(String name, Coordinates coordinates) {
    double[] values = coordinates.values();
    double least = Double.POSITIVE_INFINITY;
    double most = 0;
    for (int i = 1; i < values.length; i++) {
      double step = Math.abs(values[i] - values[i - 1]);
      least = Math.min(least, step);
      most = Math.max(most, step);
    }
    return new FileFormatException(
        file,
        coordinates.array(),
        ("these coordinates of %s are not equally spaced: their steps go from %.4g to %.4g;"
                + " interpolate the fields to equal steps, or treat the points as equally spaced"
                + " with --extent %s=%s..%s")
            .formatted(
                name,
                least,
                most,
                name,
                Legal.text(Math.min(coordinates.first(), coordinates.last())),
                Legal.text(Math.max(coordinates.first(), coordinates.last()))));
  }

  private static Axis between(Axis axis, double from, double to) {
    return new Axis(
        axis.name(),
        from,
        to,
        axis.points(),
        axis.unit(),
        axis.placement(),
        axis.periodic(),
        axis.time());
  }

  /** Returns the axis of every n-th point, as the options ask. */
  Axis strided(Axis axis) {
    int stride = options.stride();
    if (stride == 1) {
      return axis;
    }
    if (axis.periodic() && axis.points() % stride != 0) {
      throw new IllegalArgumentException(
          "--stride %d does not divide the %d points of the periodic axis %s"
              .formatted(stride, axis.points(), axis.name()));
    }
    if (options.cells().contains(axis.name())) {
      throw new IllegalArgumentException(
          ("--stride %d: the points that are kept are no longer the centres of cells of %s; leave"
                  + " %s out of --cells")
              .formatted(stride, axis.name(), axis.name()));
    }
    int count = (axis.points() + stride - 1) / stride;
    if (axis.periodic()) {
      return axis.points(count);
    }
    return new Axis(
        axis.name(),
        axis.coordinate(0),
        axis.coordinate((count - 1) * stride),
        count,
        axis.unit(),
        Axis.Placement.NODES,
        false,
        axis.time());
  }
}
