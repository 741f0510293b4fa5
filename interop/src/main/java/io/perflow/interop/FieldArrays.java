package io.perflow.interop;

import io.perflow.tensor.io.FileFormatException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A selection of the arrays of files that are fields: the named ones, or otherwise those that look
 * like fields.
 */
final class FieldArrays {
  /** The part of a channel's text that stands for all channels of an array. */
  static final int ALL = -1;

  private static final int LEAST_RANK = 3; // samples, rows, columns

  /**
   * An array that holds fields.
   *
   * @param quantity the user's name for it; empty if none was given
   * @param array the array that holds it
   * @param channel the chosen channel, or {@link #ALL}
   */
  record Source(String quantity, ArrayInfo array, int channel) {}

  private final ArrayFiles files;

  private FieldArrays(ArrayFiles files) {
    this.files = files;
  }

  /** Returns the arrays, which must all have the same shape. */
  static List<Source> of(ArrayFiles files, FinderOptions options, List<String> notes)
      throws FileFormatException {
    FieldArrays arrays = new FieldArrays(files);
    return options.channels().isEmpty() ? arrays.largest(notes) : arrays.named(options.channels());
  }

  // ---- named arrays

  private List<Source> named(Map<String, String> channels) throws FileFormatException {
    List<Source> sources = new ArrayList<>();
    for (Map.Entry<String, String> channel : channels.entrySet()) {
      Source source = named(channel.getKey(), channel.getValue());
      ArrayInfo first = sources.isEmpty() ? source.array() : sources.getFirst().array();
      if (!key(source.array()).equals(key(first))) {
        throw new FileFormatException(
            files.label(),
            source.array().name(),
            "has dimensions %s, but %s has %s; all quantities of a problem have the same"
                .formatted(key(source.array()), first.name(), key(first)));
      }
      sources.add(source);
    }
    return sources;
  }

  private Source named(String quantity, String name) throws FileFormatException {
    Optional<ArrayInfo> whole = files.array(name);
    int colon = name.lastIndexOf(':');
    boolean numbered = whole.isEmpty() && name.substring(colon + 1).matches("\\d{1,6}");
    Optional<ArrayInfo> array =
        numbered && colon > 0 ? files.array(name.substring(0, colon)) : whole;
    return new Source(
        quantity,
        array.orElseThrow(
            () ->
                new FileFormatException(
                    files.label(),
                    null,
                    "has no array '%s' for --channel %s; it has %s"
                        .formatted(name, quantity, list(files.arrays())))),
        array.equals(whole) ? ALL : Integer.parseInt(name.substring(colon + 1)));
  }

  // ---- arrays that look like fields

  private List<Source> largest(List<String> notes) throws FileFormatException {
    Map<String, List<ArrayInfo>> groups = new LinkedHashMap<>();
    for (ArrayInfo array : files.arrays()) {
      if (array.rank() >= LEAST_RANK && array.size() > 0) {
        groups.computeIfAbsent(key(array), _ -> new ArrayList<>()).add(array);
      }
    }
    List<ArrayInfo> chosen =
        groups.values().stream()
            .max(Comparator.comparing(group -> group.size() * group.getFirst().size()))
            .orElseThrow(this::none);
    List<ArrayInfo> others =
        files.arrays().stream()
            .filter(array -> array.rank() >= LEAST_RANK && !chosen.contains(array))
            .toList();
    if (!others.isEmpty()) {
      notes.add(
          "The fields are %s, the arrays of one shape that hold the most numbers. Not used: %s;"
                  .formatted(list(chosen), list(others))
              + " --channel NAME=ARRAY chooses other arrays.");
    }
    return chosen.stream().map(array -> new Source("", array, ALL)).toList();
  }

  private FileFormatException none() {
    return new FileFormatException(
        files.label(),
        null,
        "has no array of fields, which have at least three dimensions: samples, rows, columns;"
            + " it has "
            + list(files.arrays()));
  }

  private static String list(List<ArrayInfo> arrays) {
    return arrays.isEmpty()
        ? "no array of numbers at all"
        : arrays.stream()
            .map(array -> array.name() + " " + array.shape())
            .collect(Collectors.joining(", "));
  }

  // Arrays go together when their dimensions have the same names and extents.
  private static String key(ArrayInfo array) {
    return array.dimensions().stream()
        .map(d -> d.name().map(name -> name + " ").orElse("") + d.size())
        .collect(Collectors.joining(", ", "[", "]"));
  }
}
