package io.perflow.physics.prior;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Close;
import io.perflow.physics.Axis;
import io.perflow.physics.Problem;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The laws of bases, blocks and factors. */
class SpectralBasisTest {

  private static Tensor normal(long seed, int... shape) {
    return Rng.of(seed).normal(Device.cpu(), Shape.of(shape), DataType.F64);
  }

  private static double[] covariance(int points, int samples, long seed) {
    Tensor x = normal(seed, samples, points);
    return x.transpose().matmul(x).div(samples).toDoubles();
  }

  private static Tensor identity(int n) {
    return PriorCase.tensor(SimpleMatrix.identity(n));
  }

  private static void orthonormal(AxisBasis basis) {
    Tensor f = basis.functions();
    Close.assertClose("functions", identity(basis.size()), f.matmul(f.transpose()), 1e-12);
  }

  // what a reflection makes of the functions, point i going to the place of another
  private static void evenOrOdd(AxisBasis basis, int... mirrored) {
    Tensor moved = basis.functions().gather(1, mirrored);
    for (int f = 0; f < basis.size(); f++) {
      Tensor expected = basis.functions().select(0, f).mul(basis.odd()[f] ? -1 : 1);
      Close.assertClose("function " + f, expected, moved.select(0, f), 1e-12);
    }
  }

  @Property(tries = 40, seed = "1")
  void sinesAndCosinesAreOrthonormalAndEvenOrOdd(
      @ForAll @IntRange(min = 1, max = 13) int points, @ForAll boolean cells) {
    Axis axis = Axis.periodic("x", 0, 1, points);
    double[] covariance = covariance(points, 20, points);
    AxisBasis basis = AxisBasis.fourier(cells ? axis.cells() : axis, covariance);
    orthonormal(basis);
    evenOrOdd(
        basis,
        IntStream.range(0, points)
            .map(i -> cells ? points - 1 - i : (points - i) % points)
            .toArray());
    double trace = IntStream.range(0, points).mapToDouble(i -> covariance[i * points + i]).sum();
    assertEquals(trace, basis.sum(), 1e-12 * trace);
    for (int f = 0; f < points; f++) {
      int partner = basis.partner(f);
      assertEquals(f, basis.partner(partner));
      assertEquals(basis.waves()[f], basis.waves()[partner]);
      assertEquals(basis.variances()[f], basis.variances()[partner]);
      assertTrue(partner == f || basis.odd()[f] != basis.odd()[partner]);
    }
  }

  @Property(tries = 40, seed = "2")
  void principalComponentsAreOrthonormalAndEvenOrOdd(
      @ForAll @IntRange(min = 1, max = 13) int points, @ForAll boolean mirrored) {
    double[] covariance = covariance(points, 5, points);
    AxisBasis basis = AxisBasis.principal(covariance, points, mirrored);
    orthonormal(basis);
    if (mirrored) {
      evenOrOdd(basis, IntStream.range(0, points).map(i -> points - 1 - i).toArray());
    } else { // they make the covariance diagonal
      Tensor f = basis.functions();
      Tensor inside = f.matmul(Tensor.of(covariance, points, points)).matmul(f.transpose());
      SimpleMatrix expected = SimpleMatrix.diag(basis.variances());
      Close.assertClose("diagonal", PriorCase.tensor(expected), inside, 1e-10);
    }
    for (int f = 0; f < points; f++) {
      assertEquals(f, basis.partner(f));
      assertTrue(f == 0 || basis.variances()[f - 1] >= basis.variances()[f]);
    }
  }

  private static SpectralBasis basis(PriorCase some) {
    Tensor fields = some.fields(30, 1);
    return SpectralBasis.of(some.problem(), fields.sub(fields.mean(true, 0)));
  }

  @ParameterizedTest
  @EnumSource
  void analysisAndSynthesisAreInverseAndAdjoint(PriorCase some) {
    Problem problem = some.problem();
    SpectralBasis whole = basis(some);
    Tensor x = normal(1, problem.batch(3).toArray());
    Close.assertClose("inverse", x, whole.synthesize(whole.analyze(x)), 1e-12);
    int[] numbers = Arrays.copyOf(whole.ranking(), (whole.size() + 1) / 2);
    SpectralBasis half = whole.keep(numbers);
    Tensor c = normal(2, 3, half.size());
    Close.assertClose("inverse", c, half.analyze(half.synthesize(c)), 1e-12);
    double there = half.analyze(x).mul(c).sum().item();
    assertEquals(there, half.synthesize(c).mul(x).sum().item(), 1e-10);
    for (int place = 0; place < half.size(); place++) {
      assertEquals(place, half.place(half.number(place)));
    }
  }

