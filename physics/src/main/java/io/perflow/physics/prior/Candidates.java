package io.perflow.physics.prior;

import io.perflow.physics.Axis;
import io.perflow.physics.Grid;
import io.perflow.physics.Problem;
import io.perflow.physics.Sensors;
import io.perflow.tensor.Check;
import io.perflow.tensor.Rng;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The sensors among which a {@link Placement} chooses. The problem's {@link Sensors} define what
 * one sensor reads: a grid point, or a whole line for {@link Sensors.Pattern#LINES}, in the
 * channels that share a mask. If each quantity of the problem has its own sensors, there are
 * candidates for each quantity; with {@link Sensors#sharing}, one sensor reads them all.
 *
 * <pre>{@code
 * Candidates all = Candidates.of(problem);
 * Candidates shore = Candidates.at(problem, List.of(List.of(0.2, 0.5), List.of(0.7, 0.1)));
 * Candidates allowed = all.without(places);
 * }</pre>
 */
public final class Candidates {
  private static final int MOST = 4096; // those of each mask, unless places are given

  private final Problem problem;
  private final int[] planes; // the mask of each candidate
  private final int[] places; // its grid point, or the number of its line along its axis

  private Candidates(Problem problem, int[] planes, int[] places) {
    this.problem = problem;
    this.planes = planes;
    this.places = places;
  }

  // Takes the same places for each mask.
  private Candidates(Problem problem, int[] places) {
    this(
        problem,
        IntStream.range(0, Math.multiplyExact(places.length, problem.planes()))
            .map(i -> i / places.length)
            .toArray(),
        IntStream.range(0, places.length * problem.planes())
            .map(i -> places[i % places.length])
            .toArray());
  }

  /**
   * Returns all places that the problem's {@link Sensors} allow: grid points (on a fine grid, every
   * second or third in each direction, so that there are at most 4096), all lines, or the fixed
   * places.
   */
  public static Candidates of(Problem problem) {
    return switch (problem.sensors().pattern()) {
      case POINTS -> new Candidates(problem, thinned(problem.grid()));
      case LINES ->
          new Candidates(problem, IntStream.range(0, lineAxis(problem).points()).toArray());
      case FIXED -> at(problem, problem.sensors().places());
    };
  }

  private static int[] thinned(Grid grid) {
    int stride = 1;
    while (ceil(grid.height(), stride) * ceil(grid.width(), stride) > MOST) {
      stride++;
    }
    int[] rows = every(grid.height(), stride);
    int[] columns = every(grid.width(), stride);
    int[] cells = new int[rows.length * columns.length];
    for (int i = 0; i < cells.length; i++) {
      cells[i] = rows[i / columns.length] * grid.width() + columns[i % columns.length];
    }
    return cells;
  }

  private static int ceil(int points, int stride) {
    return (points + stride - 1) / stride;
  }

  // With equal margins at both ends.
  private static int[] every(int points, int stride) {
    int offset = (points - 1) % stride / 2;
    return IntStream.range(0, ceil(points, stride)).map(i -> offset + i * stride).toArray();
  }

  /**
   * Returns the places of a list.
   *
   * @param places coordinates along the first and the second axis of the grid; each stands for the
   *     nearest grid point, or for the line through it
   */
  public static Candidates at(Problem problem, List<List<Double>> places) {
    Check.that(!places.isEmpty(), "candidates", "there is no place in the list");
    return new Candidates(problem, distinct(problem, places));
  }

  /**
   * Returns these candidates without those at the given places; coordinates are as in {@link #at}.
   */
  public Candidates without(List<List<Double>> forbidden) {
    Set<Integer> out = new HashSet<>();
    Arrays.stream(distinct(problem, forbidden)).forEach(out::add);
    int[] left = IntStream.range(0, size()).filter(i -> !out.contains(places[i])).toArray();
    Check.that(
        left.length > 0,
        "candidates",
        "all %d candidates are at forbidden places; leave some of these out of the list",
        size());
    return select(left);
  }

  /** Returns the candidates of these numbers, in this order. */
  Candidates select(int[] numbers) {
    return new Candidates(
        problem,
        Arrays.stream(numbers).map(i -> planes[i]).toArray(),
        Arrays.stream(numbers).map(i -> places[i]).toArray());
  }

  // In the order of their first appearance.
  private static int[] distinct(Problem problem, List<List<Double>> places) {
    Set<Integer> found = new LinkedHashSet<>();
    for (List<Double> place : places) {
      Check.that(place.size() == 2, "candidates", "a place has two coordinates, %s has not", place);
      int row = nearest(problem.grid().rows(), place.get(0));
      int column = nearest(problem.grid().columns(), place.get(1));
      if (!lines(problem)) {
        found.add(row * problem.grid().width() + column);
      } else {
        found.add(acrossColumns(problem) ? column : row);
      }
    }
    return found.stream().mapToInt(i -> i).toArray();
  }

  private static int nearest(Axis axis, double coordinate) {
    return (int) Math.round(axis.position(coordinate)) % axis.points();
  }

  private static boolean lines(Problem problem) {
    return problem.sensors().pattern() == Sensors.Pattern.LINES;
  }

  private static Axis lineAxis(Problem problem) {
    return problem.grid().axis(problem.sensors().axis());
  }

  // Returns whether lines are distinguished by their column.
  private static boolean acrossColumns(Problem problem) {
    return problem.grid().dimension(problem.sensors().axis()) == 3;
  }

  // ---- properties

  /** Returns the problem whose fields the sensors read. */
  public Problem problem() {
    return problem;
  }

  /** Returns the number of candidates, those of all masks together. */
  public int size() {
    return planes.length;
  }

  /** Returns the channels that a candidate reads. */
  public int[] channels(int candidate) {
    return IntStream.range(0, problem.channelCount())
        .filter(channel -> problem.plane(channel) == planes[candidate])
        .toArray();
  }

  /**
   * Returns the coordinates of the grid points that a candidate reads: one, or those of its line.
   */
  public List<List<Double>> places(int candidate) {
    Grid grid = problem.grid();
    List<List<Double>> result = new ArrayList<>();
    for (int cell : cells(candidate)) {
      result.add(
          List.of(
              grid.rows().coordinate(cell / grid.width()),
              grid.columns().coordinate(cell % grid.width())));
    }
    return result;
  }

  private int[] cells(int candidate) {
    int place = places[candidate];
    if (!lines(problem)) {
      return new int[] {place};
    }
    int width = problem.grid().width();
    return acrossColumns(problem)
        ? IntStream.range(0, problem.grid().height()).map(i -> i * width + place).toArray()
        : IntStream.range(0, width).map(i -> place * width + i).toArray();
  }

  /** Returns the number of readings of one candidate; it is the same for all. */
  int readings() {
    return channels(0).length * cells(0).length;
  }

  /** Returns the entries of a field that a candidate reads, each as channel · cells + cell. */
  int[] entries(int candidate) {
    int[] cells = cells(candidate);
    int all = problem.grid().cells();
    return Arrays.stream(channels(candidate))
        .flatMap(channel -> Arrays.stream(cells).map(cell -> channel * all + cell))
        .toArray();
  }

  /**
   * Returns the readings of chosen candidates, sensor by sensor.
   *
   * @param sigma the standard deviation of the noise in normalized units, 0 for exact readings
   */
  public Sensing sensing(int[] chosen, double sigma) {
    int[] entries = Arrays.stream(chosen).flatMap(c -> Arrays.stream(entries(c))).toArray();
    return Sensing.at(problem, entries, sigma);
  }

  // ---- layouts to compare a placement with

  /** Chooses candidates at random, all choices equally likely. */
  public int[] random(Rng rng, int count) {
    checkCount(count);
    return rng.choice(size(), count);
  }

  /**
   * Chooses candidates spread evenly over the grid; the numbers for different masks differ by at
   * most one.
   */
  public int[] even(int count) {
    checkCount(count);
    int[] chosen = new int[count];
    boolean[] used = new boolean[size()];
    int next = 0;
    for (int plane = 0; plane < problem.planes(); plane++) {
      for (double[] target : lattice(share(count, plane))) {
        chosen[next] = nearestUnused(plane, target, used);
        used[chosen[next++]] = true;
      }
    }
    return chosen;
  }

  /** Checks that there are at least as many candidates as sensors. */
  public void checkCount(int count) {
    Check.that(count >= 1, "placement", "%d sensors: at least 1 is needed", count);
    Check.that(
        count <= size(),
        "placement",
        "%d sensors, but there are only %d candidates; ask for fewer, or allow more places",
        count,
        size());
  }

  private int share(int count, int plane) {
    return count / problem.planes() + (plane < count % problem.planes() ? 1 : 0);
  }

  // The places lie on a grid of lines and columns; a line is a place of a single column.
  private int width() {
    return lines(problem) ? 1 : problem.grid().width();
  }

  private int height() {
    return lines(problem) ? lineAxis(problem).points() : problem.grid().height();
  }

  // Rows of nearly equally many points, which are about as far from each other as the points in
  // them.
  private List<double[]> lattice(int count) {
    List<double[]> targets = new ArrayList<>();
    double ratio = (double) height() / width();
    int rows = Math.clamp(Math.round(Math.sqrt(count * ratio)), 1, Math.max(1, count));
    for (int row = 0; row < rows; row++) {
      int here = (row + 1) * count / rows - row * count / rows;
      for (int i = 0; i < here; i++) {
        targets.add(
            new double[] {
              (row + 0.5) / rows * height() - 0.5, (i + 0.5) / here * width() - 0.5,
            });
      }
    }
    return targets;
  }

  private int nearestUnused(int plane, double[] target, boolean[] used) {
    return IntStream.range(0, size())
        .filter(i -> planes[i] == plane && !used[i])
        .boxed()
        .min(Comparator.comparingDouble(i -> distance(places[i], target)))
        .orElseThrow();
  }

  private double distance(int place, double[] target) {
    return Math.hypot(place / width() - target[0], place % width() - target[1]);
  }

  @Override
  public String toString() {
    return "%d candidates for %s".formatted(size(), problem.sensors());
  }
}
