package io.perflow.physics;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Places of sensors in a file.
 *
 * <ul>
 *   <li>CSV: a sensor per line, {@code row,column} for sensors of every plane or {@code
 *       plane,row,column}; all count from 0. Empty lines, lines that begin with # and one line of
 *       names at the top are passed over.
 *   <li>npz: an array {@code sensors} of shape [k, 2] or [k, 3] with the same numbers, or an array
 *       {@code mask} of zeros and ones of shape [height, width] or [planes, height, width].
 * </ul>
 */
final class SensorFile {
  /** More sensors than any grid that fits in memory has cells are not worth reading. */
  private static final long MAX_BYTES = 1L << 28;

  private final Path file;
  private final MaskPlanes planes;
  private final float[] mask;

  private SensorFile(Path file, MaskPlanes planes) {
    this.file = file;
    this.planes = planes;
    this.mask = new float[planes.count() * planes.cells()];
  }

  /** The mask [planes, height, width] that a file describes. */
  static Tensor read(Path file, MaskPlanes planes) throws IOException {
    SensorFile sensors = new SensorFile(file, planes);
    if (file.toString().toLowerCase(Locale.ROOT).endsWith(".npz")) {
      return sensors.readNpz();
    }
    sensors.readCsv();
    return sensors.marked();
  }

  private Tensor marked() {
    return Tensor.of(mask, planes.count(), planes.height(), planes.width());
  }

  private Tensor readNpz() throws IOException {
    try (Npz npz = Npz.read(file)) {
      Set<String> names = npz.names();
      if (names.contains("mask")) {
        return npz.load("mask");
      }
      Tensor list = npz.load("sensors");
      if (list.rank() != 2 || list.dim(1) < 2 || list.dim(1) > 3) {
        throw error("sensors has shape %s, expected [k, 2] or [k, 3]", list.shape());
      }
      double[] numbers = list.toDoubles();
      int columns = list.dim(1);
      for (int i = 0; i < list.dim(0); i++) {
        mark("sensor " + i, Arrays.copyOfRange(numbers, i * columns, (i + 1) * columns));
      }
      return marked();
    }
  }

  private void readCsv() throws IOException {
    if (Files.size(file) > MAX_BYTES) {
      throw error("%d bytes, at most %d are read", Files.size(file), MAX_BYTES);
    }
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (MalformedInputException e) {
      throw new FileFormatException(file.toString(), null, "is not a text in UTF-8", e);
    }
    boolean first = true;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      if (!first || Character.isDigit(line.charAt(0)) || line.charAt(0) == '-') {
        mark("line " + (i + 1), numbers(line, i + 1));
      }
      first = false;
    }
  }

  private double[] numbers(String line, int at) throws FileFormatException {
    List<Double> numbers = new ArrayList<>();
    for (String cell : line.split(",", -1)) {
      try {
        numbers.add(Double.parseDouble(cell.strip()));
      } catch (NumberFormatException e) {
        throw error("line %d: '%s' is not a number", at, brief(cell.strip()));
      }
    }
    return numbers.stream().mapToDouble(Double::doubleValue).toArray();
  }

  private void mark(String where, double... place) throws FileFormatException {
    if (place.length < 2 || place.length > 3) {
      throw error("%s: %d numbers, expected row,column or plane,row,column", where, place.length);
    }
    int row = index(where, "row", place[place.length - 2], planes.height());
    int column = index(where, "column", place[place.length - 1], planes.width());
    int cell = row * planes.width() + column;
    if (place.length == 3) {
      mask[index(where, "plane", place[0], planes.count()) * planes.cells() + cell] = 1;
    } else {
      for (int plane = 0; plane < planes.count(); plane++) {
        mask[plane * planes.cells() + cell] = 1;
      }
    }
  }

  private int index(String where, String what, double value, int count) throws FileFormatException {
    if (!(value >= 0 && value < count) || value != Math.rint(value)) {
      throw error("%s: %s %s is not one of 0 to %d", where, what, plain(value), count - 1);
    }
    return (int) value;
  }

  private static String plain(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  private static String brief(String text) {
    return text.length() > 40 ? text.substring(0, 40) + "…" : text;
  }

  private FileFormatException error(String problem, Object... args) {
    return new FileFormatException(file.toString(), null, problem.formatted(args));
  }
}
