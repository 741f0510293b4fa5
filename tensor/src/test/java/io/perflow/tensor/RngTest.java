package io.perflow.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class RngTest {
  private static final int N = 400_000;

  private static double[] normals(Rng rng, int n) {
    return rng.normal(Device.cpu(), Shape.of(n), DataType.F64).toDoubles();
  }

  private static double[] uniforms(Rng rng, int n) {
    return rng.uniform(Device.cpu(), Shape.of(n), DataType.F64).toDoubles();
  }

  private static double moment(double[] x, int power) {
    return Arrays.stream(x).map(v -> Math.pow(v, power)).average().orElseThrow();
  }

  // Each bound is five standard deviations of the sample's moment.
  @Test
  void normalHasItsMoments() {
    double[] z = normals(Rng.of(1), N);
    double unit = 5 / Math.sqrt(N);
    assertEquals(0, moment(z, 1), unit);
    assertEquals(1, moment(z, 2), Math.sqrt(2) * unit);
    assertEquals(0, moment(z, 3), Math.sqrt(15) * unit);
    assertEquals(3, moment(z, 4), Math.sqrt(96) * unit);
  }

  @Test
  void uniformFillsItsBinsEvenly() {
    double[] u = uniforms(Rng.of(2), N);
    int bins = 100;
    int[] counts = new int[bins];
    for (double v : u) {
      counts[(int) (v * bins)]++;
    }
    assertEvenly(counts, N);
  }

  // Chi-squared has mean bins - 1 and variance 2 (bins - 1).
  private static void assertEvenly(int[] counts, int total) {
    double expected = (double) total / counts.length;
    double chi2 = Arrays.stream(counts).mapToDouble(c -> (c - expected) * (c - expected)).sum();
    int free = counts.length - 1;
    assertEquals(free, chi2 / expected, 5 * Math.sqrt(2 * free));
  }

  @Test
  void neighboursAndPairsAreUncorrelated() {
    double[] z = normals(Rng.of(3), N);
    for (int lag = 1; lag <= 4; lag++) {
      double sum = 0;
      for (int i = lag; i < N; i++) {
        sum += z[i] * z[i - lag];
      }
      assertEquals(0, sum / (N - lag), 5 / Math.sqrt(N));
    }
  }

  @Test
  void splitsAreUncorrelated() {
    Rng rng = Rng.of(4);
    Rng[] streams = {
      rng, rng.split("a"), rng.split("b"), rng.split(0), rng.split(1), rng.split("a").split("a")
    };
    double[][] z = Arrays.stream(streams).map(s -> normals(s, N)).toArray(double[][]::new);
    for (int i = 0; i < z.length; i++) {
      for (int j = 0; j < i; j++) {
        double sum = 0;
        for (int k = 0; k < N; k++) {
          sum += z[i][k] * z[j][k];
        }
        assertEquals(0, sum / N, 5 / Math.sqrt(N));
      }
    }
  }

  @Test
  void splitsCanBeCountedFromAnotherNumber() {
    Rng rng = Rng.of(4).split("samples");
    assertEquals(rng.split(9).state(), rng.from(7).split(2).state());
    assertEquals(rng.split(9).state(), rng.from(3).from(4).split(2).state());
    assertEquals(rng.split("a").state(), rng.from(7).split("a").state());
    assertEquals(rng.state(), rng.from(7).state());
  }

  @Test
  void splittingNeitherMovesNorDependsOnThePosition() {
    Rng rng = Rng.of(5);
    Rng early = rng.split("x");
    assertEquals(Rng.of(5).state(), rng.state());
    rng.nextLong();
    Rng late = rng.split("x");
    early.nextLong();
    assertEquals(early.state().key(), late.state().key());
    assertEquals(0, late.state().counter());
  }

  @Test
  void differentNamesGiveDifferentStreams() {
    Set<Long> keys = new HashSet<>();
    Rng rng = Rng.of(6);
    int made = 0;
    for (int i = 0; i < 20_000; i++, made += 2) {
      keys.add(rng.split(i).state().key());
      keys.add(rng.split("layer" + i).state().key());
    }
    String[] awkward = {"", "\0", "\0\0", "a", "ab", "abcdefgh", "abcdefgh\0", "abcdefghijklmnop"};
    for (String name : awkward) {
      keys.add(rng.split(name).state().key());
      made++;
    }
    keys.add(rng.split("a").split("b").state().key());
    keys.add(rng.split("abcdefgh").split("ijklmnop").state().key());
    assertEquals(made + 2, keys.size());
  }

  @Test
  void numbersDoNotDependOnTheNumberOfThreads() {
    int before = Settings.threads();
    try {
      Settings.threads(1);
      double[] one = normals(Rng.of(7), 100_001);
      for (int threads : new int[] {2, 3, 8}) {
        Settings.threads(threads);
        assertArrayEquals(one, normals(Rng.of(7), 100_001));
      }
    } finally {
      Settings.threads(before);
    }
  }

  @Test
  void everyDeviceDrawsTheSameNumbers() {
    for (DataType type : DataType.values()) {
      Shape shape = Shape.of(3, 5, 7);
      Tensor fast = Rng.of(8).normal(Device.cpu(), shape, type);
      Tensor plain = Rng.of(8).normal(Device.reference(), shape, type);
      assertEquals(shape, fast.shape());
      assertEquals(type, fast.type());
      assertArrayEquals(plain.toDoubles(), fast.toDoubles());
      assertArrayEquals(
          Rng.of(8).uniform(Device.reference(), shape, type).toDoubles(),
          Rng.of(8).uniform(Device.cpu(), shape, type).toDoubles());
    }
    assertEquals(DataType.F32, Rng.of(8).normal(Shape.of(2)).type());
    assertEquals(DataType.F32, Rng.of(8).uniform(Shape.of(2)).type());
  }

  @Test
  void drawsDoNotOverlap() {
    Rng rng = Rng.of(9);
    double[] first = uniforms(rng, 5);
    assertEquals(3, rng.state().counter());
    double[] second = uniforms(rng, 5);
    double next = rng.nextDouble();
    double[] all = uniforms(Rng.of(9), 14);
    assertArrayEquals(Arrays.copyOf(all, 5), first);
    assertArrayEquals(Arrays.copyOfRange(all, 6, 11), second);
    assertEquals(all[12], next);
  }

  @Test
  void emptyTensorTakesNothing() {
    Rng rng = Rng.of(10);
    assertEquals(0, rng.normal(Shape.of(0, 3)).size());
    assertEquals(0, rng.state().counter());
  }

  @Test
  void boundedIntegersAreEvenlySpread() {
    Rng rng = Rng.of(11);
    int[] counts = new int[7];
    for (int i = 0; i < N; i++) {
      counts[rng.nextInt(7)]++;
    }
    assertEvenly(counts, N);
    assertEquals(0, rng.nextInt(1));
    assertTrue(rng.nextInt(Integer.MAX_VALUE) >= 0);
    assertMessage("[rng] bound 0 must be at least 1", () -> rng.nextInt(0));
  }

  @Test
  void everyOrderIsEquallyLikely() {
    Rng rng = Rng.of(12);
    int[] counts = new int[27];
    int total = 60_000;
    for (int i = 0; i < total; i++) {
      int[] p = rng.permutation(3);
      counts[9 * p[0] + 3 * p[1] + p[2]]++;
    }
    int[] seen = Arrays.stream(counts).filter(c -> c > 0).toArray();
    assertEquals(6, seen.length);
    assertEvenly(seen, total);
  }

  @Property(tries = 300)
  void choiceIsTheFrontOfAPermutation(
      @ForAll long seed, @ForAll @IntRange(max = 300) int n, @ForAll @IntRange(max = 300) int k) {
    int[] all = Rng.of(seed).permutation(n);
    int[] sorted = all.clone();
    Arrays.sort(sorted);
    for (int i = 0; i < n; i++) {
      assertEquals(i, sorted[i]);
    }
    int count = Math.min(k, n);
    assertArrayEquals(Arrays.copyOf(all, count), Rng.of(seed).choice(n, count));
  }

  @Test
  void choiceFromManyIsDistinctAndSmall() {
    int[] chosen = Rng.of(13).choice(Integer.MAX_VALUE, 10_000);
    assertEquals(10_000, Arrays.stream(chosen).distinct().count());
    assertTrue(Arrays.stream(chosen).allMatch(i -> i >= 0));
  }

  @Test
  void choiceRefusesMoreThanThereAre() {
    assertMessage("[rng] cannot choose 4 of 3", () -> Rng.of(0).choice(3, 4));
    assertMessage("[rng] cannot choose -1 of 3", () -> Rng.of(0).choice(3, -1));
    assertMessage("[rng] cannot choose -2 of -2", () -> Rng.of(0).permutation(-2));
    assertEquals(0, Rng.of(0).choice(3, 0).length);
    assertEquals(0, Rng.of(0).permutation(0).length);
  }

  @Property
  void restoredStreamGoesOn(@ForAll long seed, @ForAll @IntRange(max = 20) int drawn) {
    Rng rng = Rng.of(seed).split("train");
    for (int i = 0; i < drawn; i++) {
      rng.nextLong();
    }
    Rng again = Rng.restore(Rng.State.parse(rng.state().toString()));
    assertEquals(rng.state(), again.state());
    assertEquals(rng.nextLong(), again.nextLong());
    assertArrayEquals(normals(rng, 5), normals(again, 5));
  }

  @Test
  void stateAsText() {
    Rng.State state = new Rng.State(-1, 18);
    assertEquals("philox4x32-10:ffffffffffffffff:0000000000000012", state.toString());
    String[] bad = {"", "1:2", "mt19937:1:2", "philox4x32-10:1:x", "philox4x32-10:1:2:3"};
    for (String text : bad) {
      assertMessage(
          "[rng] \"" + text + "\" is not a state of the form philox4x32-10:<key>:<counter>",
          () -> Rng.State.parse(text));
    }
  }

  @Test
  void seedsDiffer() {
    assertNotEquals(Rng.of(1).nextLong(), Rng.of(2).nextLong());
    assertEquals(Rng.of(1).nextLong(), Rng.of(1).nextLong());
  }

  private static void assertMessage(
      String message, org.junit.jupiter.api.function.Executable code) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, code).getMessage());
  }
}
