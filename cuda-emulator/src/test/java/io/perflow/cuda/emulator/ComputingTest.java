package io.perflow.cuda.emulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Kernels compiled by nvcc give on the emulated device what plain Java computes, bit for bit where
 * both are exact.
 */
class ComputingTest {
  private static float[] random(int n, long seed) {
    var r = new Random(seed);
    float[] x = new float[n];
    for (int i = 0; i < n; i++) {
      x[i] = (float) r.nextGaussian();
    }
    return x;
  }

  @ParameterizedTest
  @CsvSource({
    "LOCK_STEP, 50, 37, 45",
    "WARPS_ASCENDING, 50, 37, 45",
    "WARPS_DESCENDING, 50, 37, 45",
    "LOCK_STEP, 16, 16, 16",
    "LOCK_STEP, 1, 1, 1",
    "LOCK_STEP, 17, 33, 1",
    "LOCK_STEP, 3, 40, 64"
  })
  void matmulOfRaggedExtentsIsExact(Schedule schedule, int m, int n, int k) {
    float[] a = random(m * k, 1);
    float[] b = random(k * n, 2);
    float[] expected = new float[m * n];
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < n; j++) {
        for (int p = 0; p < k; p++) {
          expected[i * n + j] = Math.fma(a[i * k + p], b[p * n + j], expected[i * n + j]);
        }
      }
    }
    try (var e = Emulation.of("computing", schedule)) {
      long c = e.empty(4L * m * n);
      var args = e.arguments("matmul").pointer(e.floats(a)).pointer(e.floats(b)).pointer(c);
      int[] grid = {(n + 15) / 16, (m + 15) / 16};
      e.run("matmul", grid, new int[] {16, 16}, 0, args.s32(m).s32(n).s32(k));
      assertArrayEquals(expected, e.floats(c, m * n));
    }
  }

  @ParameterizedTest
  @EnumSource(Schedule.class)
  void groupNormMatchesDouble(Schedule schedule) {
    int groups = 3;
    int n = 1000;
    float[] x = random(groups * n, 3);
    try (var e = Emulation.of("computing", schedule)) {
      long y = e.empty(4L * x.length);
      var args = e.arguments("group_norm").pointer(e.floats(x)).pointer(y).s32(n).f32(1e-5f);
      e.run("group_norm", groups, 128, args);
      float[] actual = e.floats(y, x.length);
      for (int g = 0; g < groups; g++) {
        double[] v = IntStream.range(g * n, g * n + n).mapToDouble(i -> x[i]).toArray();
        double mean = Arrays.stream(v).average().orElseThrow();
        double variance =
            Arrays.stream(v).map(t -> (t - mean) * (t - mean)).average().orElseThrow();
        for (int i = 0; i < n; i++) {
          double expected = (v[i] - mean) / Math.sqrt(variance + 1e-5);
          assertEquals(expected, actual[g * n + i], 2e-6, "group " + g + ", element " + i);
        }
      }
    }
  }

  /**
   * The answers that the authors of Philox publish for counter and key zero, all ones, and digits
   * of pi.
   */
  @ParameterizedTest
  @CsvSource({
    "0,0,0,0,0,0, 6627e8d5,e169c58d,bc57ac4c,9b00dbd8",
    "ffffffff,ffffffff,ffffffff,ffffffff,ffffffff,ffffffff, 408f276d,41c83b0e,a20bc7c6,6d5451fd",
    "243f6a88,85a308d3,13198a2e,03707344,a4093822,299f31d0, d16cfe09,94fdcceb,5001e420,24126ea1"
  })
  void philoxGivesTheKnownAnswers(
      String c0,
      String c1,
      String c2,
      String c3,
      String k0,
      String k1,
      String r0,
      String r1,
      String r2,
      String r3) {
    try (var e = Emulation.of("computing")) {
      var counter = e.struct(16);
      var key = e.struct(8);
      String[] words = {c0, c1, c2, c3};
      for (int i = 0; i < 4; i++) {
        counter.setAtIndex(ValueLayout.JAVA_INT, i, Integer.parseUnsignedInt(words[i], 16));
      }
      key.setAtIndex(ValueLayout.JAVA_INT, 0, Integer.parseUnsignedInt(k0, 16));
      key.setAtIndex(ValueLayout.JAVA_INT, 1, Integer.parseUnsignedInt(k1, 16));
      long out = e.empty(16);
      e.run("philox", 1, 1, e.arguments("philox").pointer(out).struct(counter).struct(key));
      int[] actual = e.ints(out, 4);
      String text = "%08x,%08x,%08x,%08x".formatted(actual[0], actual[1], actual[2], actual[3]);
      assertEquals(String.join(",", r0, r1, r2, r3), text);
    }
  }

  @ParameterizedTest
  @EnumSource(Schedule.class)
  void threadsLoopForDifferentTimes(Schedule schedule) {
    int n = 300;
    try (var e = Emulation.of("computing", schedule)) {
      long steps = e.empty(4L * n);
      e.run("collatz", 3, 128, e.arguments("collatz").pointer(steps).s32(n));
      int[] expected = new int[n];
      for (int i = 0; i < n; i++) {
        for (long v = i + 1L; v != 1; v = v % 2 == 0 ? v / 2 : 3 * v + 1) {
          expected[i]++;
        }
      }
      assertArrayEquals(expected, e.ints(steps, n));
    }
  }

  @ParameterizedTest
  @EnumSource(Schedule.class)
  void threadsThatPartedMeetAgainBeforeAVote(Schedule schedule) {
    int[] x = new Random(5).ints(96, -50, 50).toArray();
    int[] v = new int[96];
    for (int i = 0; i < 96; i++) {
      v[i] = x[i];
      if (v[i] > 0) {
        if (v[i] % 3 == 0) {
          v[i] *= 7;
        } else {
          for (int k = 0; k < v[i] % 5; k++) {
            v[i] += k * k;
          }
        }
      } else {
        v[i] = -v[i];
      }
    }
    int[] expected = new int[96];
    for (int i = 0; i < 96; i++) {
      int first = i / 32 * 32;
      long odd = IntStream.range(first, first + 32).filter(j -> (v[j] & 1) != 0).count();
      boolean all = IntStream.range(first, first + 32).allMatch(j -> v[j] < 1000);
      expected[i] = v[i] + (int) odd * 1000 + (all ? 100000 : 0);
    }
    try (var e = Emulation.of("computing", schedule)) {
      long y = e.empty(4L * 96);
      e.run("parting", 1, 96, e.arguments("parting").pointer(e.ints(x)).pointer(y));
      assertArrayEquals(expected, e.ints(y, 96));
    }
  }

  @Test
  void elementaryFunctionsOfFloatAreAccurate() {
    int n = 1000;
    float[] x = random(n, 6);
    for (int i = 0; i < n; i++) {
      x[i] *= i < 900 ? 3 : 1e5f;
    }
    for (int i = 900; i < n; i++) {
      x[i] = i % 2 == 0 ? x[i] : x[i] / 1e5f;
    }
    // function and error in units of 1e-7 relative, as the CUDA documentation states the libm of
    // devices
    record F(String name, DoubleUnaryOperator f, double tolerance) {}
    F[] functions = {
      new F("exp", Math::exp, 3e-7),
      new F("log", v -> Math.log(Math.abs(v)), 3e-7),
      new F("sin", Math::sin, 3e-7),
      new F("cos", Math::cos, 3e-7),
      new F("tanh", Math::tanh, 3e-7),
      null,
      new F("pow", v -> Math.pow(Math.abs(v), 1.7f), 1e-6),
      new F("sqrt", v -> Math.sqrt(Math.abs(v)), 1e-7),
      new F("cbrt", Math::cbrt, 3e-7),
      new F("rounding", ComputingTest::rounded, 0),
      new F("log1p", v -> Math.log1p(Math.abs(v)), 3e-7),
      new F("fmod", v -> (float) v % 0.7f, 0)
    };
    try (var e = Emulation.of("computing")) {
      long y = e.empty(4L * n * functions.length);
      e.run("functions", 4, 256, e.arguments("functions").pointer(e.floats(x)).pointer(y).s32(n));
      float[] actual = e.floats(y, n * functions.length);
      for (int f = 0; f < functions.length; f++) {
        for (int i = 0; i < n && functions[f] != null; i++) {
          double expected = functions[f].f.applyAsDouble(x[i]);
          double scale = Math.max(Math.abs(expected), 1e-3);
          if ((float) expected != actual[f * n + i]) {
            assertEquals(
                expected,
                actual[f * n + i],
                functions[f].tolerance * scale,
                functions[f].name + " of " + x[i]);
          }
        }
      }
    }
  }

  private static double rounded(double v) {
    double truncated = v < 0 ? Math.ceil(v) : Math.floor(v);
    return (float) Math.floor(v)
        + 0.25f * (float) Math.rint(v)
        + 0.125f * (float) truncated
        + 0.0625f * (float) Math.ceil(v);
  }

  @Test
  void elementaryFunctionsOfDoubleAreAccurate() {
    int n = 200;
    double[] x = new Random(8).doubles(n, -20, 20).toArray();
    x[0] = 1e6;
    x[1] = 3e9;
    DoubleUnaryOperator[] functions = {
      v -> v > 700 ? Double.POSITIVE_INFINITY : Math.exp(v),
      v -> Math.log(Math.abs(v)),
      Math::sin,
      Math::cos,
      Math::tanh,
      v -> Math.sqrt(Math.abs(v)),
      v -> v / 3 + Math.rint(v),
      v -> Math.cos(Math.PI * Math.IEEEremainder(v, 2))
    };
    try (var e = Emulation.of("computing")) {
      long y = e.empty(8L * n * functions.length);
      var args = e.arguments("double_functions").pointer(e.doubles(x)).pointer(y).s32(n);
      e.run("double_functions", 2, 128, args);
      double[] actual = e.doubles(y, n * functions.length);
      for (int f = 0; f < functions.length; f++) {
        for (int i = 0; i < n; i++) {
          double expected = functions[f].applyAsDouble(x[i]);
          double tolerance =
              Double.isInfinite(expected) ? 0 : 1e-15 * Math.max(1, Math.abs(expected));
          assertEquals(expected, actual[f * n + i], tolerance, "function " + f + " of " + x[i]);
        }
      }
    }
  }

  @Test
  void integerArithmeticIsExact() {
    int n = 500;
    var r = new Random(9);
    int[] a = r.ints(n).map(v -> v >> r.nextInt(31)).toArray();
    int[] b = r.ints(n).map(v -> v >> r.nextInt(31)).toArray();
    a[0] = Integer.MIN_VALUE;
    b[0] = -1;
    b[1] = 0;
    long[] expected = new long[20 * n];
    for (int i = 0; i < n; i++) {
      long[] one = integers(a[i], b[i]);
      for (int f = 0; f < one.length; f++) {
        expected[f * n + i] = one[f];
      }
    }
    try (var e = Emulation.of("computing")) {
      long y = e.empty(8L * expected.length);
      var args = e.arguments("integers").pointer(e.ints(a)).pointer(e.ints(b)).pointer(y).s32(n);
      e.run("integers", 4, 128, args);
      long[] actual = e.longs(y, expected.length);
      for (int k = 0; k < expected.length; k++) {
        int i = k % n;
        assertEquals(expected[k], actual[k], "result %d of %d and %d".formatted(k / n, a[i], b[i]));
      }
    }
  }

  private static long[] integers(int p, int q) {
    int odd = q | 1;
    long u = Integer.toUnsignedLong(p);
    long w = Integer.toUnsignedLong(q);
    long wide = (long) p << 20 ^ q;
    int shift = q & 31;
    long both = w << 32 | u;
    int permuted = (p & 0xff) | (p >>> 16 & 0xff) << 8 | (q & 0xff) << 16 | (q >>> 16 & 0xff) << 24;
    long halved = (long) Math.min(Math.max((double) ((float) u * 0.5f), 0), 4294967295.0);
    return new long[] {
      p / odd,
      p % odd,
      Integer.toUnsignedLong(Integer.divideUnsigned(p, odd)),
      Integer.toUnsignedLong(Integer.remainderUnsigned(p, odd)),
      (int) ((long) p * q >> 32),
      u * w >>> 32,
      wide / odd,
      wide % 1000003,
      Integer.bitCount(p)
          + 100 * Integer.numberOfLeadingZeros(q)
          + 10000 * (q == 0 ? 0 : Integer.numberOfTrailingZeros(q) + 1),
      Integer.toUnsignedLong(Integer.reverse(p)),
      p >> shift,
      u >>> shift,
      Integer.toUnsignedLong(permuted),
      both << shift >>> 32,
      Math.min(p, q) + 2 * Math.max(u, w),
      (short) (p + q) * (long) (byte) q,
      Math.multiplyHigh(wide, p * 77777777777L),
      Math.abs(p) - (p < q ? 1 : 0) + (u < w ? 2 : 0),
      (long) (float) p + (long) (wide * 0.5) + halved,
      p & q | ~p & (q ^ 0x55)
    };
  }

  @ParameterizedTest
  @EnumSource(Schedule.class)
  void atomicsCount(Schedule schedule) {
    int n = 1000;
    int[] x = new Random(10).ints(n, 0, 1 << 20).toArray();
    try (var e = Emulation.of("computing", schedule)) {
      long bins = e.ints(new int[16]);
      long top = e.ints(-5);
      long owner = e.ints(-1);
      var args =
          e.arguments("histogram").pointer(e.ints(x)).pointer(bins).pointer(top).pointer(owner);
      e.run("histogram", 8, 128, args.s32(n));
      int[] expected = new int[16];
      Arrays.stream(x).forEach(v -> expected[v & 15]++);
      assertArrayEquals(expected, e.ints(bins, 16));
      assertEquals(Arrays.stream(x).max().orElseThrow(), e.ints(top, 1)[0]);
      assertTrue(e.ints(owner, 1)[0] >= 0);
    }
  }

  @Test
  void argumentsByValueConstantsAndGenericPointersReachTheRightMemory() {
    int n = 64;
    float[] x = random(n, 11);
    int[] shift = {1, 5, 9};
    try (var e = Emulation.of("computing")) {
      var box = e.struct(24);
      box.set(ValueLayout.JAVA_FLOAT, 0, 2f);
      for (int i = 0; i < 3; i++) {
        box.set(ValueLayout.JAVA_INT, 4 + 4 * i, shift[i]);
      }
      box.set(ValueLayout.JAVA_DOUBLE, 16, 0.25);
      long y = e.empty(4L * n);
      var args = e.arguments("addressing").struct(box).pointer(e.floats(x)).pointer(y).s32(n);
      e.run("addressing", new int[] {1}, new int[] {n}, 4 * n, args);
      float[] expected = new float[n];
      for (int i = 0; i < n; i++) {
        int j = (i + shift[i % 3]) % n;
        float value = x[i] > 0 ? x[j] * 2f + 0.25f : x[j];
        expected[i] = value * (0.5f + (i & 3));
      }
      assertArrayEquals(expected, e.floats(y, n));
    }
  }

  @Test
  void singleBytesArriveInTheirPlaces() {
    int[] x = new Random(12).ints(64).toArray();
    try (var e = Emulation.of("computing")) {
      long y = e.empty(4L * 64);
      e.run("bytes", 1, 64, e.arguments("bytes").pointer(e.ints(x)).pointer(y));
      assertArrayEquals(Arrays.stream(x).map(Integer::reverseBytes).toArray(), e.ints(y, 64));
    }
  }

  @ParameterizedTest
  @EnumSource(Schedule.class)
  void barriersOfAWarpOrderItsThreads(Schedule schedule) {
    float[] x = random(128, 13);
    try (var e = Emulation.of("computing", schedule)) {
      long y = e.empty(4L * 128);
      e.run("warp_reverse", 1, 128, e.arguments("warp_reverse").pointer(e.floats(x)).pointer(y));
      float[] expected = new float[128];
      for (int i = 0; i < 128; i++) {
        expected[i] = x[i / 32 * 32 + 31 - i % 32];
      }
      assertArrayEquals(expected, e.floats(y, 128));
    }
  }

  @ParameterizedTest
  @EnumSource(Schedule.class)
  void tensorCoresMultiplyWhateverTheLayoutOfFragments(Schedule schedule) {
    int m = 32;
    int n = 48;
    int k = 40;
    float[] a = random(m * k, 14);
    float[] b = random(k * n, 15);
    try (var e = Emulation.of("tensor", schedule)) {
      long c = e.empty(4L * m * n);
      var args = e.arguments("tf32_matmul").pointer(e.floats(a)).pointer(e.floats(b)).pointer(c);
      e.run("tf32_matmul", new int[] {n / 16, m / 16}, new int[] {32}, 0, args.s32(n).s32(k));
      float[] actual = e.floats(c, m * n);
      for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
          double sum = 0;
          for (int p = 0; p < k; p++) {
            sum += (double) tf32(a[i * k + p]) * tf32(b[p * n + j]);
          }
          assertEquals(sum, actual[i * n + j], 1e-5, "element " + i + ", " + j);
        }
      }
    }
  }

  /** Eleven significant bits, ties away from zero. */
  private static float tf32(float v) {
    double ulp = Math.scalb(1.0, Math.getExponent(v) - 10);
    return (float) (Math.signum(v) * Math.floor(Math.abs(v) / ulp + 0.5) * ulp);
  }
}
