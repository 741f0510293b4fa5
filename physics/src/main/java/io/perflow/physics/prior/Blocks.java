package io.perflow.physics.prior;

import io.perflow.physics.Axis;
import io.perflow.physics.Problem;
import io.perflow.physics.Symmetry;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Named;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * A partition of the coefficients of a {@link SpectralBasis} into blocks, such that coefficients of
 * different blocks are not correlated. If the distribution is invariant under reflections, even
 * functions are not correlated with odd ones; if it is invariant under shifts along an axis,
 * different wave numbers are not correlated. Symmetry thus makes the covariance small, and
 * averaging over symmetries makes better use of few fields.
 *
 * <p>A shift along both axes at once ({@code shift:x-y}) makes no blocks: it is used for the mean,
 * not for the covariance.
 */
final class Blocks {

  /** The rules that decide which coefficients are correlated. */
  enum Kind {
    /** Only the symmetries of the problem decide. */
    SYMMETRY,
    /**
     * Only coefficients of the same wave numbers along both axes are correlated, as in fields whose
     * law is the same everywhere.
     */
    WAVES;

    @Override
    public String toString() {
      return Named.of(this);
    }
  }

  // The number of coefficients in a block up to which products cost less than the calls of matrix
  // operations.
  private static final int SMALL = 8;

  private final SpectralBasis basis;
  private final List<int[]> members = new ArrayList<>();
  private final int[] blockOf;
  private final int[] placeIn;
  private final boolean[] invariant; // under reflections and shifts along an axis
  private final int[] wave; // pairs of wave numbers, numbered
  private final List<Exchange> exchanges = new ArrayList<>();

  /** A symmetry as a signed exchange of coefficients. */
  private record Exchange(int[] with, int[] signs) {}

  /** A reflection: its axis, and the sign that each channel gets. */
  private record Mirror(boolean ofRows, int[] signs) {}

  private Blocks(SpectralBasis basis, Kind kind) {
    this.basis = basis;
    Problem problem = basis.problem();
    Axis rows = problem.grid().rows();
    Axis columns = problem.grid().columns();
    boolean shiftRows = kind == Kind.WAVES || shifts(problem, rows);
    boolean shiftColumns = kind == Kind.WAVES || shifts(problem, columns);
    int size = basis.size();
    wave = new int[size];
    invariant = new boolean[size];
    blockOf = new int[size];
    placeIn = new int[size];
    List<Mirror> mirrors = mirrors(problem);
    Map<Long, Integer> blocks = new HashMap<>();
    int[] counts = new int[size];
    for (int id = 0; id < size; id++) {
      int number = basis.number(id);
      int i = basis.rows(number).waves()[basis.row(number)];
      int j = basis.columns(number).waves()[basis.column(number)];
      wave[id] = i * columns.points() + j;
      long label = (shiftRows ? (long) i * columns.points() : 0) + (shiftColumns ? j : 0);
      for (Mirror mirror : mirrors) {
        label = 2 * label + (changes(mirror, number) ? 1 : 0);
      }
      invariant[id] = label == 0;
      blockOf[id] = blocks.computeIfAbsent(label, _ -> blocks.size());
      placeIn[id] = counts[blockOf[id]]++;
    }
    for (int b = 0; b < blocks.size(); b++) {
      members.add(new int[counts[b]]);
    }
    for (int id = 0; id < size; id++) {
      members.get(blockOf[id])[placeIn[id]] = id;
    }
    exchange(shiftRows && rows.periodic(), shiftColumns && columns.periodic());
  }

  private void exchange(boolean shiftRows, boolean shiftColumns) {
    if (shiftRows) {
      exchanges.add(quarterShift(true));
    }
    if (shiftColumns) {
      exchanges.add(quarterShift(false));
    }
    if (SpectralBasis.transposes(basis.problem())) {
      exchanges.add(transposition());
    }
  }

  // Returns whether a reflection changes the sign of a coefficient.
  private boolean changes(Mirror mirror, int number) {
    boolean odd =
        mirror.ofRows
            ? basis.rows(number).odd()[basis.row(number)]
            : basis.columns(number).odd()[basis.column(number)];
    return odd == (mirror.signs[basis.channel(number)] > 0);
  }

  static Blocks of(SpectralBasis basis, Kind kind) {
    return new Blocks(basis, kind);
  }

  /** Returns the coefficients of every block. */
  List<int[]> members() {
    return members;
  }

  SpectralBasis basis() {
    return basis;
  }

  /** Returns the total number of entries of all covariance matrices. */
  long entries() {
    return members.stream().mapToLong(m -> (long) m.length * m.length).sum();
  }

  private static boolean shifts(Problem problem, Axis axis) {
    return problem.symmetries().stream()
        .anyMatch(s -> s.kind() == Symmetry.Kind.SHIFT && SpectralBasis.concerns(problem, s, axis));
  }

  private static List<Mirror> mirrors(Problem problem) {
    List<Mirror> result = new ArrayList<>();
    for (Symmetry symmetry : problem.symmetries()) {
      if (symmetry.kind() == Symmetry.Kind.MIRROR) {
        int[] signs = new int[problem.channelCount()];
        Arrays.fill(signs, 1);
        symmetry
            .negated()
            .forEach(q -> Arrays.stream(problem.select(q)).forEach(c -> signs[c] = -1));
        if (SpectralBasis.concerns(problem, symmetry, problem.grid().rows())) {
          result.add(new Mirror(true, signs));
        }
        if (SpectralBasis.concerns(problem, symmetry, problem.grid().columns())) {
          result.add(new Mirror(false, signs));
        }
      }
    }
    return result;
  }

