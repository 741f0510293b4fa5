package io.perflow.interop;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A dimension of arrays of fields with everything that is known about it.
 *
 * @param index its place in the arrays, from 0
 * @param size its extent
 * @param name the name given by a user, the file or its coordinates
 * @param coordinates the places or times along it
 * @param spare the arrays that may hold its coordinates, but have no usual name for coordinates
 */
record Dimension(
    int index,
    int size,
    Optional<String> name,
    Optional<Coordinates> coordinates,
    List<String> spare) {
  // From slow to fast, as arrays are usually laid out; another order is worth a note.
  private static final List<List<String>> ORDER =
      List.of(
          List.of("t", "time", "frame", "step"),
          List.of("z", "level", "depth", "height"),
          List.of("y", "lat", "latitude", "r", "radius"),
          List.of("x", "lon", "longitude", "theta", "phi"));

  boolean is(Meaning meaning) {
    return meaning.isOf(name);
  }

  /**
   * Returns the dimensions of an array.
   *
   * @param names the names that a user gave, one for each dimension, or none
   */
  static List<Dimension> of(ArrayInfo array, List<String> names, List<String> notes) {
    return names.isEmpty() ? unnamed(array, notes) : named(array, names);
  }

  private static List<Dimension> named(ArrayInfo array, List<String> names) {
    if (names.size() != array.rank()) {
      throw new IllegalArgumentException(
          "%s has %d dimensions, %s, but --dims names %d: %s"
              .formatted(
                  array.name(),
                  array.rank(),
                  array.shape(),
                  names.size(),
                  String.join(", ", names)));
    }
    List<Dimension> dimensions = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      DimensionInfo info = array.dimensions().get(i);
      String name = names.get(i);
      Optional<Coordinates> coordinates =
          info.coordinates()
              .or(() -> info.candidates().stream().filter(c -> isNamed(c, name)).findFirst());
      dimensions.add(new Dimension(i, info.size(), Optional.of(name), coordinates, List.of()));
    }
    return dimensions;
  }

  private static boolean isNamed(Coordinates coordinates, String name) {
    return coordinates.array().equals(name)
        || Legal.lastPart(coordinates.array()).equals(name)
        || Candidates.axis(coordinates.array()).equals(name);
  }

  private static List<Dimension> unnamed(ArrayInfo array, List<String> notes) {
    List<Dimension> dimensions = new ArrayList<>();
    for (int i = 0; i < array.rank(); i++) {
      int index = i;
      DimensionInfo info = array.dimensions().get(i);
      Optional<Coordinates> coordinates = info.coordinates().or(() -> candidate(array, index));
      Optional<String> name =
          info.name().or(() -> coordinates.map(c -> Candidates.axis(c.array())));
      List<String> spare =
          coordinates.isPresent()
              ? List.of()
              : info.candidates().stream()
                  .map(Coordinates::array)
                  .filter(candidate -> !isUsual(candidate))
                  .toList();
      dimensions.add(new Dimension(i, info.size(), name, coordinates, spare));
    }
    noteAlike(array, dimensions, notes);
    return dimensions;
  }

  // Several dimensions of one extent share their candidates. The last ones get them, because the
  // first may count samples, in the usual order of axes.
  private static Optional<Coordinates> candidate(ArrayInfo array, int index) {
    int size = array.dimensions().get(index).size();
    int[] alike =
        IntStream.range(0, array.rank())
            .filter(i -> array.dimensions().get(i).size() == size)
            .filter(i -> !array.dimensions().get(i).candidates().isEmpty())
            .toArray();
    if (Arrays.stream(alike).noneMatch(i -> i == index)) {
      return Optional.empty();
    }
    List<Coordinates> usual =
        array.dimensions().get(alike[0]).candidates().stream()
            .filter(c -> isUsual(c.array()))
            .sorted(Comparator.comparingDouble(c -> order(c.array())))
            .toList();
    int before = (int) Arrays.stream(alike).filter(i -> i < index).count();
    int place = before - Math.max(0, alike.length - usual.size());
    return place >= 0 && place < usual.size() ? Optional.of(usual.get(place)) : Optional.empty();
  }

  private static boolean isUsual(String array) {
    return Candidates.isUsual(array) || Meaning.of(Legal.lastPart(array)) == Meaning.TIME;
  }

  private static double order(String array) {
    String axis = Candidates.axis(array).toLowerCase(Locale.ROOT);
    for (int i = 0; i < ORDER.size(); i++) {
      if (ORDER.get(i).contains(axis)) {
        return i;
      }
    }
    return 1.5;
  }

  private static void noteAlike(ArrayInfo array, List<Dimension> dimensions, List<String> notes) {
    for (Dimension first : dimensions) {
      for (Dimension second : dimensions) {
        boolean guessed =
            first.index < second.index
                && first.size == second.size
                && isGuess(array, first)
                && isGuess(array, second);
        if (guessed) {
          String[] names = new String[dimensions.size()];
          Arrays.setAll(names, i -> dimensions.get(i).name.orElse(i == 0 ? "sample" : "NAME"));
          names[first.index] = second.name.orElseThrow();
          names[second.index] = first.name.orElseThrow();
          notes.add(
              ("%s and %s have %d points each, so the order of these dimensions is a guess: %s"
                      + " comes first. If it is the other way round, use --dims %s.")
                  .formatted(
                      first.name.orElseThrow(),
                      second.name.orElseThrow(),
                      first.size,
                      first.name.orElseThrow(),
                      String.join(",", Arrays.asList(names))));
        }
      }
    }
  }

  private static boolean isGuess(ArrayInfo array, Dimension dimension) {
    return dimension.coordinates.isPresent()
        && array.dimensions().get(dimension.index).coordinates().isEmpty();
  }
}
