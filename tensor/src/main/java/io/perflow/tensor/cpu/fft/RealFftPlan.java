package io.perflow.tensor.cpu.fft;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The transform of n real numbers: by a complex one of length n / 2 when n is even, else of length
 * n with imaginary parts zero. Also holds the factors of the cosine transforms of length n.
 */
final class RealFftPlan {
  private static final int MAX_CACHED = 256; // as for complex plans
  private static final Map<Integer, RealFftPlan> CACHE = new ConcurrentHashMap<>();

  /** Length of the real transform. */
  final int n;

  /** Length of the complex transform: n / 2 or n. */
  final int m;

  /** Plan of the complex transform. */
  final FftPlan complex;

  /** exp(-2 pi i k / n) for 2k ≤ m, when n is even. */
  final FftPlan.Table roots;

  /** exp(-pi i k / 2n) for k &lt; n. */
  final FftPlan.Table quarters;

  private RealFftPlan(int n) {
    this.n = n;
    m = n % 2 == 0 ? n / 2 : n;
    complex = FftPlan.of(m);
    roots = table(m / 2 + 1, n);
    quarters = table(n, 4L * n);
  }

  /** The plan for length {@code n} ≥ 1. */
  static RealFftPlan of(int n) {
    RealFftPlan plan = CACHE.get(n);
    if (plan == null) {
      plan = new RealFftPlan(n);
      if (CACHE.size() >= MAX_CACHED) {
        CACHE.clear();
      }
      CACHE.put(n, plan);
    }
    return plan;
  }

  boolean even() {
    return n % 2 == 0;
  }

  private static FftPlan.Table table(int count, long turn) {
    long[] index = new long[count];
    Arrays.setAll(index, k -> k);
    return new FftPlan.Table(Roots.clockwise(index, turn));
  }
}