  // A shift by a quarter of its period turns a cosine into a sine and a sine into minus the cosine.
  private Exchange quarterShift(boolean alongRows) {
    int width = basis.problem().grid().width();
    return exchange(
        number -> {
          int i = basis.row(number);
          int j = basis.column(number);
          return alongRows
              ? number + (basis.rows(number).partner(i) - i) * width
              : number + basis.columns(number).partner(j) - j;
        },
        true);
  }

  private Exchange transposition() {
    int width = basis.problem().grid().width();
    return exchange(
        number -> {
          int i = basis.row(number);
          int j = basis.column(number);
          return number + (j - i) * width + i - j;
        },
        false);
  }

  private Exchange exchange(IntUnaryOperator partner, boolean negatesBack) {
    int[] with = new int[basis.size()];
    int[] sign = new int[basis.size()];
    for (int id = 0; id < with.length; id++) {
      int other = basis.place(partner.applyAsInt(basis.number(id)));
      with[id] = other < 0 ? id : other; // partners have the same variance and are kept together
      sign[id] = negatesBack && with[id] < id ? -1 : 1;
    }
    return new Exchange(with, sign);
  }

  /** Returns a matrix for every block, row by row, to {@link #add} to. */
  List<double[]> zeros() {
    return members.stream().map(m -> new double[m.length * m.length]).toList();
  }

  /**
   * Adds the products of coefficients to the sums of every block.
   *
   * @param coefficients of centred fields, [fields, size], F32
   */
  void add(List<double[]> sums, Tensor coefficients) {
    float[] values = coefficients.toFloats();
    for (int b = 0; b < members.size(); b++) {
      int[] block = members.get(b);
      if (block.length <= SMALL) {
        add(sums.get(b), values, block);
        continue;
      }
      try (Scope _ = Scope.open()) {
        Tensor x = coefficients.gather(1, block).to(DataType.F64);
        double[] products = x.transpose().matmul(x).toDoubles();
        double[] sum = sums.get(b);
        Arrays.setAll(sum, i -> sum[i] + products[i]);
      }
    }
  }

  private void add(double[] sum, float[] values, int[] block) {
    for (int field = 0; field < values.length; field += basis.size()) {
      for (int p = 0; p < block.length; p++) {
        double left = values[field + block[p]];
        for (int q = 0; q < block.length; q++) {
          sum[p * block.length + q] += left * values[field + block[q]];
        }
      }
    }
  }

  /** Returns the covariance of every block, averaged over the symmetries. */
  List<double[]> covariances(List<double[]> sums, int count) {
    List<double[]> result =
        sums.stream().map(sum -> Arrays.stream(sum).map(s -> s / count).toArray()).toList();
    for (Exchange exchange : exchanges) {
      result = averaged(result, exchange);
    }
    return result;
  }

  private List<double[]> averaged(List<double[]> covariances, Exchange exchange) {
    List<double[]> result = new ArrayList<>();
    for (int b = 0; b < members.size(); b++) {
      int[] block = members.get(b);
      int n = block.length;
      double[] other = covariances.get(blockOf[exchange.with[block[0]]]);
      double[] own = covariances.get(b);
      double[] mean = new double[n * n];
      for (int p = 0; p < n; p++) {
        int row = placeIn[exchange.with[block[p]]] * n;
        int sign = exchange.signs[block[p]];
        for (int q = 0; q < n; q++) {
          int column = placeIn[exchange.with[block[q]]];
          double moved = sign * exchange.signs[block[q]] * other[row + column];
          mean[p * n + q] = 0.5 * (own[p * n + q] + moved);
        }
      }
      result.add(mean);
    }
    return result;
  }

  /**
   * Returns the coefficients that a mean may have: those that no reflection and no shift along an
   * axis changes.
   */
  boolean[] invariant() {
    return invariant.clone();
  }

  /**
   * Returns coefficients [1, size] averaged with those of the transposed field where transposition
   * is a symmetry.
   */
  Tensor transposed(Tensor coefficients) {
    if (!SpectralBasis.transposes(basis.problem())) {
      return coefficients;
    }
    return coefficients.add(coefficients.gather(1, transposition().with)).div(2);
  }

  /**
   * Returns the covariance of a block with the entries between different wave numbers made smaller:
   * (1 - a) C + a D, where D keeps only the entries between equal wave numbers, like the covariance
   * of a homogeneous distribution. Few fields leave errors of size 1/√fields in all entries; most
   * of the true ones outside D are smaller than that.
   */
  double[] shrunk(int number, double[] covariance, double a) {
    if (a == 0) {
      return covariance;
    }
    int[] block = members.get(number);
    double[] c = covariance.clone();
    for (int p = 0; p < block.length; p++) {
      for (int q = 0; q < block.length; q++) {
        if (wave[block[p]] != wave[block[q]]) {
          c[p * block.length + q] *= 1 - a;
        }
      }
    }
    return c;
  }
}
