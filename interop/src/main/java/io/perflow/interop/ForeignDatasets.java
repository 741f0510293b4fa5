package io.perflow.interop;

import io.perflow.physics.Benchmark;
import io.perflow.physics.Dataset;
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
 * Reads data sets that DiffusionPDE, the Fourier neural operator (FNO) and similar projects left
 * behind, from HDF5, MATLAB 5, MATLAB 7.3 and npz files.
 *
 * <table>
 * <caption>Arrays that are looked for, the first that is there counts</caption>
 * <tr><th>benchmark</th><th>quantity</th><th>names</th><th>axes</th></tr>
 * <tr><td>burgers</td><td>u</td><td>output, u</td><td>samples, times, places</td></tr>
 * <tr><td>poisson</td><td>f</td><td>f_data, f</td><td>samples, x, y</td></tr>
 * <tr><td></td><td>u</td><td>phi_data, u_data, phi, u</td><td>samples, x, y</td></tr>
 * <tr><td>darcy</td><td>a</td><td>thresh_a_data, coeff, a_data, a</td><td>samples, x, y</td></tr>
 * <tr><td></td><td>p</td><td>thresh_p_data, sol, p_data, p, u</td><td>samples, x, y</td></tr>
 * <tr><td>ns</td><td>u, v</td><td>u, v</td>
 *     <td>samples, x, y, times, or samples, times, x, y</td></tr>
 * <tr><td></td><td>w, the vorticity, if there is no v</td><td>w, vorticity, u</td><td>the same</td></tr>
 * <tr><td>any</td><td>all channels</td><td>fields</td><td>samples, channels, x, y</td></tr>
 * </table>
 *
 * <p>Axes of extent 1 may be added to those of a quantity. Fields of a flow are square, which tells
 * the axis of times. From more than ten times of a flow ten are taken at equal distances, the last
 * among them. Fields must be in physical units.
 */
public final class ForeignDatasets {
  private static final String ALL = "fields";

  private final ForeignArrays arrays;
  private final Path file;
  private final Benchmark benchmark;
  private final ImportOptions options;

  private ForeignDatasets(
      ForeignArrays arrays, Path file, Benchmark benchmark, ImportOptions options) {
    this.arrays = arrays;
    this.file = file;
    this.benchmark = benchmark;
    this.options = options;
  }

  /** Reads all samples of a file. */
  public static Dataset read(Path file, Benchmark benchmark) throws IOException {
    return read(file, benchmark, ImportOptions.standard());
  }

  /**
   * Reads a file.
   *
   * @throws FileFormatException when it is damaged, when an array is missing or has other axes, or
   *     when numbers are not finite
   */
  public static Dataset read(Path file, Benchmark benchmark, ImportOptions options)
      throws IOException {
    try (ForeignArrays arrays = ForeignArrays.open(file)) {
      ForeignDatasets reader = new ForeignDatasets(arrays, file, benchmark, options);
      Map<String, Object> origin = new LinkedHashMap<>();
      origin.put("source", file.getFileName().toString());
      origin.put("stride", options.stride());
      return Dataset.of(benchmark, reader.fields(), options.scaling(), origin);
    } catch (IllegalArgumentException e) { // the numbers do not make a data set
      throw new FileFormatException(file.toString(), null, e.getMessage(), e);
    }
  }

  private Tensor fields() throws IOException {
    if (arrays.names().contains(ALL) || options.arrays().containsKey(ALL)) {
      return cut(array(ALL, List.of(ALL), 4));
    }
    return switch (benchmark) {
      case BURGERS -> planes("u", List.of("output", "u"));
      case POISSON ->
          Tensor.concat(
              1,
              planes("f", List.of("f_data", "f")),
              planes("u", List.of("phi_data", "u_data", "phi", "u")));
      case DARCY ->
          Tensor.concat(
              1,
              planes("a", List.of("thresh_a_data", "coeff", "a_data", "a")),
              planes("p", List.of("thresh_p_data", "sol", "p_data", "p", "u")));
      case NS -> velocities();
    };
  }

  private Tensor velocities() throws IOException {
    if (arrays.names().contains("v") || options.arrays().containsKey("v")) {
      Tensor u = frames("u", List.of("u"));
      return Tensor.concat(1, u, frames("v", List.of("v")));
    }
    return Vorticity.velocities(frames("w", List.of("w", "vorticity", "u")), options.type());
  }

  /** [samples, 1, height, width] of one quantity. */
  private Tensor planes(String quantity, List<String> names) throws IOException {
    return cut(array(quantity, names, 3).unsqueeze(1));
  }

  /** [samples, 10, height, width] of one quantity. */
  private Tensor frames(String quantity, List<String> names) throws IOException {
    Tensor x = array(quantity, names, 4);
    boolean timesLast = x.dim(1) == x.dim(2); // as FNO has it
    if (!timesLast && x.dim(2) != x.dim(3)) {
      throw error(quantity, "shape %s has no square fields, so no axis of times", x.shape());
    }
    Tensor timesFirst = timesLast ? x.permute(0, 3, 1, 2) : x;
    int times = timesFirst.dim(1);
    int step = times / Benchmark.FRAMES;
    if (step == 0 || times % Benchmark.FRAMES != 0) {
      throw error(
          quantity,
          "shape %s has %d times, %s needs %d or a multiple of it",
          x.shape(),
          times,
          benchmark,
          Benchmark.FRAMES);
    }
    return cut(timesFirst.slice(1, step - 1, Benchmark.FRAMES, step));
  }

  /** Fewer points, rows and columns exchanged, and the precision that is wanted. */
  private Tensor cut(Tensor x) {
    int step = options.stride();
    Tensor rows = x.slice(2, 0, (x.dim(2) + step - 1) / step, step);
    Tensor points = rows.slice(3, 0, (x.dim(3) + step - 1) / step, step);
    return (options.transpose() ? points.transpose() : points).contiguous().to(options.type());
  }

  /** The array of a quantity, less axes of extent 1 behind the first. */
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
          benchmark,
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
        "has no array %s for %s of %s, only %s; say which one it is"
            .formatted(
                wanted == null ? String.join(" or ", usual) : wanted,
                quantity,
                benchmark,
                found.isEmpty() ? "none at all" : String.join(", ", found)));
  }

  private FileFormatException error(String name, String problem, Object... args) {
    return new FileFormatException(file.toString(), name, problem.formatted(args));
  }
}
