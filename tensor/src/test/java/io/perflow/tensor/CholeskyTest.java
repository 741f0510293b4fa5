package io.perflow.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Arrangement;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;

/** The laws that define a Cholesky factorization, with EJML as an oracle. */
class CholeskyTest {
  private static Tensor normal(Device device, long seed, int... shape) {
    return Rng.of(seed).normal(device, Shape.of(shape), DataType.F64);
  }

  /** I + G G' / n: its eigenvalues lie between 1 and about 5. */
  private static Tensor positive(Device device, long seed, int n) {
    Tensor g = normal(device, seed, n, n);
    return identity(device, n).addScaled(g.matmul(g.transpose()), 1.0 / Math.max(1, n));
  }

  private static Tensor identity(Device device, int n) {
    double[] ones = new double[n * n];
    for (int i = 0; i < n; i++) {
      ones[i * n + i] = 1;
    }
    return Tensor.of(ones, n, n).to(device);
  }

  private static void assertClose(Tensor expected, Tensor actual) {
    assertEquals(expected.shape(), actual.shape());
    assertArrayEquals(expected.toDoubles(), actual.toDoubles(), 1e-12);
  }

  private static Device device(boolean vectors) {
    return vectors ? Device.cpu() : Device.reference();
  }

  @Property(tries = 150)
  void factorTimesItsTransposeIsTheMatrix(
      @ForAll boolean vectors,
      @ForAll @IntRange(min = 0, max = 100) int n,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    Tensor a = positive(device(vectors), seed, n);
    Cholesky cholesky = Cholesky.of(arrangement.of(a));
    assertEquals(n, cholesky.size());
    Tensor l = cholesky.factor();
    assertClose(a, l.matmul(l.transpose()));
    double[] entries = l.toDoubles();
    for (int r = 0; r < n; r++) {
      assertTrue(entries[r * n + r] > 0);
      for (int c = r + 1; c < n; c++) {
        assertEquals(0, entries[r * n + c]);
      }
    }
  }

  @Property(tries = 150)
  void solvesUndoTheirMatrices(
      @ForAll boolean vectors,
      @ForAll @IntRange(min = 1, max = 100) int n,
      @ForAll @IntRange(min = 0, max = 40) int m,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    Device device = device(vectors);
    Tensor a = positive(device, seed, n);
    Tensor b = arrangement.of(normal(device, seed + 1, n, m));
    double[] before = b.toDoubles();
    Cholesky cholesky = Cholesky.of(a);
    Tensor l = cholesky.factor();
    assertClose(b, a.matmul(cholesky.solve(b)));
    assertClose(b, l.matmul(cholesky.lower(b)));
    assertClose(b, l.transpose().matmul(cholesky.upper(b)));
    assertArrayEquals(before, b.toDoubles(), "the right-hand side changed");
  }

  @Property(tries = 50)
  void logDeterminantIsTheSumOfLogs(@ForAll @IntRange(min = 0, max = 80) int n, @ForAll long seed) {
    Cholesky cholesky = Cholesky.of(positive(Device.cpu(), seed, n));
    double[] l = cholesky.factor().toDoubles();
    double sum =
        IntStream.range(0, n).mapToDouble(i -> Math.log(l[i * n + i] * l[i * n + i])).sum();
    assertEquals(sum, cholesky.logDeterminant(), 1e-12 * (1 + Math.abs(sum)));
  }

  @Test
  void agreesWithEjmlOnLargerSystems() {
    for (int n : new int[] {127, 300, 513}) {
      Tensor a = positive(Device.cpu(), n, n);
      Tensor b = normal(Device.cpu(), n + 1, n, 70);
      SimpleMatrix matrix = new SimpleMatrix(n, n, true, a.toDoubles());
      SimpleMatrix right = new SimpleMatrix(n, 70, true, b.toDoubles());
      Cholesky cholesky = Cholesky.of(a);
      assertArrayEquals(
          matrix.solve(right).getDDRM().getData(), cholesky.solve(b).toDoubles(), 1e-12);
      assertEquals(Math.log(matrix.determinant()), cholesky.logDeterminant(), 1e-10 * n);
    }
  }

  @Test
  void readsTheLowerTriangleOnly() {
    int n = 50;
    Tensor a = positive(Device.cpu(), 1, n);
    double[] lower = a.toDoubles();
    for (int r = 0; r < n; r++) {
      java.util.Arrays.fill(lower, r * n + r + 1, (r + 1) * n, Double.NaN);
    }
    assertArrayEquals(
        Cholesky.of(a).factor().toDoubles(),
        Cholesky.of(Tensor.of(lower, n, n)).factor().toDoubles());
  }

  @Property(tries = 40)
  void refusesIndefiniteMatrices(
      @ForAll @IntRange(min = 0, max = 69) int pivot, @ForAll boolean vectors) {
    double[] entries = identity(Device.cpu(), 70).toDoubles();
    entries[pivot * 71] = -0.25;
    Tensor a = Tensor.of(entries, 70, 70).to(device(vectors));
    IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> Cholesky.of(a));
    assertTrue(e.getMessage().contains("pivot %d is -0.25;".formatted(pivot)), e.getMessage());
  }

  @Test
  void refusesSingularMatricesAndNumbersThatAreNone() {
    for (double entry : new double[] {0, Double.NaN, Double.POSITIVE_INFINITY}) {
      Tensor a = Tensor.of(new double[] {entry}, 1, 1);
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> Cholesky.of(a));
      assertTrue(e.getMessage().contains("pivot 0 is " + entry), e.getMessage());
    }
  }

  @Test
  void namesWhatDoesNotFit() {
    refused("[2, 3] is not square", () -> Cholesky.of(normal(Device.cpu(), 1, 2, 3)));
    refused("convert it with to(DataType.F64)", () -> Cholesky.of(Tensor.ones(1, 1)));
    Cholesky cholesky = Cholesky.of(identity(Device.cpu(), 2));
    refused("shape [3, 1] has 3, expected 2", () -> cholesky.solve(normal(Device.cpu(), 1, 3, 1)));
    refused("must have 2 axes", () -> cholesky.lower(normal(Device.cpu(), 1, 2)));
    refused("types differ", () -> cholesky.upper(Tensor.ones(2, 1)));
  }

  private static void refused(String reason, Runnable action) {
    ShapeException e = assertThrows(ShapeException.class, action::run);
    assertTrue(e.getMessage().contains(reason), e.getMessage());
  }
}