  @ParameterizedTest
  @EnumSource
  void readingsOfFunctionsAreReadingsOfFields(PriorCase some) {
    SpectralBasis whole = basis(some);
    SpectralBasis half = whole.keep(Arrays.copyOf(whole.ranking(), (whole.size() + 1) / 2));
    int length = some.problem().batch(1).size();
    Sensing sensing = Sensing.at(some.problem(), Rng.of(3).choice(length, Math.min(length, 12)), 0);
    int[] places = IntStream.range(0, half.size()).filter(p -> p % 3 != 1).toArray();
    Tensor functions = half.synthesize(identity(half.size())).gather(0, places);
    Close.assertClose(
        "rows", sensing.read(functions).transpose(), half.read(sensing, places), 1e-12);
  }

  @ParameterizedTest
  @EnumSource
  void rankingBeginsWithTheMostVariance(PriorCase some) {
    SpectralBasis basis = basis(some);
    int[] ranking = basis.ranking();
    assertArrayEquals(
        IntStream.range(0, basis.size()).toArray(), Arrays.stream(ranking).sorted().toArray());
    for (int i = 1; i < ranking.length; i++) {
      assertTrue(basis.variance(ranking[i - 1]) >= basis.variance(ranking[i]));
    }
  }

  @ParameterizedTest
  @EnumSource
  void blocksArePartitions(PriorCase some) {
    SpectralBasis basis = basis(some);
    boolean periodic =
        some.problem().grid().rows().periodic() && some.problem().grid().columns().periodic();
    for (Blocks.Kind kind : Blocks.Kind.values()) {
      if (kind == Blocks.Kind.WAVES && !periodic) {
        continue;
      }
      Blocks blocks = Blocks.of(basis, kind);
      int[] all = blocks.members().stream().flatMapToInt(Arrays::stream).sorted().toArray();
      assertArrayEquals(IntStream.range(0, basis.size()).toArray(), all);
      long entries = blocks.members().stream().mapToLong(m -> (long) m.length * m.length).sum();
      assertEquals(entries, blocks.entries());
    }
  }

  @Property(tries = 30, seed = "3")
  void factorsOfFullRankGiveTheMatrixBack(
      @ForAll @IntRange(min = 1, max = 12) int size,
      @ForAll @IntRange(min = 1, max = 12) int rank) {
    Tensor x = normal(size + 100L * rank, size, rank);
    Tensor other = normal(7, 4, 4);
    Tensor first = x.matmul(x.transpose());
    Tensor second = other.matmul(other.transpose()).mul(0.1);
    List<double[]> blocks = List.of(first.toDoubles(), second.toDoubles());
    PivotedCholesky factors = PivotedCholesky.of(blocks, 1000);
    assertEquals(Math.min(size, rank), factors.columns(0).size());
    Close.assertClose("first", first, product(factors, 0, size), 1e-9);
    Close.assertClose("second", second, product(factors, 1, 4), 1e-9);
  }

  private static Tensor product(PivotedCholesky factors, int block, int size) {
    double[][] columns = factors.columns(block).toArray(double[][]::new);
    Tensor rows = PriorCase.tensor(new SimpleMatrix(columns));
    assertEquals(size, rows.dim(1));
    return rows.transpose().matmul(rows);
  }

  @Property(tries = 30, seed = "4")
  void factorsOfLowerRankLeaveWhatTheySay(@ForAll @IntRange(min = 1, max = 15) int rank) {
    Tensor x = normal(5, 10, 10);
    Tensor y = normal(6, 6, 6);
    List<Tensor> blocks = List.of(x.matmul(x.transpose()), y.matmul(y.transpose()));
    PivotedCholesky factors =
        PivotedCholesky.of(blocks.stream().map(Tensor::toDoubles).toList(), rank);
    assertEquals(rank, factors.columns(0).size() + factors.columns(1).size());
    for (int b = 0; b < 2; b++) {
      int n = blocks.get(b).dim(0);
      double[] left = new double[n];
      for (int i = 0; i < n; i++) {
        left[i] = blocks.get(b).get(i, i);
        for (double[] column : factors.columns(b)) {
          left[i] -= column[i] * column[i];
        }
      }
      assertArrayEquals(left, factors.left(b), 1e-10);
    }
  }
}
