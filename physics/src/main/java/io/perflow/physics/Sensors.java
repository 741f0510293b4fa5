package io.perflow.physics;

import io.perflow.tensor.Check;
import io.perflow.tensor.Named;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The distribution of the sensors that a model is trained with: their number and their possible
 * places.
 *
 * <pre>{@code
 * Sensors.points(30)                 // 30 random places
 * Sensors.points(10, 50)             // 10 to 50 random places, a new number for every sample
 * Sensors.lines("x", 5)              // 5 random places of x, each read along the whole other axis
 * Sensors.at(List.of(List.of(0.2, 0.5), List.of(0.7, 0.1)))   // always these places
 * }</pre>
 *
 * @param pattern the way in which places are chosen
 * @param axis the axis along which lines are chosen; empty for other patterns
 * @param fewest the smallest number of sensors of a sample
 * @param most the largest one
 * @param sharing which quantities the same sensors read
 * @param places the coordinates of fixed sensors, one per axis of the grid; empty for random ones
 */
public record Sensors(
    Pattern pattern,
    String axis,
    int fewest,
    int most,
    Sharing sharing,
    List<List<Double>> places) {

  /** The ways in which places are chosen. */
  public enum Pattern {
    /** Random points of the grid. */
    POINTS,
    /** Random lines across the grid. */
    LINES,
    /** The same places for every sample. */
    FIXED
  }

  /** The ways in which the channels of a field share sensors. */
  public enum Sharing {
    /** Each quantity of each frame has its own sensors. */
    INDEPENDENT,
    /** Each frame has its own sensors, which read all quantities. */
    PER_FRAME,
    /** The same sensors read all quantities of all frames. */
    SHARED;

    /** Returns the name as files and commands write it: {@code per-frame}. */
    @Override
    public String toString() {
      return Named.of(this);
    }
  }

  /** Checks the numbers. */
  public Sensors {
    places = places.stream().map(List::copyOf).toList();
    Check.that(
        axis.isEmpty() == (pattern != Pattern.LINES),
        "sensors",
        "lines need an axis, and nothing else has one; found axis '%s' for %s",
        Names.brief(axis),
        pattern);
    Check.that(
        places.isEmpty() == (pattern != Pattern.FIXED),
        "sensors",
        "fixed sensors need at least one place, and others have none; found %d for %s",
        places.size(),
        pattern);
    Check.that(
        places.isEmpty() || fewest == places.size() && most == places.size(),
        "sensors",
        "from %d to %d sensors at %d places: each place has one",
        fewest,
        most,
        places.size());
    Check.that(
        fewest >= 1 && fewest <= most,
        "sensors",
        "from %d to %d sensors: at least 1, and the smaller number first",
        fewest,
        most);
    for (List<Double> place : places) {
      Check.that(place.size() == 2, "sensors", "a place has two coordinates, %s has not", place);
    }
  }

  /** Returns a fixed number of random points. */
  public static Sensors points(int count) {
    return points(count, count);
  }

  /** Returns a random number of random points, from {@code fewest} to {@code most}. */
  public static Sensors points(int fewest, int most) {
    return new Sensors(Pattern.POINTS, "", fewest, most, Sharing.INDEPENDENT, List.of());
  }

  /** Returns a fixed number of random places of an axis, each read along the whole other axis. */
  public static Sensors lines(String axis, int count) {
    return lines(axis, count, count);
  }

  /** Returns a random number of lines, from {@code fewest} to {@code most}. */
  public static Sensors lines(String axis, int fewest, int most) {
    return new Sensors(Pattern.LINES, axis, fewest, most, Sharing.INDEPENDENT, List.of());
  }

  /**
   * Returns sensors that never move.
   *
   * @param places the coordinates along the first and the second axis of the grid; each stands for
   *     the nearest grid point
   */
  public static Sensors at(List<List<Double>> places) {
    int count = places.size();
    return new Sensors(Pattern.FIXED, "", count, count, Sharing.INDEPENDENT, places);
  }

  /**
   * Reads sensors that never move from a table: a first line with the names of the axes, as {@code
   * y,x}, then a line of coordinates for each sensor. Other columns are skipped.
   *
   * @throws io.perflow.tensor.io.FileFormatException naming the line and what is wrong with it
   */
  public static Sensors read(Path file, Grid grid) throws IOException {
    return at(PlacesFile.read(file, grid));
  }

  /** Returns a copy with another sharing of sensors among quantities and frames. */
  public Sensors sharing(Sharing other) {
    return new Sensors(pattern, axis, fewest, most, other, places);
  }

  /** Returns a copy with another number of sensors. */
  public Sensors count(int fewest, int most) {
    Check.that(
        pattern != Pattern.FIXED,
        "sensors",
        "the places are fixed, so their number %d cannot become %d to %d",
        this.most,
        fewest,
        most);
    return new Sensors(pattern, axis, fewest, most, sharing, places);
  }

  /**
   * Returns the number of distinct masks of a field with these numbers of quantities and frames.
   */
  int planes(int quantities, int frames) {
    return switch (sharing) {
      case INDEPENDENT -> quantities * frames;
      case PER_FRAME -> frames;
      case SHARED -> 1;
    };
  }

  @Override
  public String toString() {
    String count = fewest < most ? fewest + " to " + most : Integer.toString(fewest);
    String what =
        switch (pattern) {
          case POINTS -> " random points";
          case LINES -> " random places of " + axis + ", each read along the other axis";
          case FIXED -> " fixed places";
        };
    return count + what;
  }
}
