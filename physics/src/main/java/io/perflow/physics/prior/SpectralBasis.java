package io.perflow.physics.prior;

import io.perflow.physics.Axis;
import io.perflow.physics.Problem;
import io.perflow.physics.Symmetry;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/**
 * An orthonormal basis of the fields of a problem. Its functions are products of an {@link
 * AxisBasis} function along the rows' axis and one along the columns' axis; each quantity has its
 * own. The products that carry most of the variance are kept.
 *
 * <p>A coefficient has a number, which counts (channel, row function, column function) as the
 * entries of a field are counted, and a place in the ascending list of the numbers that are kept.
 */
final class SpectralBasis {
  /** The number of fields that suffices for the covariance along an axis. */
  static final int FIELDS = 512;

  private final Problem problem;
  private final List<AxisBasis> rows; // of each quantity
  private final List<AxisBasis> columns;
  private final int[] kept; // numbers, ascending

  private SpectralBasis(
      Problem problem, List<AxisBasis> rows, List<AxisBasis> columns, int[] kept) {
    this.problem = problem;
    this.rows = rows;
    this.columns = columns;
    this.kept = kept;
  }

  /**
   * Returns the whole basis that suits normalized, centred fields [samples, channels, height,
   * width].
   */
  static SpectralBasis of(Problem problem, Tensor fields) {
    int quantities = problem.quantities().size();
    Tensor some = fields.to(DataType.F32);
    boolean square = transposes(problem);
    List<AxisBasis> rows = new ArrayList<>();
    List<AxisBasis> columns = new ArrayList<>();
    for (int q = 0; q < quantities; q++) {
      int frames = problem.frameCount();
      Tensor own = some.slice(1, q * frames, (q + 1) * frames);
      double[] down = covariance(own.permute(0, 1, 3, 2));
      double[] across = covariance(own);
      if (square) {
        Arrays.setAll(down, mean(down, across));
        across = down;
      }
      rows.add(basis(problem, problem.grid().rows(), down));
      columns.add(square ? rows.getLast() : basis(problem, problem.grid().columns(), across));
    }
    return new SpectralBasis(
        problem, rows, columns, IntStream.range(0, problem.batch(1).size()).toArray());
  }

  private static IntToDoubleFunction mean(double[] a, double[] b) {
    double[] copy = a.clone();
    return i -> (copy[i] + b[i]) / 2;
  }

  // along the last axis
  private static double[] covariance(Tensor fields) {
    int n = fields.dim(3);
    Tensor lines = fields.contiguous().reshape(fields.size() / n, n);
    return lines.transpose().matmul(lines).to(DataType.F64).div(fields.dim(0)).toDoubles();
  }

  private static AxisBasis basis(Problem problem, Axis axis, double[] covariance) {
    return axis.periodic()
        ? AxisBasis.fourier(axis, covariance)
        : AxisBasis.principal(covariance, axis.points(), mirrors(problem, axis));
  }

  private static boolean mirrors(Problem problem, Axis axis) {
    return problem.symmetries().stream()
        .anyMatch(s -> s.kind() == Symmetry.Kind.MIRROR && concerns(problem, s, axis));
  }

  /**
   * Returns whether a symmetry of an axis concerns a given axis: by its name, or because
   * transposition makes a symmetry of either axis one of both.
   */
  static boolean concerns(Problem problem, Symmetry symmetry, Axis axis) {
    return symmetry.axes().size() == 1
        && (symmetry.axes().getFirst().equals(axis.name()) || transposes(problem));
  }

  /**
   * Returns whether transposition is a symmetry that can be used: it must exchange axes of one
   * kind, which have one basis.
   */
  static boolean transposes(Problem problem) {
    Axis rows = problem.grid().rows();
    Axis columns = problem.grid().columns();
    return problem.symmetries().stream().anyMatch(s -> s.kind() == Symmetry.Kind.TRANSPOSE)
        && rows.periodic() == columns.periodic()
        && (!rows.periodic() || rows.placement() == columns.placement());
  }

  /** Returns the numbers of all coefficients, those with the most variance first. */
  int[] ranking() {
    double[] expected =
        IntStream.range(0, problem.batch(1).size()).mapToDouble(this::variance).toArray();
    return IntStream.range(0, expected.length)
        .boxed()
        .sorted(Comparator.comparingDouble(i -> -expected[i]))
        .mapToInt(i -> i)
        .toArray();
  }

  /**
   * Returns the expected variance of a coefficient: the product of the variances along both axes,
   * the largest over all quantities. A smooth quantity that follows from a rough one, as a solution
   * does from its source, must be resolved as finely to carry information about it.
   */
  double variance(int number) {
    double most = 0;
    for (int q = 0; q < rows.size(); q++) {
      AxisBasis r = rows.get(q);
      AxisBasis c = columns.get(q);
      double product = r.variances()[row(number)] * c.variances()[column(number)];
      most = Math.max(most, product / Math.max(r.sum(), 1e-300));
    }
    return most;
  }

