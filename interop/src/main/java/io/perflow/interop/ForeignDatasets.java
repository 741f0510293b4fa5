package io.perflow.interop;

import io.perflow.physics.Dataset;
import io.perflow.physics.Problem;
import io.perflow.physics.Quantity;
import io.perflow.physics.constraint.DivergenceFree;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A reader of the data of a known problem from HDF5, MATLAB 5, MATLAB 7.3 and npz files of other
 * programs, such as those of DiffusionPDE and the Fourier neural operator (FNO).
 *
 * <p>Each quantity is an array (samples, rows, columns), with frames (samples, rows, columns,
 * frames) or (samples, frames, rows, columns); an array {@code fields} (samples, channels, rows,
 * columns) may hold them all. Axes of extent 1 may be added. The fields of frames are square, which
 * identifies the axis of frames. If the file has more frames than the problem, equally spaced ones
 * are taken, including the last. For an incompressible flow the vorticity {@code w} may replace
 * both velocities. Fields must be in physical units.
 */
public final class ForeignDatasets {
  private static final String ALL = "fields";
  private static final String VORTICITY = "w";

  private final ForeignArrays arrays;
  private final Path file;
  private final Problem problem;
  private final ImportOptions options;

  private ForeignDatasets(ForeignArrays arrays, Path file, Problem problem, ImportOptions options) {
    this.arrays = arrays;
    this.file = file;
    this.problem = problem;
    this.options = options;
  }

  /** Reads all samples of a file. */
  public static Dataset read(Path file, Problem problem) throws IOException {
    return read(file, problem, ImportOptions.standard());
  }

  /**
   * Reads a file.
   *
   * @param problem the problem of the fields; its grid takes the numbers of points from the file
   * @throws FileFormatException when it is damaged, when an array is missing or has other axes, or
   *     when numbers are not finite
   */
  public static Dataset read(Path file, Problem problem, ImportOptions options) throws IOException {
    try (ForeignArrays arrays = ForeignArrays.open(file)) {
      Tensor fields = new ForeignDatasets(arrays, file, problem, options).fields();
      Map<String, Object> origin = new LinkedHashMap<>();
      origin.put("source", file.getFileName().toString());
      origin.put("stride", options.stride());
      Problem sized = problem.resized(fields.dim(2), fields.dim(3));
      return Dataset.of(sized, fields, options.scaling(), origin);
    } catch (IllegalArgumentException e) { // the numbers do not form a data set
      throw new FileFormatException(file.toString(), null, e.getMessage(), e);
    }
  }

  private Tensor fields() throws IOException {
    if (has(ALL)) {
      return cut(array(ALL, List.of(ALL), 4));
    }
    boolean incompressible = problem.constraints().contains(DivergenceFree.spectral());
    if (incompressible && !has(problem.quantities().getLast().name())) {
      return Vorticity.velocities(frames(VORTICITY), options.type());
    }
    List<Tensor> parts = new ArrayList<>();
    for (Quantity quantity : problem.quantities()) {
      String name = quantity.name();
      Tensor part = problem.frames().isPresent() ? frames(name) : planes(name);
      requireAsMany(part, parts, name);
      parts.add(part);
    }
    return Tensor.concat(1, parts.toArray(Tensor[]::new));
  }

  private void requireAsMany(Tensor part, List<Tensor> before, String name) {
    if (!before.isEmpty() && part.dim(0) != before.getFirst().dim(0)) {
      throw new IllegalArgumentException(
          "%s has %d samples and %s has %d; give arrays of the same samples"
              .formatted(
                  problem.quantities().getFirst().name(),
                  before.getFirst().dim(0),
                  name,
                  part.dim(0)));
    }
  }

  private boolean has(String quantity) throws IOException {
    return options.arrays().containsKey(quantity) || arrays.names().contains(quantity);
  }

  /** Returns [samples, 1, height, width] of one quantity. */
  private Tensor planes(String quantity) throws IOException {
    return cut(array(quantity, usual(quantity), 3).unsqueeze(1));
  }

  private List<String> usual(String quantity) {
    return options.usual().getOrDefault(quantity, List.of(quantity));
  }

  /** Returns [samples, frames, height, width] of one quantity. */
  private Tensor frames(String quantity) throws IOException {
    Tensor x = array(quantity, usual(quantity), 4);
    boolean timesLast = x.dim(1) == x.dim(2); // as in FNO's files
    if (!timesLast && x.dim(2) != x.dim(3)) {
      throw error(quantity, "shape %s has no square fields, so no axis of times", x.shape());
    }
    Tensor timesFirst = timesLast ? x.permute(0, 3, 1, 2) : x;
    int times = timesFirst.dim(1);
    int wanted = problem.frameCount();
    int step = times / wanted;
    if (step == 0 || times % wanted != 0) {
      throw error(
          quantity,
          "shape %s has %d times, %s needs %d or a multiple of it",
          x.shape(),
          times,
          problem.name(),
          wanted);
    }
    return cut(timesFirst.slice(1, step - 1, wanted, step));
  }

  /** Applies the stride, the transposition and the precision of the options. */
  private Tensor cut(Tensor x) {
    int step = options.stride();
    Tensor rows = x.slice(2, 0, (x.dim(2) + step - 1) / step, step);
    Tensor points = rows.slice(3, 0, (x.dim(3) + step - 1) / step, step);
    return (options.transpose() ? points.transpose() : points).contiguous().to(options.type());
  }

  /** Returns the array of a quantity, without axes of extent 1 after the first. */
  private Tensor array(String quantity, List<String> usual, int rank) throws IOException {
    String name = nameOf(quantity, usual);
    int[] shape = arrays.shape(name);
    if (shape.length == 0 || Arrays.stream(shape).anyMatch(extent -> extent < 1)) {
      throw error(name, "shape %s holds no samples", Arrays.toString(shape));
    }
    Tensor x = arrays.load(name, Math.min(options.samples(), shape[0]));
    for (int axis = x.rank() - 1; axis > 0 && x.rank() > rank; axis--) {
      if (x.dim(axis) == 1) {
        x = x.select(axis, 0);
      }
    }
    if (x.rank() != rank) {
      throw error(
          name,
          "shape %s has %d axes, %s of %s has %d, the samples first",
          Arrays.toString(shape),
          shape.length,
          quantity,
          problem.name(),
          rank);
    }
    return x;
  }

  private String nameOf(String quantity, List<String> usual) throws IOException {
    String wanted = options.arrays().get(quantity);
    for (String name : wanted == null ? usual : List.of(wanted)) {
      if (arrays.names().contains(name)) {
        return name;
      }
    }
    List<String> found = new ArrayList<>();
    for (String name : arrays.names()) {
      found.add(name + " " + Arrays.toString(arrays.shape(name)));
    }
    throw new FileFormatException(
        file.toString(),
        null,
        "has no array %s for %s of %s, %s; say which one it is, as --array %s=NAME does"
            .formatted(
                wanted == null ? String.join(" or ", usual) : wanted,
                quantity,
                problem.name(),
                found.isEmpty()
                    ? "and no array of numbers at all"
                    : "only " + String.join(", ", found),
                quantity));
  }

  private FileFormatException error(String name, String problem, Object... args) {
    return new FileFormatException(file.toString(), name, problem.formatted(args));
  }
}
