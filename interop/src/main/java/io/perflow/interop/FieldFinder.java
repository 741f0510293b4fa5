package io.perflow.interop;

import io.perflow.physics.Axis;
import io.perflow.physics.Grid;
import io.perflow.physics.Moments;
import io.perflow.physics.Problem;
import io.perflow.physics.Quantity;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * A search for the fields in files of other tools, which describes them: names, units and ends of
 * axes, names and units of quantities.
 *
 * <pre>{@code
 * try (ArrayFiles files = ArrayFiles.open(List.of(Path.of("temperature.npz")))) {
 *   Found found = FieldFinder.find(files, FinderOptions.standard().unit("T", "K"));
 *   System.out.println(found.problem());   // temperature: T [K] on y from 0.0 to 1.0, 64 points; …
 *   found.notes().forEach(System.out::println);
 * }
 * }</pre>
 *
 * <p>Among the shapes of rank 3 or more, the one with the most numbers is chosen, and all arrays of
 * this shape are fields. Dimensions are recognized by their names or by the names of their
 * coordinates: {@code sample}, {@code batch}, {@code run}, {@code realization} and {@code member}
 * count fields, {@code time} and {@code t} times, {@code channel} and {@code component} quantities;
 * the others are space. Without names, the first dimension counts fields, and the last two are the
 * grid. A dimension between is channels if it has at most 4 entries; otherwise the shorter of the
 * second and the last dimension is frames. Options override these rules, and notes state what was
 * assumed.
 */
public final class FieldFinder {
  private final ArrayFiles files;
  private final FinderOptions options;
  private final List<String> notes = new ArrayList<>();

  private FieldFinder(ArrayFiles files, FinderOptions options) {
    this.files = files;
    this.options = options;
  }

  /**
   * Finds and loads fields.
   *
   * @throws FileFormatException when there are none, or when they have missing or infinite numbers
   *     or unequally spaced coordinates
   * @throws IllegalArgumentException when options name something that does not exist
   */
  public static Found find(ArrayFiles files, FinderOptions options) throws IOException {
    return new FieldFinder(files, options).find();
  }

  private Found find() throws IOException {
    for (SkippedArray array : files.skipped()) {
      notes.add("%s is left out: %s.".formatted(array.name(), array.reason()));
    }
    List<FieldArrays.Source> sources = FieldArrays.of(files, options, notes);
    ArrayInfo first = sources.getFirst().array();
    FieldLayout layout = FieldLayout.of(files.label(), first, options, notes);
    FieldNames names = FieldNames.of(layout, sources, options);
    checkNames(names);
    Tensor fields = turned(load(sources, layout), layout, names);
    fields = new FieldNumbers(files.label(), names.quantities(), notes).sound(fields, options);
    AxisFinder axes = new AxisFinder(files.label(), options, notes);
    Axis rows = axes.axis(layout.rows(), names.rows(), kept(fields, 2, names.rows()), false);
    Axis columns =
        axes.axis(layout.columns(), names.columns(), kept(fields, 3, names.columns()), false);
    fields = fields.slice(2, 0, rows.points()).slice(3, 0, columns.points());
    axes.noteCentres();
    noteOpen(layout, names);
    notePeriods(fields, rows, columns);
    Grid grid = new Grid(axes.strided(rows), axes.strided(columns));
    if (options.stride() > 1 && grid.height() == 1 && grid.width() == 1) {
      throw new IllegalArgumentException(
          "--stride %d leaves one of %d x %d points; take a smaller one"
              .formatted(options.stride(), rows.points(), columns.points()));
    }
    fields =
        fields
            .slice(2, 0, grid.height(), options.stride())
            .slice(3, 0, grid.width(), options.stride())
            .contiguous();
    Problem.Builder problem = Problem.named(name()).axis(grid.rows()).axis(grid.columns());
    if (layout.frames().isPresent()) {
      Dimension frames = layout.frames().get();
      problem.frames(axes.axis(frames, names.frames(), frames.size(), true));
    }
    names.quantities().forEach(q -> problem.channel(q.name(), unit(q)));
    Problem built = problem.build();
    noteConstant(built, fields);
    List<String> arrays = sources.stream().map(s -> s.array().name()).distinct().toList();
    return new Found(built, fields, arrays, notes);
  }

