package io.perflow.physics;

import io.perflow.physics.constraint.AffineConstraint;
import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The measurements of one field by sensors, in physical units: y = H x + noise, with a row of H for
 * every reading.
 *
 * <pre>{@code
 * Readings readings =
 *     Readings.of(heat)                                  // axes y and x
 *         .at("T", 293.1, 0.25, 0.5)                     // at a place, exact
 *         .sigma(0.2)                                    // from here on with noise
 *         .at("T", 301.7, 0.31, 0.64)                    // between grid points
 *         .box("T", 299.0, new double[] {0.5, 0.5}, new double[] {0.75, 1})
 *         .build();
 * }</pre>
 *
 * <p>A place between grid points is read by bilinear interpolation (order 1); within a millionth of
 * a spacing of a grid point it is that point. Between a wall and the centre of the cell at the wall
 * the value of that cell is read. Readings do not change once they are built.
 */
public final class Readings {
  private static final String OP = "readings";

  private final Problem problem;
  private final List<Reading> all;
  private final BitSet wide; // averages over more than one grid point
  private final List<String> notes;
  private final List<String> warnings;

  private Readings(
      Problem problem, List<Reading> all, BitSet wide, List<String> notes, List<String> warnings) {
    this.problem = problem;
    this.all = List.copyOf(all);
    this.wide = wide;
    this.notes = List.copyOf(notes);
    this.warnings = List.copyOf(warnings);
  }

  // ---- how they come about

  /** The builder of readings; there may be none. */
  public static Builder of(Problem problem) {
    return new Builder(problem);
  }

  /**
   * Reads an npz file, recognized by its name, or a table.
   *
   * <p>A table has a line of names, then lines of numbers separated by commas, semicolons or tabs.
   * The wide form has columns for the axes of the problem and for quantities, with an empty cell
   * where nothing was measured, and if wanted {@code sigma} for all or {@code sigma_T} for a
   * quantity T. The long form has columns for the axes, {@code quantity}, {@code value} and if
   * wanted {@code sigma}. Names may have units, as in {@code T [K]}, and other columns are skipped.
   *
   * <p>An npz file has the arrays {@code values} [channels, height, width], {@code mask} of the
   * same shape or [planes, height, width] with ones at the sensors, and if wanted {@code sigma}, a
   * number or an array like {@code values}.
   *
   * @throws FileFormatException naming the line and what is wrong with it
   */
  public static Readings read(Path file, Problem problem) throws IOException {
    return ReadingsFile.read(file, problem);
  }

  /**
   * Reads a known field at the sensors of a mask, without noise.
   *
   * @param field [1, channels, height, width], in physical units
   * @param planes [1, planes, height, width] of 0 and 1
   */
  public static Readings observe(Problem problem, Tensor field, Tensor planes) {
    Check.sameShape(OP, "field", field, problem.batch(1));
    Shape one = Shape.of(1, problem.planes(), problem.grid().height(), problem.grid().width());
    Check.sameShape(OP, "mask", planes, one);
    return of(problem)
        .masked("field", field.toDoubles(), problem.expand(planes).toDoubles(), new double[1])
        .build();
  }

  // ---- what they are

  /** The problem whose field was read. */
  public Problem problem() {
    return problem;
  }

  /** Number of readings; 0 when nothing is known. */
  public int size() {
    return all.size();
  }

  /** All readings, in the order they were given. */
  public List<Reading> all() {
    return all;
  }

  /** Notes for the user on how the readings were interpreted, one line each. */
  public List<String> notes() {
    return notes;
  }

  /** What may be wrong with a table of readings, one line each; a reconstruction repeats it. */
  public List<String> warnings() {
    return warnings;
  }

  /** Whether every reading is the value at one grid point. */
  public boolean onGrid() {
    return all.stream().allMatch(Reading::onGrid);
  }

  /** The axes of a place: that of the frames when there is one, then those of the grid. */
  static List<Axis> axes(Problem problem) {
    Grid grid = problem.grid();
    return Stream.concat(problem.frames().stream(), Stream.of(grid.rows(), grid.columns()))
        .toList();
  }