  /** Returns a copy with only the coefficients of these numbers. */
  SpectralBasis keep(int[] numbers) {
    int[] sorted = numbers.clone();
    Arrays.sort(sorted);
    return new SpectralBasis(problem, rows, columns, sorted);
  }

  Problem problem() {
    return problem;
  }

  /** Returns the coefficients of a field. */
  int size() {
    return kept.length;
  }

  /** Returns the number of the coefficient at a place. */
  int number(int place) {
    return kept[place];
  }

  /** Returns the place of the coefficient with a number; negative when it is not kept. */
  int place(int number) {
    return Arrays.binarySearch(kept, number);
  }

  int channel(int number) {
    return number / problem.grid().cells();
  }

  int row(int number) {
    return number % problem.grid().cells() / problem.grid().width();
  }

  int column(int number) {
    return number % problem.grid().width();
  }

  private int quantity(int number) {
    return channel(number) / problem.frameCount();
  }

  /** Returns the functions along the rows' axis, by the number of a coefficient. */
  AxisBasis rows(int number) {
    return rows.get(quantity(number));
  }

  AxisBasis columns(int number) {
    return columns.get(quantity(number));
  }

  /**
   * Returns the coefficients [batch, size] of fields [batch, channels, height, width], in their
   * type.
   */
  Tensor analyze(Tensor fields) {
    DataType type = fields.type();
    Tensor[] parts = new Tensor[rows.size()];
    for (int q = 0; q < parts.length; q++) {
      int frames = problem.frameCount();
      Tensor own = fields.slice(1, q * frames, (q + 1) * frames);
      Tensor along = own.matmul(columns.get(q).functions().to(type).transpose());
      parts[q] = rows.get(q).functions().to(type).matmul(along);
    }
    Tensor all = Tensor.concat(1, parts).contiguous();
    Tensor flat = all.reshape(fields.dim(0), all.size() / fields.dim(0));
    return kept.length == flat.dim(1) ? flat : flat.gather(1, kept);
  }

  /** Returns the fields of coefficients [batch, size], in their type. */
  Tensor synthesize(Tensor coefficients) {
    DataType type = coefficients.type();
    int batch = coefficients.dim(0);
    Tensor flat = coefficients.scatterAdd(1, problem.batch(1).size(), kept);
    Tensor planes = flat.reshape(problem.batch(batch));
    Tensor[] parts = new Tensor[rows.size()];
    for (int q = 0; q < parts.length; q++) {
      int frames = problem.frameCount();
      Tensor own = planes.slice(1, q * frames, (q + 1) * frames);
      Tensor along = own.matmul(columns.get(q).functions().to(type));
      parts[q] = rows.get(q).functions().to(type).transpose().matmul(along);
    }
    return Tensor.concat(1, parts).contiguous();
  }

  /**
   * Returns some columns of H in this basis: the readings of the functions at some places,
   * [readings, places], F64.
   */
  Tensor read(Sensing sensing, int... places) {
    int height = problem.grid().height();
    int width = problem.grid().width();
    double[][] r = rows.stream().map(b -> b.functions().toDoubles()).toArray(double[][]::new);
    double[][] c = columns.stream().map(b -> b.functions().toDoubles()).toArray(double[][]::new);
    int[] channels = new int[places.length];
    int[] across = new int[places.length]; // where a function's values begin
    int[] along = new int[places.length];
    for (int p = 0; p < places.length; p++) {
      int number = kept[places[p]];
      channels[p] = channel(number);
      across[p] = row(number) * height;
      along[p] = column(number) * width;
    }
    double[] out = new double[sensing.size() * places.length];
    for (int i = 0; i < sensing.size(); i++) {
      for (int e = sensing.start(i); e < sensing.start(i + 1); e++) {
        int entry = sensing.entry(e);
        int row = row(entry);
        int column = column(entry);
        int q = quantity(entry);
        int channel = channel(entry);
        for (int p = 0; p < places.length; p++) {
          if (channels[p] == channel) {
            out[i * places.length + p] +=
                sensing.weight(e) * r[q][across[p] + row] * c[q][along[p] + column];
          }
        }
      }
    }
    return Tensor.of(out, sensing.size(), places.length);
  }

  // ---- files

  /**
   * Returns the coefficients of these numbers, in this order, in a basis whose {@link #functions} a
   * file held; it can only synthesize.
   */
  static SpectralBasis of(Problem problem, Tensor rows, Tensor columns, int[] numbers) {
    return new SpectralBasis(problem, split(rows), split(columns), numbers);
  }

  private static List<AxisBasis> split(Tensor functions) {
    List<AxisBasis> result = new ArrayList<>();
    for (int q = 0; q < functions.dim(0); q++) {
      result.add(new AxisBasis(functions.select(0, q), new int[0], new boolean[0], new double[0]));
    }
    return result;
  }

  /** Returns the functions of all quantities along both axes, [quantities, points, points]. */
  Tensor[] functions() {
    return new Tensor[] {stacked(rows), stacked(columns)};
  }

  private static Tensor stacked(List<AxisBasis> bases) {
    return Tensor.stack(0, bases.stream().map(AxisBasis::functions).toArray(Tensor[]::new));
  }
}
