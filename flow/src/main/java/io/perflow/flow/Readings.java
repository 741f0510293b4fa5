package io.perflow.flow;

import io.perflow.physics.Benchmark;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Sensor readings as a person has them, in physical units.
 *
 * <p>CSV with a line of names, then a line per place: the coordinates and the values measured
 * there, an empty cell where one was not measured. The names are {@code t,x,u} for Burgers, {@code
 * x,y,f,u} for Poisson, {@code x,y,a,p} for Darcy and {@code frame,x,y,u,v} for Navier-Stokes.
 * Coordinates run over [0, 1]: along an axis with ends the n points lie at i / (n - 1), along a
 * periodic one at i / n. Frames count from 0. Empty lines and lines that begin with # are passed
 * over.
 *
 * <p>npz with arrays {@code values} [channels, height, width] and {@code mask} [planes, height,
 * width] of zeros and ones.
 */
public final class Readings {
  private static final long MAX_BYTES = 1L << 28;
  private static final double OFF_GRID = 0.05; // in spacings: more is not a rounded number

  private final Path file;
  private final Domain domain;
  private final List<String> names;
  private final boolean snap;
  private final float[] values;
  private final float[] planes;

  private Readings(Path file, Domain domain, List<String> names, boolean snap) {
    this.file = file;
    this.domain = domain;
    this.names = names;
    this.snap = snap;
    int area = domain.height() * domain.width();
    values = new float[domain.channels() * area];
    planes = new float[domain.planes() * area];
  }

  /**
   * Reads a file for a flow.
   *
   * @param snap whether places between grid points move to the nearest one; otherwise they are an
   *     error
   * @throws FileFormatException naming the line and what is wrong with it
   */
  public static Observations read(Path file, FlowConfig flow, boolean snap) throws IOException {
    if (file.toString().toLowerCase(Locale.ROOT).endsWith(".npz")) {
      return readNpz(file, flow.domain());
    }
    Readings readings =
        new Readings(file, flow.domain(), columns(Benchmark.of(flow.benchmark())), snap);
    readings.readCsv();
    return readings.result();
  }

  /** The names a CSV file must have. */
  public static List<String> columns(Benchmark benchmark) {
    return switch (benchmark) {
      case BURGERS -> List.of("t", "x", "u");
      case POISSON -> List.of("x", "y", "f", "u");
      case DARCY -> List.of("x", "y", "a", "p");
      case NS -> List.of("frame", "x", "y", "u", "v");
    };
  }

