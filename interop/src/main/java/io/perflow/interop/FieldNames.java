package io.perflow.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The names of axes and quantities, which are legal and all differ.
 *
 * @param rows the first axis of the grid
 * @param columns the second axis
 * @param frames the axis of the frames; empty when there are none
 * @param quantities the quantities in the order of the channels
 */
record FieldNames(String rows, String columns, String frames, List<Named> quantities) {
  /** A quantity and its source. */
  record Named(String name, FieldArrays.Source source) {}

  static FieldNames of(
      FieldLayout layout, List<FieldArrays.Source> sources, FinderOptions options) {
    List<String> taken = new ArrayList<>();
    List<Named> quantities = quantities(layout, sources, taken);
    String rows = axis(layout.rows(), options, taken, "y", "row");
    String columns = axis(layout.columns(), options, taken, "x", "column");
    String frames = layout.frames().map(d -> axis(d, options, taken, "t", "frame")).orElse("");
    return new FieldNames(rows, columns, frames, quantities);
  }

  /** Returns all axes: those of the grid, then the frames. */
  List<String> axes() {
    return Stream.of(rows, columns, frames).filter(name -> !name.isEmpty()).toList();
  }

  private static List<Named> quantities(
      FieldLayout layout, List<FieldArrays.Source> sources, List<String> taken) {
    Map<String, Long> lasts =
        sources.stream()
            .collect(
                Collectors.groupingBy(
                    s -> Legal.lastPart(s.array().name()), Collectors.counting()));
    int channels = layout.channels().map(Dimension::size).orElse(1);
    List<Named> quantities = new ArrayList<>();
    for (FieldArrays.Source source : sources) {
      String last = Legal.lastPart(source.array().name());
      // For run1/T and run2/T, the whole paths differ.
      String own = lasts.get(last) > 1 ? source.array().name() : last;
      String name = source.quantity().isEmpty() ? Legal.name(own) : source.quantity();
      boolean all = source.channel() == FieldArrays.ALL && channels > 1;
      for (int i = 0; i < (all ? channels : 1); i++) {
        String each = all ? name + "_" + i : name;
        String free = source.quantity().isEmpty() ? Legal.free(each, taken) : each;
        taken.add(free);
        quantities.add(new Named(free, source));
      }
    }
    return quantities;
  }

  private static String axis(
      Dimension dimension, FinderOptions options, List<String> taken, String... usual) {
    String name =
        dimension
            .name()
            .map(given -> options.dims().isEmpty() ? Legal.name(given) : given)
            .orElseGet(() -> taken.contains(usual[0]) ? usual[1] : usual[0]);
    String free = options.dims().isEmpty() ? Legal.free(name, taken) : name;
    taken.add(free);
    return free;
  }
}