  boolean wide(int index) {
    return wide.get(index);
  }

  Readings with(List<String> more, List<String> warned) {
    List<String> noted = Stream.concat(more.stream(), notes.stream()).toList();
    return new Readings(problem, all, wide, noted, warned);
  }

  /**
   * The readings as networks receive them, at grid points only.
   *
   * <p>A reading between grid points appears at the nearest grid point, unless that has a reading
   * of its own. Averages over several grid points do not appear. Several readings at one point
   * become their mean, weighted by 1 / sigma². A plane that serves several channels contains a
   * place only if all of them are read there.
   */
  public Raster raster() {
    Shown shown = Shown.of(this);
    int height = problem.grid().height();
    int width = problem.grid().width();
    return new Raster(
        Tensor.of(shown.values(), 1, problem.channelCount(), height, width),
        Tensor.of(shown.planes(), 1, problem.planes(), height, width),
        shown.count(Shown.Fate.SHOWN));
  }

  /**
   * The condition H x = y in physical units, named {@code sensors}; empty without readings. Several
   * readings of the same value become their mean, weighted by 1 / sigma².
   */
  public Optional<AffineConstraint> agreement() {
    return Agreement.of(this).condition();
  }

  /**
   * The distance of the mean of some fields from the readings: |H x - y| for each quantity with
   * readings.
   *
   * @param fields [batch, channels, height, width], in physical units
   */
  public List<Misfit> misfit(Tensor fields) {
    problem.check(OP, fields);
    Check.that(fields.dim(0) > 0, OP, "fields %s hold no sample", fields.shape());
    return Misfits.of(this, fields);
  }

  Quantity quantity(Reading reading) {
    return problem.quantities().get(reading.channel / problem.frameCount());
  }

  /**
   * How these readings differ from those that a model of the problem was trained with: numbers and
   * places of sensors, values far from the training data, and readings that the network does not
   * receive.
   *
   * @param units the units of the model
   * @return one line for each difference; empty if there is none
   */
  public List<String> unlike(Normalization units) {
    return Unlike.of(this, units);
  }

  @Override
  public String toString() {
    return "%d readings of %s".formatted(size(), problem.name());
  }

  // ---- parts

  /**
   * One reading: value = Σ weights[i] · x[channel][cells[i]] + noise.
   *
   * @param channel of the field, quantity · frames + frame
   * @param cells grid points that are read, row · width + column each, ascending
   * @param weights of the cells, which add up to 1
   * @param value the measured value, in the unit of the quantity
   * @param sigma standard deviation of the noise; 0 for an exact reading
   * @param source where the reading comes from, such as {@code line 7}
   */
  public record Reading(
      int channel, int[] cells, double[] weights, double value, double sigma, String source) {

    /** Copies the arrays and checks the numbers. */
    public Reading {
      cells = cells.clone();
      weights = weights.clone();
      Check.that(
          cells.length > 0 && cells.length == weights.length,
          OP,
          "%d cells and %d weights: as many of both, and at least 1",
          cells.length,
          weights.length);
      // networks and raster are in single precision, where a larger number is infinite
      Check.that(
          Float.isFinite((float) value), OP, "value %s is not a finite number of F32", value);
      Check.that(
          sigma >= 0 && Double.isFinite(sigma),
          OP,
          "sigma is %s: it must be 0 (exact) or a positive number",
          sigma);
    }

    @Override
    public int[] cells() {
      return cells.clone();
    }

    @Override
    public double[] weights() {
      return weights.clone();
    }

    /** Whether this is the value at one grid point. */
    boolean onGrid() {
      return cells.length == 1;
    }

    /** The grid point with the largest weight. */
    int nearest() {
      int most = 0;
      for (int i = 1; i < cells.length; i++) {
        most = weights[i] > weights[most] ? i : most;
      }
      return cells[most];
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Reading r
          && channel == r.channel
          && Arrays.equals(cells, r.cells)
          && Arrays.equals(weights, r.weights)
          && value == r.value
          && sigma == r.sigma
          && source.equals(r.source);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(
          new int[] {channel, Arrays.hashCode(cells), Double.hashCode(value), source.hashCode()});
    }

    @Override
    public String toString() {
      return "%s: %s%s over %s with %s in channel %d"
          .formatted(
              source,
              value,
              sigma > 0 ? " ± " + sigma : "",
              Arrays.toString(cells),
              Arrays.toString(weights),
              channel);
    }
  }

