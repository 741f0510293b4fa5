package io.perflow.physics;

import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.ConstraintText;
import io.perflow.physics.equation.Equation;
import io.perflow.physics.solver.FieldGenerator;
import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The subject of a data set and a model: quantities on a grid, the constraints that they satisfy,
 * and the sensors that read them.
 *
 * <pre>{@code
 * Problem heat =
 *     Problem.named("heat")
 *         .axis("y", 0, 1, 64)
 *         .axis("x", 0, 1, 64)
 *         .channel("T", "K")
 *         .constrain(Mass.mean(300))
 *         .sensors(Sensors.points(30))
 *         .build();
 * }</pre>
 *
 * <p>A field is a tensor [batch, channels, height, width]: the first axis of the grid runs along
 * the height. With {@linkplain Builder#frames frames} a quantity has one channel for every frame,
 * and channel {@code quantity · frames + frame} holds it.
 *
 * <p>A problem is immutable, and every data set and model file contains it completely. Users can
 * read and edit the files that {@link #write} writes.
 */
public final class Problem {
  private final String name;
  private final Grid grid;
  private final Axis frames; // null for none
  private final List<Quantity> quantities;
  private final List<Scale> scales;
  private final List<Constraint> constraints;
  private final Sensors sensors;
  private final List<Symmetry> symmetries;
  private final FieldGenerator simulator; // null for none
  private final Equation equation; // null for none

  /** Some quantities that share one scale, and whether their mean is subtracted. */
  record Scale(List<String> quantities, boolean centred) {}

  private Problem(Builder b) {
    name = b.name;
    grid = new Grid(b.axes.get(0), b.axes.get(1));
    frames = b.frames;
    quantities = List.copyOf(b.quantities);
    scales = List.copyOf(b.scales);
    sensors = b.sensors;
    symmetries = List.copyOf(b.symmetries);
    simulator = b.simulator;
    equation = b.equation;
    ProblemCheck.fitsTogether(this);
    List<Constraint> made = new ArrayList<>();
    b.constraints.forEach(constraint -> made.add(constraint.apply(this)));
    constraints = List.copyOf(made);
    ProblemCheck.constraintsFit(this);
  }

  /** Returns the builder of a problem; two axes and a channel are required. */
  public static Builder named(String name) {
    return new Builder(name);
  }

  // ---- properties

  /** Returns the name. */
  public String name() {
    return name;
  }

  /** Returns the grid of the field. */
  public Grid grid() {
    return grid;
  }

  /** Returns the axis of the frames, when a field is a sequence of them. */
  public Optional<Axis> frames() {
    return Optional.ofNullable(frames);
  }

  /** Returns the number of frames, 1 for a field without. */
  public int frameCount() {
    return frames == null ? 1 : frames.points();
  }

  /** Returns the physical quantities, in their order. */
  public List<Quantity> quantities() {
    return quantities;
  }

  /** Returns the constraints that all fields satisfy, in the units of the data. */
  public List<Constraint> constraints() {
    return constraints;
  }

  /** Returns the distribution of the sensors that a model is trained with. */
  public Sensors sensors() {
    return sensors;
  }

  /** Returns the transformations under which the distribution of the fields is invariant. */
  public List<Symmetry> symmetries() {
    return symmetries;
  }

  /** Returns the simulator of this problem, if there is one; files do not contain it. */
  public Optional<FieldGenerator> simulator() {
    return Optional.ofNullable(simulator);
  }

  /** Returns the equation that all fields satisfy, if it is known. */
  public Optional<Equation> equation() {
    return Optional.ofNullable(equation);
  }

  // ---- channels

  /**
   * Returns the names of the channels of a field; with frames {@code u1}, {@code u2} … for a
   * quantity u.
   */
  public List<String> channels() {
    return ChannelNames.of(this);
  }

  /** Returns the number of channels of a field. */
  public int channelCount() {
    return quantities.size() * frameCount();
  }

  /** Returns the channel of a quantity at a frame, both counted from 0. */
  public int channel(int quantity, int frame) {
    return quantity * frameCount() + frame;
  }

  /**
   * Returns the number of a quantity, counted from 0.
   *
   * @throws IllegalArgumentException naming the existing quantities
   */
  public int quantity(String wanted) {
    for (int i = 0; i < quantities.size(); i++) {
      if (quantities.get(i).name().equals(wanted)) {
        return i;
      }
    }
    throw new IllegalArgumentException(
        "%s has no quantity '%s'; it has %s"
            .formatted(
                name,
                wanted,
                quantities.stream().map(Quantity::name).collect(Collectors.joining(", "))));
  }

  /**
   * Returns the channels of some quantities or single channels, as in {@code u,v} or {@code u1,v1}.
   */
  public int[] select(String names) {
    return ChannelNames.select(this, names);
  }

  /** Returns the shortest text for which {@link #select} returns these channels, in this order. */
  public String names(int... channels) {
    return ChannelNames.text(this, channels);
  }

  /** Returns the channels that share mean and scale; every channel is in one group. */
  public List<ChannelGroup> groups() {
    List<ChannelGroup> groups = new ArrayList<>();
    List<String> grouped = new ArrayList<>();
    for (Scale scale : scales) {
      grouped.addAll(scale.quantities());
      String all = String.join(",", scale.quantities());
      groups.add(new ChannelGroup(ChannelNames.numbers(this, all), scale.centred()));
    }
    for (Quantity quantity : quantities) {
      if (!grouped.contains(quantity.name())) {
        groups.add(new ChannelGroup(ChannelNames.numbers(this, quantity.name()), true));
      }
    }
    return groups;
  }

  // ---- fields and masks

  /** Returns the shape of a batch of fields. */
  public Shape batch(int size) {
    return Shape.of(size, channelCount(), grid.height(), grid.width());
  }

  /** Checks the shape of fields. */
  public void check(String op, Tensor fields) {
    Check.rank(op, "fields", fields, 4);
    Check.sameShape(op, "fields", fields, batch(fields.dim(0)));
  }

  /** Returns the mask, of {@link #planes} distinct ones, through which a channel is read. */
  public int plane(int channel) {
    return channel % planes();
  }

  /**
   * Returns the number of distinct masks of sensors; channel c is read through mask c mod this
   * number.
   */
  public int planes() {
    return sensors.planes(quantities.size(), frameCount());
  }

  /**
   * Expands masks of planes to a mask for every channel: [batch, planes, height, width] to [batch,
   * channels, …].
   */
  public Tensor expand(Tensor planes) {
    Check.rank("mask", "planes", planes, 4);
    Check.sameShape(
        "mask", "planes", planes, Shape.of(planes.dim(0), planes(), grid.height(), grid.width()));
    if (planes() == channelCount()) {
      return planes;
    }
    int[] ofChannel = new int[channelCount()];
    Arrays.setAll(ofChannel, this::plane);
    return planes.gather(1, ofChannel);
  }

  /** Returns a sampler of masks from the distribution of the sensors. */
  public MaskSampler masks() {
    return MaskSampler.of(this);
  }

  // ---- copies with changes

  /**
   * Returns a copy on a grid with other numbers of points. If it has fewer places than sensors, all
   * places get a sensor; if it is not square, the transposition symmetry is dropped. Equation and
   * simulator belong to one grid and are dropped.
   */
  public Problem resized(int height, int width) {
    Grid other = grid.resized(height, width);
    Builder builder = toBuilder();
    builder.axes.clear();
    builder.axis(other.rows()).axis(other.columns());
    builder.simulator = null;
    builder.equation = null;
    if (height != width) {
      builder.symmetries.removeIf(symmetry -> symmetry.kind() == Symmetry.Kind.TRANSPOSE);
    }
    if (sensors.pattern() != Sensors.Pattern.FIXED) {
      boolean lines = sensors.pattern() == Sensors.Pattern.LINES;
      int places = lines ? other.axis(sensors.axis()).points() : other.cells();
      builder.sensors(
          sensors.count(Math.min(sensors.fewest(), places), Math.min(sensors.most(), places)));
    }
    return builder.build();
  }

  /**
   * Returns the problem of the first quantities alone, without constraints, equation and simulator.
   */
  public Problem first(int count) {
    Builder builder = new Builder(name);
    builder.axis(grid.rows()).axis(grid.columns());
    builder.frames = frames;
    builder.quantities.addAll(quantities.subList(0, count));
    builder.sensors = sensors;
    List<String> kept = builder.quantities.stream().map(Quantity::name).toList();
    symmetries.forEach(symmetry -> builder.symmetries.add(symmetry.of(kept)));
    return builder.build();
  }

  /** Returns a copy with another distribution of the sensors. */
  public Problem with(Sensors law) {
    return toBuilder().sensors(law).build();
  }

  /** Returns a copy with an equation that all its fields satisfy. */
  public Problem with(Equation law) {
    return toBuilder().equation(law).build();
  }

  /** Returns a copy with other constraints. */
  public Problem with(List<? extends Constraint> others) {
    Builder other = toBuilder();
    other.constraints.clear();
    others.forEach(other::constrain);
    return other.build();
  }

  /** Returns a builder that starts from this problem. */
  public Builder toBuilder() {
    Builder copy = new Builder(name);
    copy.axes.addAll(List.of(grid.rows(), grid.columns()));
    copy.frames = frames;
    copy.quantities.addAll(quantities);
    copy.scales.addAll(scales);
    constraints.forEach(copy::constrain);
    copy.sensors = sensors;
    copy.symmetries.addAll(symmetries);
    copy.simulator = simulator;
    copy.equation = equation;
    return copy;
  }

  /**
   * Returns how the fields of another problem differ from these, in words for a message: {@code 64
   * x 64 points and 32 x 32}; empty if a model of one problem can be used for the other. A quantity
   * without a unit is not known to have another one.
   */
  public Optional<String> difference(Problem other) {
    if (!channels().equals(other.channels())) {
      return Optional.of("channels %s and %s".formatted(channels(), other.channels()));
    }
    for (int i = 0; i < quantities.size(); i++) {
      Quantity own = quantities.get(i);
      String unit = other.quantities.get(i).unit();
      if (!own.unit().equals(unit) && !own.unit().isEmpty() && !unit.isEmpty()) {
        return Optional.of("%s in %s and in %s".formatted(own.name(), own.unit(), unit));
      }
    }
    if (grid.height() != other.grid.height() || grid.width() != other.grid.width()) {
      return Optional.of(
          "%d x %d points and %d x %d"
              .formatted(grid.height(), grid.width(), other.grid.height(), other.grid.width()));
    }
    if (!grid.equals(other.grid)) {
      return Optional.of("axes %s and %s".formatted(grid, other.grid));
    }
    return Objects.equals(frames, other.frames)
        ? Optional.empty()
        : Optional.of("frames %s and %s".formatted(frames, other.frames));
  }

  /** Parses a constraint in the grammar of {@link ConstraintText}. */
  public Constraint constraint(String text) {
    return ConstraintText.parse(text, this);
  }

  /** Returns a constraint as text: in the grammar if that can express it, otherwise its name. */
  public String text(Constraint constraint) {
    return constraint.text(this).orElse(constraint.name());
  }

  // ---- files

  /** Returns the members by name, for files. */
  public Map<String, Object> toJson() {
    return ProblemJson.write(this);
  }

  List<Scale> scales() {
    return scales;
  }

  /**
   * Reads what {@link #toJson} returned.
   *
   * @param given the constraints that were written in Java, found by their names; several
   *     constraints with the same name correspond, in their order, to those of the file
   * @throws FileFormatException when something is missing, wrong or does not fit together, or when
   *     the problem has a constraint that neither the grammar nor {@code given} knows
   */
  public static Problem fromJson(Object json, List<? extends Constraint> given)
      throws FileFormatException {
    return ProblemJson.read(json, given);
  }

  /** Writes a file that users can read and edit. */
  public void write(Path file) throws IOException {
    Json.write(file, toJson());
  }

  /** Reads a file that {@link #write}, {@code perflow init} or a user wrote. */
  public static Problem read(Path file, Constraint... given) throws IOException {
    Object json = Json.read(file);
    try {
      return fromJson(json, List.of(given));
    } catch (FileFormatException e) { // it knows the place in the file, but not the file
      throw new FileFormatException(file.toString(), null, e.getMessage(), e);
    }
  }

  /** Returns whether both problems have the same file. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Problem problem && toJson().equals(problem.toJson());
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, grid, quantities);
  }

  @Override
  public String toString() {
    return "%s: %s on %s"
        .formatted(
            name, quantities.stream().map(Quantity::label).collect(Collectors.joining(", ")), grid);
  }

  /** A builder that collects the parts of a {@link Problem}. */
  public static final class Builder {
    private final String name;
    private final List<Axis> axes = new ArrayList<>();
    private Axis frames;
    private final List<Quantity> quantities = new ArrayList<>();
    private final List<Scale> scales = new ArrayList<>();
    private final List<Function<Problem, Constraint>> constraints = new ArrayList<>();
    private Sensors sensors = Sensors.points(1);
    private final List<Symmetry> symmetries = new ArrayList<>();
    private FieldGenerator simulator;
    private Equation equation;

    private Builder(String name) {
      Check.that(
          name.matches("[\\p{L}\\p{N}][\\p{L}\\p{N}_.-]*"),
          "problem",
          "'%s' is not a valid name: use letters, digits, _ . and -",
          Names.brief(name));
      this.name = name;
    }

    /**
     * Adds an axis with walls at both ends and points on nodes; the first runs along the height.
     */
    public Builder axis(String axisName, double from, double to, int points) {
      return axis(Axis.of(axisName, from, to, points));
    }

    /** Adds an axis; the first runs along the height of fields. */
    public Builder axis(Axis axis) {
      axes.add(axis);
      return this;
    }

    /** Makes a field a sequence of frames, usually along an axis of time. */
    public Builder frames(Axis axis) {
      frames = axis;
      return this;
    }

    /** Adds a quantity with its unit. */
    public Builder channel(String quantity, String unit) {
      quantities.add(new Quantity(quantity, unit));
      return this;
    }

    /** Adds a quantity without a unit. */
    public Builder channel(String quantity) {
      return channel(quantity, "");
    }

    /**
     * Declares quantities to be the components of one vector: they share one scale and keep their
     * zero, as constraints between components require.
     */
    public Builder vector(String... components) {
      scales.add(new Scale(List.of(components), false));
      return this;
    }

    /** Declares that quantities share one mean and one scale. */
    public Builder sameScale(String... names) {
      scales.add(new Scale(List.of(names), true));
      return this;
    }

    /** Adds a constraint, in the units of the data. */
    public Builder constrain(Constraint constraint) {
      constraints.add(_ -> constraint);
      return this;
    }

    /** Adds a constraint by its text, such as {@code mass:T=300}; see {@link ConstraintText}. */
    public Builder constrain(String text) {
      constraints.add(problem -> problem.constraint(text));
      return this;
    }

    /**
     * Sets the distribution of the sensors that models are trained with (default: one random
     * point).
     */
    public Builder sensors(Sensors law) {
      sensors = law;
      return this;
    }

    /** Adds symmetries by their texts, such as {@code mirror:x}; see {@link Symmetry}. */
    public Builder symmetries(String... texts) {
      Arrays.stream(texts).map(Symmetry::of).forEach(symmetries::add);
      return this;
    }

    /** Sets the simulator of this problem. */
    public Builder simulator(FieldGenerator generator) {
      simulator = generator;
      return this;
    }

    /**
     * Declares that all fields satisfy an equation. Files hold it if it has {@linkplain
     * Equation#parameters parameters}; pass an equation written in Java again after loading.
     *
     * @param law null for none
     */
    public Builder equation(Equation law) {
      equation = law;
      return this;
    }

    /**
     * Builds the problem.
     *
     * @throws IllegalArgumentException naming what is missing or inconsistent
     */
    public Problem build() {
      Check.that(
          axes.size() == 2,
          "problem " + name,
          "%d axes: a grid has two, such as .axis(\"y\", 0, 1, 64).axis(\"x\", 0, 1, 64)",
          axes.size());
      Check.that(
          !quantities.isEmpty(),
          "problem " + name,
          "no quantity: add at least one, such as .channel(\"T\", \"K\")");
      return new Problem(this);
    }
  }
}
