package io.perflow.interop;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A search for arrays that may hold the coordinates of dimensions that a file does not describe:
 * vectors of the same length that increase or decrease throughout, in the array's group or an
 * enclosing one.
 */
final class Candidates {
  /** The longest vector that is considered. */
  private static final int MAX_LENGTH = 1 << 20;

  /** The names of coordinates, as in x, x_grid, grid_x, t-coordinate, xs. */
  private static final Pattern USUAL =
      Pattern.compile(
          "((grid|coord)[-_ ]?)?"
              + "(x|y|z|t|time|lon|lat|longitude|latitude|r|radius|theta|phi|depth|height|level)s?"
              + "([-_ ]?(coordinate|coord|grid|axis|value|point|span)s?)?",
          Pattern.CASE_INSENSITIVE);

  private final ForeignArrays file;
  private final Map<String, Optional<Coordinates>> vectors = new LinkedHashMap<>();

  private Candidates(ForeignArrays file) {
    this.file = file;
  }

  /** Returns the arrays of a file with the candidates for their dimensions. */
  static List<ArrayInfo> addTo(ForeignArrays file) throws IOException {
    Candidates candidates = new Candidates(file);
    List<ArrayInfo> completed = new ArrayList<>();
    for (ArrayInfo array : file.contents().arrays().values()) {
      completed.add(candidates.complete(array));
    }
    return completed;
  }

  /** Returns whether a name is usual for coordinates. */
  static boolean isUsual(String name) {
    return USUAL.matcher(Legal.lastPart(name)).matches();
  }

  /** Returns the axis of an array of coordinates: {@code x} for {@code grid/x-coordinate}. */
  static String axis(String name) {
    String last = Legal.lastPart(name);
    Matcher usual = USUAL.matcher(last);
    return usual.matches() ? usual.group(3) : last;
  }

  private ArrayInfo complete(ArrayInfo array) throws IOException {
    if (length(array) > 0 && isUsual(array.name())) {
      return array; // coordinates themselves
    }
    List<DimensionInfo> dimensions = new ArrayList<>();
    for (DimensionInfo dimension : array.dimensions()) {
      boolean open = dimension.name().isEmpty() && dimension.coordinates().isEmpty();
      if (open && dimension.size() > 1) {
        List<Coordinates> found = find(array, dimension.size());
        // Where two axes have one length, the first vector must not stand for both.
        long before = dimensions.stream().filter(d -> d.size() == dimension.size()).count();
        Collections.rotate(found, -(int) before);
        dimensions.add(dimension.candidates(found));
      } else {
        dimensions.add(dimension);
      }
    }
    return array.dimensions(dimensions);
  }

  private List<Coordinates> find(ArrayInfo array, int size) throws IOException {
    List<Coordinates> usual = new ArrayList<>();
    List<Coordinates> others = new ArrayList<>();
    for (ArrayInfo vector : file.contents().arrays().values()) {
      String group = vector.name().substring(0, vector.name().lastIndexOf('/') + 1);
      boolean near = array.name().startsWith(group) && !vector.name().equals(array.name());
      if (near && length(vector) == size) {
        coordinates(vector, size).ifPresent((isUsual(vector.name()) ? usual : others)::add);
      }
    }
    usual.addAll(others);
    return usual;
  }

  private Optional<Coordinates> coordinates(ArrayInfo vector, int size) throws IOException {
    Optional<Coordinates> known = vectors.get(vector.name());
    if (known == null) {
      int first = vector.dimensions().getFirst().size();
      double[] values = file.load(vector.name(), 0, first).reshape(size).toDoubles();
      known =
          Optional.of(new Coordinates(vector.name(), vector.unit(), values))
              .filter(Coordinates::isMonotone);
      vectors.put(vector.name(), known);
    }
    return known;
  }

  /** Returns the length of a vector, which in MATLAB is a row or a column; 0 for other arrays. */
  private static int length(ArrayInfo array) {
    List<Integer> longer = array.shape().stream().filter(extent -> extent > 1).toList();
    boolean vector = longer.size() == 1 && array.rank() <= 2 && longer.getFirst() <= MAX_LENGTH;
    return vector ? longer.getFirst() : 0;
  }
}