  /**
   * Readings as a network receives them, F32 on the CPU.
   *
   * @param values [1, channels, height, width] in physical units, 0 where there is no reading
   * @param planes [1, planes, height, width], 1 where there are readings and 0 elsewhere
   * @param shown the number of readings that the network receives
   */
  public record Raster(Tensor values, Tensor planes, int shown) {}

  /**
   * The distance of a field from the readings of a quantity.
   *
   * @param quantity the quantity
   * @param readings number of its readings
   * @param rms root of the mean square of H x - y, in the unit of the quantity
   * @param max the largest |H x - y|
   * @param inSigmas root of the mean square of (H x - y) / sigma over the readings that have noise;
   *     about 1 for a good fit, NaN when all are exact
   */
  public record Misfit(Quantity quantity, int readings, double rms, double max, double inSigmas) {
    /** Such as {@code T: 30 readings missed by 0.60 K (rms), 1.0 K at most}. */
    @Override
    public String toString() {
      String unit = quantity.unit().isEmpty() ? "" : " " + quantity.unit();
      return String.format(
          Locale.ROOT,
          "%s: %d %s missed by %.2g%s (rms), %.2g%s at most",
          quantity.name(),
          readings,
          readings == 1 ? "reading" : "readings",
          rms,
          unit,
          max,
          unit);
    }
  }

  /** Collects readings. */
  public static final class Builder {
    // In spacings of the frames: more is not a rounded number.
    private static final double BETWEEN_FRAMES = 0.05;

    private final Problem problem;
    private final List<Reading> given = new ArrayList<>();
    private final BitSet wide = new BitSet();
    private double sigma;
    private String source; // null for the number of the reading
    private int moved;

    private Builder(Problem problem) {
      this.problem = problem;
    }

    /** Sets the standard deviation of the noise of the following readings (default 0). */
    public Builder sigma(double deviation) {
      sigma = deviation;
      return this;
    }

    /**
     * Sets the name of the following readings in messages (default {@code reading 1} and so on).
     */
    public Builder source(String name) {
      source = name;
      return this;
    }

    /**
     * Adds a value at a place.
     *
     * @param place coordinates along the first and the second axis; with frames, preceded by the
     *     coordinate of the frame, which may be omitted if there is only one
     */
    public Builder at(String quantity, double value, double... place) {
      int channel = channel(quantity, place, place);
      return add(Weights.at(problem.grid(), onGrid(place)), channel, value, false);
    }

    /**
     * Adds an average over a box with sides along the axes. On a periodic axis {@code from} may be
     * larger than {@code to}; the box then contains the end of the period.
     *
     * @param from the corner with the smaller coordinates, as a place
     * @param to the corner with the larger ones, at the same frame
     */
    public Builder box(String quantity, double value, double[] from, double[] to) {
      int channel = channel(quantity, from, to);
      return add(Weights.box(problem.grid(), onGrid(from), onGrid(to)), channel, value, true);
    }

    /** Adds an average along the straight line between two places at the same frame. */
    public Builder line(String quantity, double value, double[] from, double[] to) {
      int channel = channel(quantity, from, to);
      return add(Weights.line(problem.grid(), onGrid(from), onGrid(to)), channel, value, true);
    }

    private Builder add(Weights weights, int channel, double value, boolean average) {
      return add(weights.reading(channel, value, sigma, nextSource()), average);
    }

    private Builder add(Reading reading, boolean average) {
      wide.set(given.size(), average && !reading.onGrid());
      given.add(reading);
      return this;
    }

    private String nextSource() {
      return source == null ? "reading " + (given.size() + 1) : source;
    }

    private double[] onGrid(double[] place) {
      return Arrays.copyOfRange(place, place.length - 2, place.length);
    }