  private Observations result() throws FileFormatException {
    boolean any = false;
    for (float sensor : planes) {
      any |= sensor != 0;
    }
    if (!any) {
      throw error("holds no reading; at least one is needed");
    }
    int height = domain.height();
    int width = domain.width();
    return new Observations(
        Tensor.of(values, 1, domain.channels(), height, width),
        Tensor.of(planes, 1, domain.planes(), height, width));
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
    boolean named = false;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String[] cells = line.split(",", -1);
      for (int c = 0; c < cells.length; c++) {
        cells[c] = cells[c].strip();
      }
      if (!named) {
        checkNames(cells);
        named = true;
      } else {
        place(cells, i + 1);
      }
    }
    if (!named) {
      throw error("is empty; its first line must be %s", String.join(",", names));
    }
  }

  private void checkNames(String[] cells) throws FileFormatException {
    if (!Arrays.asList(cells).equals(names)) {
      throw error(
          "the first line is '%s', expected the names %s",
          brief(String.join(",", cells)), String.join(",", names));
    }
  }

  private void place(String[] cells, int line) throws FileFormatException {
    if (cells.length != names.size()) {
      throw error(
          "line %d: %d cells, expected %d (%s)",
          line, cells.length, names.size(), String.join(",", names));
    }
    boolean frames = names.getFirst().equals("frame");
    int at = frames ? 1 : 0;
    int frame = frames ? frame(cells[0], line) : 0;
    int row = index(cells[at], names.get(at), domain.height(), domain.periodicHeight(), line);
    int column =
        index(cells[at + 1], names.get(at + 1), domain.width(), domain.periodicWidth(), line);
    int area = domain.height() * domain.width();
    int cell = row * domain.width() + column;
    for (int c = at + 2; c < cells.length; c++) {
      if (!cells[c].isEmpty()) {
        int channel = c - at - 2;
        channel = frames ? channel * domain.planes() + frame : channel;
        int plane = channel % domain.planes();
        values[channel * area + cell] = (float) number(cells[c], names.get(c), line);
        planes[plane * area + cell] = 1;
      } else if (domain.planes() < domain.channels()) {
        throw error(
            "line %d: %s is empty, and its sensors measure all components", line, names.get(c));
      }
    }
  }

  private int frame(String cell, int line) throws FileFormatException {
    double frame = number(cell, "frame", line);
    if (!(frame >= 0 && frame < domain.planes()) || frame != Math.rint(frame)) {
      throw error("line %d: frame %s is not one of 0 to %d", line, cell, domain.planes() - 1);
    }
    return (int) frame;
  }

  private int index(String cell, String name, int count, boolean periodic, int line)
      throws FileFormatException {
    double place = number(cell, name, line) * (periodic ? count : count - 1);
    long nearest = Math.round(place);
    if (nearest < 0 || nearest > (periodic ? count : count - 1)) {
      throw error("line %d: %s = %s lies outside [0, 1]", line, name, cell);
    }
    if (!snap && Math.abs(place - nearest) > OFF_GRID) {
      throw error(
          "line %d: %s = %s lies between grid points, the nearest is %.6g; ask for snapping to"
              + " move it there",
          line, name, cell, (double) nearest / (periodic ? count : count - 1));
    }
    return (int) (nearest % count);
  }

  private double number(String cell, String name, int line) throws FileFormatException {
    double number;
    try {
      number = Double.parseDouble(cell);
    } catch (NumberFormatException e) {
      throw error("line %d: %s = '%s' is not a number", line, name, brief(cell));
    }
    if (!Double.isFinite(number)) {
      throw error("line %d: %s = %s is not finite; leave the line out", line, name, cell);
    }
    return number;
  }

  private static Observations readNpz(Path file, Domain domain) throws IOException {
    try (Npz npz = Npz.read(file)) {
      Tensor values = npz.load("values");
      Tensor mask = npz.load("mask");
      Tensor fields = part(file, "values", values, domain.channels(), domain);
      Tensor planes = part(file, "mask", mask, domain.planes(), domain);
      for (float sensor : planes.toFloats()) {
        if (sensor != 0 && sensor != 1) {
          throw new FileFormatException(
              file.toString(), null, "mask holds %s, expected zeros and ones".formatted(sensor));
        }
      }
      return Observations.of(fields, planes);
    }
  }

  private static Tensor part(Path file, String name, Tensor array, int count, Domain domain)
      throws FileFormatException {
    int expected = count * domain.height() * domain.width();
    if (array.size() != expected || array.dim(-1) != domain.width()) {
      throw new FileFormatException(
          file.toString(),
          null,
          "%s has shape %s, expected [%d, %d, %d]"
              .formatted(name, array.shape(), count, domain.height(), domain.width()));
    }
    for (double value : array.toDoubles()) {
      if (!Double.isFinite(value)) {
        throw new FileFormatException(
            file.toString(), null, "%s holds %s; give 0 where no sensor is".formatted(name, value));
      }
    }
    return array
        .to(io.perflow.tensor.DataType.F32)
        .reshape(1, count, domain.height(), domain.width());
  }

  private static String brief(String text) {
    return text.length() > 40 ? text.substring(0, 40) + "…" : text;
  }

  private FileFormatException error(String problem, Object... args) {
    return new FileFormatException(file.toString(), null, problem.formatted(args));
  }
}
