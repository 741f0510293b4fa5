package io.perflow.interop;

import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The statements of a user about files of fields, where {@link FieldFinder} should not guess. It is
 * immutable; each method returns a copy with one change.
 *
 * <pre>{@code
 * FinderOptions.standard().dims("sample", "y", "x").extent("x", 0, 2).periodic("x").unit("T", "K")
 * }</pre>
 */
public final class FinderOptions {
  /** The ends of an axis. */
  record Extent(double from, double to) {}

  private String name = "";
  private Map<String, String> channels = Map.of();
  private List<String> dims = List.of();
  private Map<String, Extent> extents = Map.of();
  private Map<String, String> units = Map.of();
  private Set<String> periodic = Set.of();
  private Set<String> cells = Set.of();
  private String time = "";
  private boolean dropMissing;
  private int samples = Integer.MAX_VALUE;
  private int stride = 1;
  private DataType type = DataType.F32;

  private FinderOptions() {}

  /** Returns the default options: all fields, all points, in F32. */
  public static FinderOptions standard() {
    return new FinderOptions();
  }

  /** Sets the name of the problem; by default that of the file or directory. */
  public FinderOptions name(String problem) {
    return with(o -> o.name = problem);
  }

  /**
   * Sets the quantities in their order, and the array that holds each: {@code T → run/temperature}.
   * A single channel of an array is {@code fields:0}, counted from 0.
   */
  public FinderOptions channels(Map<String, String> arrays) {
    return with(o -> o.channels = new LinkedHashMap<>(arrays));
  }

  /**
   * Sets the names of the arrays' dimensions in their order, as {@code sample, time, y, x}. A
   * dimension whose name is that of an array of coordinates gets these coordinates.
   */
  public FinderOptions dims(String... names) {
    return with(o -> o.dims = List.of(names));
  }

  /** Sets the ends of an axis, in place of its coordinates; its points are equally spaced. */
  public FinderOptions extent(String axis, double from, double to) {
    Check.that(
        Double.isFinite(to - from) && from < to,
        "extent",
        "axis %s from %s to %s: both ends must be finite, the smaller one first",
        axis,
        from,
        to);
    return with(
        o -> {
          o.extents = new LinkedHashMap<>(extents);
          o.extents.put(axis, new Extent(from, to));
        });
  }

  /** Sets the unit of an axis or a quantity, in place of the file's. */
  public FinderOptions unit(String axisOrQuantity, String unit) {
    return with(
        o -> {
          o.units = new LinkedHashMap<>(units);
          o.units.put(axisOrQuantity, unit);
        });
  }

  /** Sets the periodic axes. */
  public FinderOptions periodic(Collection<String> axes) {
    return with(o -> o.periodic = new LinkedHashSet<>(axes));
  }

  /** Sets the axes whose points are the centres of cells. */
  public FinderOptions cells(Collection<String> axes) {
    return with(o -> o.cells = new LinkedHashSet<>(axes));
  }

  /** Sets the axis that is time, if its name does not show it. */
  public FinderOptions time(String axis) {
    return with(o -> o.time = axis);
  }

  /** Sets whether samples with missing numbers are left out; by default they are refused. */
  public FinderOptions dropMissing(boolean drop) {
    return with(o -> o.dropMissing = drop);
  }

  /** Sets the largest number of samples; the first ones are taken. */
  public FinderOptions samples(int most) {
    Check.that(most > 0, "samples", "%d samples: ask for at least 1", most);
    return with(o -> o.samples = most);
  }

  /** Keeps every n-th row and column. */
  public FinderOptions stride(int step) {
    Check.that(step > 0, "stride", "a stride of %d: it must be at least 1", step);
    return with(o -> o.stride = step);
  }

  /** Sets the precision of the fields. */
  public FinderOptions type(DataType precision) {
    return with(o -> o.type = precision);
  }

  private FinderOptions with(Consumer<FinderOptions> change) {
    FinderOptions copy = new FinderOptions();
    copy.name = name;
    copy.channels = channels;
    copy.dims = dims;
    copy.extents = extents;
    copy.units = units;
    copy.periodic = periodic;
    copy.cells = cells;
    copy.time = time;
    copy.dropMissing = dropMissing;
    copy.samples = samples;
    copy.stride = stride;
    copy.type = type;
    change.accept(copy);
    return copy;
  }

  String name() {
    return name;
  }

  Map<String, String> channels() {
    return channels;
  }

  List<String> dims() {
    return dims;
  }

  Map<String, Extent> extents() {
    return extents;
  }

  Map<String, String> units() {
    return units;
  }

  Set<String> periodic() {
    return periodic;
  }

  Set<String> cells() {
    return cells;
  }

  String time() {
    return time;
  }

  boolean dropMissing() {
    return dropMissing;
  }

  int samples() {
    return samples;
  }

  int stride() {
    return stride;
  }

  DataType type() {
    return type;
  }
}
