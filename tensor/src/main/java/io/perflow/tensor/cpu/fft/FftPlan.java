package io.perflow.tensor.cpu.fft;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How the discrete Fourier transform of length n is carried out: a list of passes, or a
 * convolution.
 *
 * <p><b>Passes.</b> Lengths with no prime factor above 7 are cut into radices 2, 3, 4, 5, 7 and 8
 * and run as Stockham's autosort algorithm, decimated in frequency. With s the product of the
 * radices already done, r the one of this pass and m = n / (r s) what is left, a pass reads rows
 * ordered (q, p, t) of sizes (r, m, s) and writes rows ordered (p, l, t):
 *
 * <pre>
 *   y[p, l, t] = w(rm)^(p l) * sum over q of x[q, p, t] * w(r)^(q l),  w(n) = exp(-2 pi i / n)
 * </pre>
 *
 * so that after the last pass the rows stand in natural order and no bit reversal is needed.
 *
 * <p><b>Rader.</b> The powers of a primitive root g of a prime n run through 1 … n - 1, and with
 * samples and results in that order the transform is a circular convolution of length n - 1. Primes
 * for which that length is cut into the radices above use it.
 *
 * <p><b>Convolution.</b> All other lengths use Bluestein's identity j k = (j² + k² - (k - j)²) / 2:
 * a chirp, a circular convolution of a power-of-two length of at least 2n - 1, and the chirp again.
 *
 * <p>C. M. Rader, Discrete Fourier transforms when the number of data samples is prime, 1968; L. I.
 * Bluestein, A linear filtering approach to the computation of the discrete Fourier transform,
 * 1970; P. N. Swarztrauber, FFT algorithms for vector computers, 1984.
 */
final class FftPlan {
  // Plans are small next to the data they serve; the bound only guards against endless new lengths.
  private static final int MAX_CACHED = 256;
  private static final Map<Integer, FftPlan> CACHE = new ConcurrentHashMap<>();

  /**
   * Elements between the planes of scratch, a cache line or two: at distances of a large power of
   * two the many streams of a pass would compete for the same sets of the cache.
   */
  static final int GAP = 16;

  /** Length of the transform. */
  final int n;

  /** The passes in order; empty for n = 1 and for a convolution. */
  final Pass[] passes;

  /** The transform of the convolution, or null. */
  final FftPlan convolution;

  /** Orders and spectrum of Rader's convolution, or null. */
  final Rader rader;

  /** Bluestein's chirp exp(-pi i j² / n), one row per j; null without convolution. */
  final Table chirp;

  /** Transform of the conjugate chirp divided by its length; null without convolution. */
  final Table chirpSpectrum;

  private FftPlan(int n) {
    this.n = n;
    int[] radices = radices(n);
    if (radices != null) {
      passes = passes(n, radices);
      convolution = null;
      rader = null;
      chirp = null;
      chirpSpectrum = null;
    } else if (radices(n - 1) != null && isPrime(n)) {
      passes = new Pass[0];
      convolution = of(n - 1);
      rader = rader();
      chirp = null;
      chirpSpectrum = null;
    } else {
      passes = new Pass[0];
      convolution = of(powerOfTwoFrom(2L * n - 1));
      rader = null;
      long[] squares = new long[n];
      Arrays.setAll(squares, j -> (long) j * j % (2L * n));
      chirp = new Table(Roots.clockwise(squares, 2L * n));
      chirpSpectrum = chirpSpectrum();
    }
  }

  /** The plan for length {@code n} ≥ 1, from the cache if it was used before. */
  static FftPlan of(int n) {
    FftPlan plan = CACHE.get(n);
    if (plan == null) {
      plan = new FftPlan(n);
      if (CACHE.size() >= MAX_CACHED) {
        CACHE.clear();
      }
      CACHE.put(n, plan);
    }
    return plan;
  }

  /** Elements of scratch that a transform of {@code cols} columns needs. */
  int scratch(int cols) {
    if (convolution != null) {
      int rows = convolution.n + (rader == null ? 0 : 2);
      return Math.addExact(Math.multiplyExact(2 * cols, rows), convolution.scratch(cols));
    }
    int buffers = passes.length <= 1 ? 1 : Math.min(passes.length - 1, 2);
    return Math.addExact(Math.multiplyExact(2 * buffers * cols, n), 2 * buffers * GAP);
  }

  /** One pass; see the class comment. The twiddle table has r - 1 rows for each p. */
  record Pass(int radix, int m, int s, Table twiddles) {}

  /**
   * Rader's convolution: row p of it is sample {@code sources[p]}, and its row q result {@code
   * targets[q]}. The factors are the transform of exp(-2 pi i targets[q] / n), divided by n - 1.
   */
  record Rader(int[] sources, int[] targets, Table spectrum) {}