  // ---- names

  private String name() {
    if (!options.name().isEmpty()) {
      return options.name();
    }
    Path first = files.files().getFirst();
    Path source = files.files().size() == 1 ? first : first.toAbsolutePath().getParent();
    Path last = source == null ? null : source.getFileName();
    String text = last == null ? "fields" : last.toString();
    return Legal.name(files.files().size() == 1 ? text.replaceFirst("(?<=.)\\.[^.]*$", "") : text);
  }

  private String unit(FieldNames.Named quantity) {
    return options
        .units()
        .getOrDefault(
            quantity.name(), quantity.source().array().unit().map(Legal::unit).orElse(""));
  }

  private void checkNames(FieldNames names) {
    List<String> grid = List.of(names.rows(), names.columns());
    List<String> axes = names.axes();
    List<String> all = new ArrayList<>(axes);
    names.quantities().forEach(quantity -> all.add(quantity.name()));
    check("--periodic", options.periodic(), "axis of the grid", grid);
    check("--cells", options.cells(), "axis", axes);
    check("--extent", options.extents().keySet(), "axis", axes);
    check("--unit", options.units().keySet(), "axis or quantity", all);
    check("--time", options.time().isEmpty() ? List.of() : List.of(options.time()), "axis", axes);
  }

  private static void check(
      String option, Collection<String> wanted, String what, List<String> known) {
    for (String name : wanted) {
      if (!known.contains(name)) {
        throw new IllegalArgumentException(
            "%s: there is no %s '%s'; there are %s".formatted(option, what, name, list(known)));
      }
    }
  }

  private static String list(List<String> names) {
    return names.size() == 1
        ? names.getFirst()
        : String.join(", ", names.subList(0, names.size() - 1)) + " and " + names.getLast();
  }

  // ---- numbers

  /** Returns [samples, channels, height, width], in the order of the file. */
  private Tensor load(List<FieldArrays.Source> sources, FieldLayout layout) throws IOException {
    int samples = Math.min(options.samples(), layout.samples().size());
    List<Tensor> parts = new ArrayList<>();
    for (FieldArrays.Source source : sources) {
      boolean first = layout.samples().index() == 0;
      String name = source.array().name();
      Tensor whole = first ? files.load(name, 0, samples) : files.load(name);
      Tensor arranged = layout.arrange(whole.to(options.type())).slice(0, 0, samples); // 5 axes
      Tensor chosen = channels(source, layout, arranged);
      parts.add(
          chosen.reshape(samples, chosen.dim(1) * chosen.dim(2), chosen.dim(3), chosen.dim(4)));
    }
    return Tensor.concat(1, parts.toArray(Tensor[]::new));
  }

  private Tensor channels(FieldArrays.Source source, FieldLayout layout, Tensor arranged)
      throws FileFormatException {
    if (source.channel() == FieldArrays.ALL) {
      return arranged;
    }
    if (layout.channels().isEmpty() || source.channel() >= arranged.dim(1)) {
      throw new FileFormatException(
          files.label(),
          source.array().name(),
          "has no channel %d; %s"
              .formatted(
                  source.channel(),
                  layout.channels().isEmpty()
                      ? "none of its dimensions counts channels"
                      : "it has %d, counted from 0".formatted(arranged.dim(1))));
    }
    return arranged.slice(1, source.channel(), source.channel() + 1);
  }

