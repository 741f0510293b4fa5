package io.perflow.physics.prior;

import io.perflow.physics.Axis;
import io.perflow.physics.Problem;
import io.perflow.physics.Symmetry;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Named;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * Which coefficients of a {@link SpectralBasis} are correlated at all: those of one block. A law
 * that does not notice reflections keeps even and odd functions apart, and one that does not notice
 * shifts along an axis keeps wave numbers apart, so symmetry makes a covariance small and a few
 * fields go a long way.
 */
final class Blocks {

  /** What decides which coefficients are correlated. */
  enum Kind {
    /** The symmetries of the problem, and nothing else. */
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

  private final SpectralBasis basis;
  private final List<int[]> members = new ArrayList<>();
  private final int[] blockOf;
  private final int[] placeIn;
  private final boolean[] invariant; // under reflections and shifts along an axis
  private final int[] wave; // pairs of wave numbers, counted
  private final List<Exchange> exchanges = new ArrayList<>();

  /** A symmetry as exchange of coefficients with signs. */
  private record Exchange(int[] with, int[] signs) {}

  private Blocks(SpectralBasis basis, Kind kind) {
    this.basis = basis;
    Problem problem = basis.problem();
    Axis rows = problem.grid().rows();
    Axis columns = problem.grid().columns();
    boolean waves = kind == Kind.WAVES;
    boolean shiftRows = waves || shifts(problem, rows);
    boolean shiftColumns = waves || shifts(problem, columns);
    int[] up = signs(problem, rows);
    int[] left = signs(problem, columns);
    Map<List<Integer>, List<Integer>> groups = new LinkedHashMap<>();
    wave = new int[basis.size()];
    invariant = new boolean[basis.size()];
    int width = problem.grid().width();
    for (int id = 0; id < basis.size(); id++) {
      int number = basis.number(id);
      int c = basis.channel(number);
      int i = basis.row(number);
      int j = basis.column(number);
      AxisBasis r = basis.rows(number);
      AxisBasis s = basis.columns(number);
      wave[id] = r.waves()[i] * width + s.waves()[j];
      List<Integer> label =
          List.of(
              shiftRows ? r.waves()[i] : 0,
              shiftColumns ? s.waves()[j] : 0,
              up == null ? 1 : (r.odd()[i] ? -1 : 1) * up[c],
              left == null ? 1 : (s.odd()[j] ? -1 : 1) * left[c]);
      invariant[id] = label.equals(List.of(0, 0, 1, 1));
      groups.computeIfAbsent(label, _ -> new ArrayList<>()).add(id);
    }
    blockOf = new int[basis.size()];
    placeIn = new int[basis.size()];
    for (List<Integer> group : groups.values()) {
      for (int place = 0; place < group.size(); place++) {
        blockOf[group.get(place)] = members.size();
        placeIn[group.get(place)] = place;
      }
      members.add(group.stream().mapToInt(id -> id).toArray());
    }
    if (shiftRows && rows.periodic()) {
      exchanges.add(quarterShift(true));
    }
    if (shiftColumns && columns.periodic()) {
      exchanges.add(quarterShift(false));
    }
    if (SpectralBasis.transposes(problem)) {
      exchanges.add(transposition());
    }
  }

  static Blocks of(SpectralBasis basis, Kind kind) {
    return new Blocks(basis, kind);
  }

  /** The coefficients of every block. */
  List<int[]> members() {
    return members;
  }

  SpectralBasis basis() {
    return basis;
  }

  /** Numbers in all covariance matrices together. */
  long entries() {
    return members.stream().mapToLong(m -> (long) m.length * m.length).sum();
  }

  /** Whether two coefficients have the same wave numbers. */
  boolean sameWave(int a, int b) {
    return wave[a] == wave[b];
  }

  private static boolean shifts(Problem problem, Axis axis) {
    return problem.symmetries().stream()
        .anyMatch(s -> s.kind() == Symmetry.Kind.SHIFT && s.axes().equals(List.of(axis.name())));
  }

  // of each channel under a reflection of the axis; null when that is no symmetry
  private static int[] signs(Problem problem, Axis axis) {
    for (Symmetry symmetry : problem.symmetries()) {
      if (symmetry.kind() == Symmetry.Kind.MIRROR
          && symmetry.axes().getFirst().equals(axis.name())) {
        int[] signs = new int[problem.channelCount()];
        Arrays.fill(signs, 1);
        symmetry
            .negated()
            .forEach(q -> Arrays.stream(problem.select(q)).forEach(c -> signs[c] = -1));
        return signs;
      }
    }
    return null;
  }

  // a shift by a quarter of its period turns a cosine into a sine and a sine into minus the cosine
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

  /**
   * The covariance of every block, row by row, averaged over the symmetries.
   *
   * @param coefficients of centred fields, [fields, size]
   */
  List<double[]> covariances(Tensor coefficients) {
    int count = coefficients.dim(0);
    List<double[]> result = new ArrayList<>();
    for (int[] block : members) {
      Tensor x = coefficients.gather(1, block).to(DataType.F64);
      result.add(x.transpose().matmul(x).div(count).toDoubles());
    }
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
   * Which coefficients a mean may have: those that no reflection and no shift along an axis moves.
   */
  boolean[] invariant() {
    return invariant.clone();
  }

  /**
   * Coefficients [1, size] averaged with those of the transposed field where that is a symmetry.
   */
  Tensor transposed(Tensor coefficients) {
    if (!SpectralBasis.transposes(basis.problem())) {
      return coefficients;
    }
    return coefficients.add(coefficients.gather(1, transposition().with)).div(2);
  }

  /**
   * The covariances with those between different wave numbers made smaller: (1 - a) C + a D, with D
   * the part of C that a law which is the same everywhere would have. Few fields leave errors of
   * size 1/√fields in all entries; most of the true ones outside D are smaller than that.
   */
  List<double[]> shrunk(List<double[]> covariances, double a) {
    List<double[]> result = new ArrayList<>();
    for (int b = 0; b < members.size(); b++) {
      int[] block = members.get(b);
      double[] c = covariances.get(b).clone();
      for (int p = 0; p < block.length && a > 0; p++) {
        for (int q = 0; q < block.length; q++) {
          if (!sameWave(block[p], block[q])) {
            c[p * block.length + q] *= 1 - a;
          }
        }
      }
      result.add(c);
    }
    return result;
  }
}