  /** Per-row complex factors (re, im, -im), in both precisions. */
  static final class Table {
    final double[] doubles;
    final float[] floats;

    Table(double[] doubles) {
      this.doubles = doubles;
      floats = new float[doubles.length];
      for (int i = 0; i < floats.length; i++) {
        floats[i] = (float) doubles[i];
      }
    }
  }

  private static Pass[] passes(int n, int[] radices) {
    Pass[] passes = new Pass[radices.length];
    int s = 1;
    for (int i = 0; i < passes.length; i++) {
      int r = radices[i];
      int m = n / (r * s);
      long[] exponents = new long[m * (r - 1)];
      Arrays.setAll(exponents, e -> (long) (e / (r - 1)) * (e % (r - 1) + 1));
      passes[i] = new Pass(r, m, s, new Table(Roots.clockwise(exponents, (long) r * m)));
      s *= r;
    }
    return passes;
  }

  /** Odd radices first, so that the pass without twiddles, the last one, is of radix 8 or 4. */
  private static int[] radices(int n) {
    int[] radices = new int[32];
    int count = 0;
    int rest = n;
    for (int odd : new int[] {7, 5, 3}) {
      for (; rest % odd == 0; rest /= odd) {
        radices[count++] = odd;
      }
    }
    int twos = Integer.numberOfTrailingZeros(rest);
    if (rest != 1 << twos) {
      return null;
    }
    if (twos == 1) {
      radices[count++] = 2;
      twos = 0;
    }
    int fours = twos % 3 == 0 ? 0 : 3 - twos % 3; // 8^a 4^b with b as small as possible
    for (int i = 0; i < (twos - 2 * fours) / 3; i++) {
      radices[count++] = 8;
    }
    for (int i = 0; i < fours; i++) {
      radices[count++] = 4;
    }
    return Arrays.copyOf(radices, count);
  }

  private static int powerOfTwoFrom(long least) {
    if (least > 1 << 30) {
      throw new IllegalArgumentException("[fft] length " + (least + 1) / 2 + " is too large");
    }
    return least <= 1 ? 1 : Integer.highestOneBit((int) least - 1) << 1;
  }

  private static boolean isPrime(int n) {
    for (int d = 2; d * d <= n; d++) {
      if (n % d == 0) {
        return false;
      }
    }
    return n > 2;
  }

  private Rader rader() {
    int[] powers = primitivePowers();
    int[] inverse = new int[n - 1];
    for (int q = 0; q < n - 1; q++) {
      inverse[q] = powers[(n - 1 - q) % (n - 1)];
    }
    double[] roots = Roots.clockwise(Arrays.stream(inverse).asLongStream().toArray(), n);
    double[] re = new double[n - 1];
    double[] im = new double[n - 1];
    for (int q = 0; q < n - 1; q++) {
      re[q] = roots[3 * q];
      im[q] = roots[3 * q + 1];
    }
    return new Rader(powers, inverse, spectrum(re, im));
  }

  /** The powers 0 … n - 2 of the smallest primitive root of a prime n. */
  private int[] primitivePowers() {
    int[] powers = new int[n - 1];
    for (long g = 2; ; g++) {
      powers[0] = 1;
      int count = 1;
      for (long power = g; power != 1; power = power * g % n) {
        powers[count++] = (int) power;
      }
      if (count == n - 1) {
        return powers;
      }
    }
  }

  private Table chirpSpectrum() {
    int length = convolution.n;
    double[] re = new double[length];
    double[] im = new double[length];
    for (int j = 0; j < n; j++) {
      int mirror = (length - j) % length;
      re[j] = re[mirror] = chirp.doubles[3 * j];
      im[j] = im[mirror] = -chirp.doubles[3 * j + 1];
    }
    return spectrum(re, im);
  }

  /** The transform of the convolution, divided by its length. */
  private Table spectrum(double[] re, double[] im) {
    int length = re.length;
    double[] both = Arrays.copyOf(re, 2 * length);
    System.arraycopy(im, 0, both, length, length);
    double[] scratch = new double[convolution.scratch(1)];
    Planes<double[]> planes = new Planes<>(both, 0, length, 1);
    new ScalarDoubleFft().columns(convolution, planes, planes, 1, scratch, 0);
    double[] table = new double[3 * length];
    for (int k = 0; k < length; k++) {
      table[3 * k] = both[k] / length;
      table[3 * k + 1] = both[length + k] / length;
      table[3 * k + 2] = -both[length + k] / length;
    }
    return new Table(table);
  }
}
