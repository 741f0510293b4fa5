package io.perflow.physics;

import io.perflow.tensor.Check;

/**
 * One axis of a grid: the places of its points and the kind of its ends.
 *
 * <pre>{@code
 * Axis.of("x", 0, 1, 64)                          // 0, 1/63, … 1: walls at both ends
 * Axis.periodic("x", 0, 1, 64)                    // 0, 1/64, … 63/64: 1 is 0 again
 * Axis.of("depth", 0, 200, 50).unit("m").cells()  // 2, 6, … 198: centres of 50 cells
 * }</pre>
 *
 * @param name the column of this coordinate in files of readings
 * @param from the coordinate of the first wall, or of the start of the period
 * @param to the coordinate of the last wall, or of the end of the period
 * @param points the number of points
 * @param unit the unit of the coordinate; empty if it has none
 * @param placement where the points lie between the ends
 * @param periodic whether the last point is followed by the first
 * @param time whether the axis is time; it is space otherwise
 */
public record Axis(
    String name,
    double from,
    double to,
    int points,
    String unit,
    Placement placement,
    boolean periodic,
    boolean time) {

  /** The ways in which the points of an axis lie between its ends. */
  public enum Placement {
    /** Points on nodes: the first point and, without a period, the last one lie at an end. */
    NODES,
    /** Points in cells: they are the centres of cells that fill the axis. */
    CELLS
  }

  /** Checks the numbers. */
  public Axis {
    Names.check("axis", name);
    Check.that(
        name.indexOf('-') < 0,
        "axis",
        "'%s' cannot name an axis: a hyphen would make x-low and shift:x-y ambiguous",
        name);
    Names.checkUnit("axis " + name, unit);
    Check.that(points >= 1, "axis " + name, "%d points: at least 1 is needed", points);
    Check.that(
        Double.isFinite(to - from) && (from < to || from == to && points == 1),
        "axis " + name,
        "runs from %s to %s: both must be finite, the smaller one first",
        from,
        to);
    // Otherwise neighbouring points have the same coordinate, and a reading could belong to either.
    Check.that(
        points == 1 || (to - from) / points > 2 * Math.ulp(Math.max(Math.abs(from), Math.abs(to))),
        "axis " + name,
        "%d points from %s to %s are closer together than floating-point numbers can resolve",
        points,
        from,
        to);
  }

  /** Returns an axis of space with walls at both ends and points on nodes. */
  public static Axis of(String name, double from, double to, int points) {
    return new Axis(name, from, to, points, "", Placement.NODES, false, false);
  }

  /** Returns a periodic axis of space: {@code to} is the same place as {@code from}. */
  public static Axis periodic(String name, double from, double to, int points) {
    return new Axis(name, from, to, points, "", Placement.NODES, true, false);
  }

  /** Returns an axis of time, with points on nodes. */
  public static Axis time(String name, double from, double to, int points) {
    return new Axis(name, from, to, points, "", Placement.NODES, false, true);
  }

  /** Returns the same axis with a unit. */
  public Axis unit(String symbol) {
    return new Axis(name, from, to, points, symbol, placement, periodic, time);
  }

  /** Returns the same axis with its points at the centres of cells. */
  public Axis cells() {
    return new Axis(name, from, to, points, unit, Placement.CELLS, periodic, time);
  }

  /** Returns the same axis with another number of points. */
  public Axis points(int count) {
    return new Axis(name, from, to, count, unit, placement, periodic, time);
  }

  /** Returns the distance of neighbouring points. */
  public double spacing() {
    boolean ends = placement == Placement.NODES && !periodic;
    return (to - from) / Math.max(1, ends ? points - 1 : points);
  }

  /** Returns the coordinate of a point, counted from 0. */
  public double coordinate(int index) {
    return from + (index + offset()) * spacing();
  }

  /**
   * Returns the position of a coordinate among the points: 2.5 is half way between points 2 and 3.
   * On a periodic axis the result is at least 0 and less than {@link #points}, and a coordinate may
   * lie up to one period outside: for instance, longitudes from -180 to 180 on an axis from 0 to
   * 360.
   *
   * @throws IllegalArgumentException when the coordinate lies outside the axis
   */
  public double position(double coordinate) {
    // Half a millionth of a spacing allows for the rounding of a printed number, and a whole period
    // for other conventions of where it begins.
    double slack = periodic ? to - from : 5e-7 * spacing();
    Check.that(
        coordinate >= from - slack && coordinate <= to + slack,
        "axis " + name,
        "%s = %s lies outside [%s, %s]%s",
        name,
        coordinate,
        from,
        to,
        unit.isEmpty() ? "" : " " + unit);
    double position = points == 1 ? 0 : (coordinate - from) / spacing() - offset();
    if (periodic) {
      double wrapped = position - points * Math.floor(position / points);
      return points - wrapped < 1e-6 ? 0 : wrapped;
    }
    return Math.clamp(position, 0, points - 1);
  }

  private double offset() {
    return placement == Placement.CELLS ? 0.5 : 0;
  }

  /** Returns the name with its unit: {@code depth [m]}. */
  public String label() {
    return unit.isEmpty() ? name : "%s [%s]".formatted(name, unit);
  }

  @Override
  public String toString() {
    return "%s from %s to %s, %d %s%s"
        .formatted(
            label(),
            from,
            to,
            points,
            placement == Placement.CELLS ? "cells" : "points",
            periodic ? ", periodic" : "");
  }
}