  // Axes rise; fields along falling axes are reversed, with frames reversed among the channels of
  // each quantity.
  private Tensor turned(Tensor fields, FieldLayout layout, FieldNames names) {
    Tensor turned = fields;
    List<String> falling = new ArrayList<>();
    if (AxisFinder.falls(layout.rows())) {
      turned = turned.flip(2);
      falling.add(names.rows());
    }
    if (AxisFinder.falls(layout.columns())) {
      turned = turned.flip(3);
      falling.add(names.columns());
    }
    if (layout.frames().filter(AxisFinder::falls).isPresent()) {
      int frames = layout.frames().get().size();
      int[] order = new int[fields.dim(1)];
      Arrays.setAll(order, c -> c / frames * frames + frames - 1 - c % frames);
      turned = turned.gather(1, order);
      falling.add(names.frames());
    }
    if (!falling.isEmpty()) {
      notes.add(
          "The coordinates of %s fall in the file. The fields were turned over, so that they rise."
              .formatted(list(falling)));
    }
    return turned;
  }

  // Files often give the first point of a period again at its end.
  private int kept(Tensor fields, int axis, String name) {
    int points = fields.dim(axis);
    if (!options.periodic().contains(name)
        || Periodicity.of(fields, axis) != Periodicity.REPEATED) {
      return points;
    }
    notes.add(
        ("The last points of the periodic axis %s repeat the first in all fields and were"
                + " dropped, which leaves %d.")
            .formatted(name, points - 1));
    return points - 1;
  }

  // ---- notes

  private void noteOpen(FieldLayout layout, FieldNames names) {
    List<String> open = new ArrayList<>();
    addOpen(layout.rows(), names.rows(), open);
    addOpen(layout.columns(), names.columns(), open);
    layout.frames().ifPresent(frames -> addOpen(frames, names.frames(), open));
    if (!open.isEmpty()) {
      notes.add(
          "No coordinates of %s were found, so %s from 0 to 1; --extent %s=FROM..TO says otherwise."
              .formatted(list(open), open.size() == 1 ? "it runs" : "they run", open.getFirst()));
    }
  }

  private void addOpen(Dimension dimension, String name, List<String> open) {
    if (dimension.coordinates().isEmpty() && !options.extents().containsKey(name)) {
      open.add(name);
      if (!dimension.spare().isEmpty()) {
        notes.add(
            "Array %s may hold the coordinates of %s. If so, put its name in place of %s in --dims."
                .formatted(dimension.spare().getFirst(), name, name));
      }
    }
  }

  private void notePeriods(Tensor fields, Axis rows, Axis columns) {
    List<String> walls = new ArrayList<>();
    for (Axis axis : List.of(rows, columns)) {
      Periodicity looks = Periodicity.of(fields, axis == rows ? 2 : 3);
      if (axis.periodic() && looks == Periodicity.UNLIKELY) {
        notes.add(
            ("%s is periodic as you said, but the fields jump between its last and its first"
                    + " points by several usual steps.")
                .formatted(axis.name()));
      } else if (!axis.periodic() && !axis.time() && looks == Periodicity.UNLIKELY) {
        walls.add(axis.name());
      }
    }
    if (!walls.isEmpty()) {
      notes.add(
          "%s %s not look periodic, so %s two ends; --periodic %s says otherwise."
              .formatted(
                  list(walls),
                  walls.size() == 1 ? "does" : "do",
                  walls.size() == 1 ? "it has" : "each has",
                  String.join(",", walls)));
    }
  }

  private void noteConstant(Problem problem, Tensor fields) {
    Moments moments = Moments.of(fields);
    for (Quantity quantity : problem.quantities()) {
      int[] channels = problem.select(quantity.name());
      double value = moments.least(channels[0]);
      if (Arrays.stream(channels)
          .allMatch(c -> moments.least(c) == value && moments.greatest(c) == value)) {
        notes.add(
            ("%s is %s in all fields, so there is nothing to learn about it; --channel NAME=ARRAY"
                    + " chooses other quantities.")
                .formatted(quantity.name(), Legal.text(value)));
      }
    }
  }
}