    private int channel(String quantity, double[] from, double[] to) {
      int number = problem.quantity(quantity);
      for (double[] place : List.of(from, to)) {
        boolean framed = problem.frames().isPresent() && place.length == 3;
        boolean unframed = problem.frameCount() == 1 && place.length == 2;
        Check.that(
            framed || unframed,
            OP,
            "a place of %s has the coordinates %s, not %s",
            quantity,
            axes(problem).stream().map(Axis::name).collect(Collectors.joining(", ")),
            Arrays.toString(place));
      }
      Check.that(
          from.length == to.length && (from.length == 2 || from[0] == to[0]),
          OP,
          "a reading of %s from %s to %s spans frames; it must stay within one",
          quantity,
          Arrays.toString(from),
          Arrays.toString(to));
      return problem.channel(number, from.length == 2 ? 0 : frame(from[0]));
    }

    private int frame(double coordinate) {
      Axis frames = problem.frames().orElseThrow();
      double position = frames.position(coordinate);
      double off = Math.abs(position - Math.rint(position));
      if (off > BETWEEN_FRAMES) {
        throw new IllegalArgumentException(
            "[readings] %s = %s lies between the frames at %s and %s; only whole frames are read"
                .formatted(
                    frames.name(),
                    coordinate,
                    frames.coordinate((int) Math.floor(position)),
                    frames.coordinate((int) Math.ceil(position))));
      }
      moved += off > 1e-6 ? 1 : 0;
      return (int) Math.rint(position) % frames.points();
    }

    /** The number of readings so far. */
    int count() {
      return given.size();
    }

    /** Adds values [channels, height, width] where a mask of that shape is 1; one or all sigmas. */
    Builder masked(String name, double[] values, double[] mask, double[] sigmas) {
      int width = problem.grid().width();
      int cells = problem.grid().cells();
      for (int i = 0; i < mask.length; i++) {
        if (mask[i] == 0) {
          continue;
        }
        Check.that(mask[i] == 1, OP, "the mask holds %s: it must be 0 or 1", mask[i]);
        int cell = i % cells;
        String place = "%s[%d, %d, %d]".formatted(name, i / cells, cell / width, cell % width);
        double noise = sigmas[sigmas.length == 1 ? 0 : i];
        double[] whole = {1};
        add(new Reading(i / cells, new int[] {cell}, whole, values[i], noise, place), false);
      }
      return this;
    }

    /**
     * Builds the readings.
     *
     * @throws IllegalArgumentException when exact readings of the same value differ
     */
    public Readings build() {
      Map<ReadingKey, Integer> exact = new HashMap<>();
      List<Reading> kept = new ArrayList<>();
      BitSet averages = new BitSet();
      for (int i = 0; i < given.size(); i++) {
        Reading reading = given.get(i);
        Integer first =
            reading.sigma > 0 ? null : exact.putIfAbsent(ReadingKey.of(reading), kept.size());
        if (first == null) {
          averages.set(kept.size(), wide.get(i));
          kept.add(reading);
        } else {
          checkSame(kept.get(first), reading);
          averages.set(first, averages.get(first) && wide.get(i));
        }
      }
      return new Readings(problem, kept, averages, notes(given.size() - kept.size()), List.of());
    }

    private void checkSame(Reading first, Reading second) {
      double larger = Math.max(Math.abs(first.value), Math.abs(second.value));
      if (Math.abs(first.value - second.value) > Math.ulp((float) larger)) {
        throw new IllegalArgumentException(
            "%s and %s both read %s at the same place: %s and %s; keep one or give both a sigma"
                .formatted(
                    first.source,
                    second.source,
                    problem.channels().get(first.channel),
                    first.value,
                    second.value));
      }
    }

    private List<String> notes(int repeated) {
      List<String> notes = new ArrayList<>();
      if (moved > 0) {
        notes.add(
            "readings moved to the nearest frame, by less than 5 %% of a step: %d"
                .formatted(moved));
      }
      if (repeated > 0) {
        notes.add("readings that repeat another one and count once: %d".formatted(repeated));
      }
      return notes;
    }
  }
}
