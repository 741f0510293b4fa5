package io.perflow.physics;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The columns of a table of readings, found by its line of names; {@link #NONE} for a missing
 * column.
 */
final class ReadingsColumns {
  static final int NONE = -1;
  private static final Pattern UNIT = Pattern.compile("(.*?)\\s*(?:\\[(.*)]|\\((.*)\\))");

  /** A name in the first line, separated from its unit. */
  record Heading(String text, String name, String unit) {
    static Heading of(String cell) {
      Matcher form = UNIT.matcher(cell);
      if (!form.matches()) {
        return new Heading(cell, cell, "");
      }
      String unit = form.group(2) == null ? form.group(3) : form.group(2);
      return new Heading(cell, form.group(1), unit.strip());
    }

    boolean is(String other) {
      return name.equalsIgnoreCase(other);
    }
  }

  private final Problem problem;
  private final List<Heading> headings;
  private final List<Integer> used = new ArrayList<>();
  private final List<Integer> axes;
  private final List<Integer> quantities;
  private final List<Integer> sigmas;
  private final int sigma;
  private final int quantity;
  private final int value;

  /**
   * Finds the columns in a line of names.
   *
   * @throws IllegalArgumentException naming what is missing, found and expected
   */
  ReadingsColumns(List<String> cells, Problem problem) {
    this.problem = problem;
    headings = cells.stream().map(Heading::of).toList();
    axes = Readings.axes(problem).stream().map(axis -> column(axis.name())).toList();
    quantities = problem.quantities().stream().map(q -> column(q.name())).toList();
    boolean longForm = quantities.stream().allMatch(column -> column == NONE);
    quantity = longForm ? column(h -> h.is("quantity") || h.is("channel")) : NONE;
    value = longForm ? column(h -> h.is("value")) : NONE;
    sigmas =
        problem.quantities().stream()
            .map(Quantity::name)
            .map(q -> longForm ? NONE : column(h -> h.is("sigma_" + q) || h.is(q + "_sigma")))
            .toList();
    sigma = column(h -> h.is("sigma"));
    if (longForm && (quantity == NONE || value == NONE)) {
      throw missing(problem.quantities().size() > 1 ? "any quantity" : "the quantity");
    }
    for (int i = 0; i < axes.size(); i++) {
      boolean onlyFrame = axes.size() == 3 && i == 0 && problem.frameCount() == 1;
      if (axes.get(i) == NONE && !onlyFrame) {
        throw missing("the axis " + Readings.axes(problem).get(i).name());
      }
    }
  }

  /** The names of a problem's columns in its order, as a table without names must have them. */
  static List<String> names(Problem problem) {
    return Stream.concat(
            Readings.axes(problem).stream().map(Axis::name),
            problem.quantities().stream().map(Quantity::name))
        .toList();
  }

  /** Whether any cell is the name of an axis or a quantity. */
  static boolean anyKnown(List<String> cells, Problem problem) {
    return cells.stream()
        .map(Heading::of)
        .anyMatch(heading -> names(problem).stream().anyMatch(heading::is));
  }

  /** The number of columns. */
  int count() {
    return headings.size();
  }

  /** Columns of the {@linkplain Readings#axes axes of a place}. */
  List<Integer> axes() {
    return axes;
  }

  /** Columns of the problem's quantities, in the wide form. */
  List<Integer> quantities() {
    return quantities;
  }

  /** Columns of the noise of each quantity, in the wide form. */
  List<Integer> sigmas() {
    return sigmas;
  }

  /** Column of the noise of all quantities. */
  int sigma() {
    return sigma;
  }

  /** Column of the names of quantities, which only the long form has. */
  int quantity() {
    return quantity;
  }

  /** Column of the values in the long form. */
  int value() {
    return value;
  }

  /** Columns that are skipped, and units of what has none in the problem. */
  List<String> notes() {
    List<String> notes = new ArrayList<>();
    units(
        (heading, unit) -> {
          if (unit.isEmpty()) {
            notes.add(
                "column %s is taken without a unit, as the problem has it"
                    .formatted(TextTable.quote(heading.text)));
          }
        });
    String skipped =
        IntStream.range(0, count())
            .filter(i -> !used.contains(i) && !headings.get(i).text.isEmpty())
            .mapToObj(i -> TextTable.quote(headings.get(i).text))
            .collect(Collectors.joining(", "));
    if (!skipped.isEmpty()) {
      notes.add("columns skipped: " + skipped);
    }
    return notes;
  }

  /**
   * Units that are not those of the problem. Units have many spellings, so that another one is no
   * error, but it may be a mistake.
   */
  List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    units(
        (heading, unit) -> {
          if (!unit.isEmpty()) {
            warnings.add(
                ("column %s is taken in %s, as the problem has it: convert the numbers if they are"
                        + " in another unit")
                    .formatted(TextTable.quote(heading.text), unit));
          }
        });
    return warnings;
  }

  // the headings with units that differ from those of the problem
  private void units(BiConsumer<Heading, String> differing) {
    for (int i = 0; i < axes.size(); i++) {
      unit(axes.get(i), Readings.axes(problem).get(i).unit(), differing);
    }
    for (int i = 0; i < quantities.size(); i++) {
      unit(quantities.get(i), problem.quantities().get(i).unit(), differing);
    }
  }

  private void unit(int column, String unit, BiConsumer<Heading, String> differing) {
    Heading heading = column == NONE ? Heading.of("") : headings.get(column);
    if (!heading.unit.isEmpty() && !heading.unit.equals(unit)) {
      differing.accept(heading, unit);
    }
  }

  // A column of exactly this name; else one that differs in the case of letters, unless that is
  // another name of the problem.
  private int column(String name) {
    List<String> known = names(problem);
    int exact = column(heading -> heading.name.equals(name));
    if (exact != NONE) {
      return exact;
    }
    int column = column(heading -> heading.is(name) && !known.contains(heading.name));
    List<String> meant = known.stream().filter(name::equalsIgnoreCase).toList();
    if (column != NONE && meant.size() > 1) {
      throw new IllegalArgumentException(
          "column %s may mean %s; write the name with the same capitals"
              .formatted(TextTable.quote(headings.get(column).text), String.join(" or ", meant)));
    }
    return column;
  }

  private int column(Predicate<Heading> wanted) {
    int[] found =
        IntStream.range(0, headings.size())
            .filter(i -> !used.contains(i) && wanted.test(headings.get(i)))
            .toArray();
    if (found.length == 0) {
      return NONE;
    }
    if (found.length > 1) {
      throw new IllegalArgumentException(
          "columns %d and %d, %s and %s, hold the same; keep one"
              .formatted(
                  found[0] + 1,
                  found[1] + 1,
                  TextTable.quote(headings.get(found[0]).text),
                  TextTable.quote(headings.get(found[1]).text)));
    }
    used.add(found[0]);
    return found[0];
  }

  private IllegalArgumentException missing(String what) {
    String places =
        Readings.axes(problem).stream().map(Axis::name).collect(Collectors.joining(","));
    return new IllegalArgumentException(
        "no column for %s; found %s; expected %s or %s,quantity,value"
            .formatted(
                what,
                headings.stream()
                    .map(heading -> TextTable.quote(heading.text))
                    .collect(Collectors.joining(", ")),
                String.join(",", names(problem)),
                places));
  }
}
