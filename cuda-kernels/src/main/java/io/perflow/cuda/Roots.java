package io.perflow.cuda;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;

/**
 * The tables of complex numbers that transforms read, (count, 2), computed in double on the host
 * and kept on the device. A table depends on its length alone.
 */
final class Roots {
  private static final int MOST_TABLES = 256;

  private record Key(String table, DataType type, int length, int points) {}

  private interface Source {
    /** Returns element k as (re, im). */
    double[] at(int k);
  }

  private final Gpu gpu;
  private final Map<Key, Tensor> tables = new HashMap<>();

  Roots(Gpu gpu) {
    this.gpu = gpu;
  }

  /** Returns exp(-2 pi i k / n) for k below n. */
  Tensor unit(DataType type, int n) {
    return table(new Key("unit", type, n, 0), n, k -> clockwise(k, n));
  }

  /** Returns exp(-pi i k / 2n) for k below n. */
  Tensor quarters(DataType type, int n) {
    return table(new Key("quarters", type, n, 0), n, k -> clockwise(k, 4L * n));
  }

  /** Returns Bluestein's w(j) = exp(-pi i j^2 / n) for j below n. */
  Tensor chirp(DataType type, int n) {
    return table(new Key("chirp", type, n, 0), n, j -> chirp(j, n));
  }

  /**
   * Returns factors for the n / 2 + 1 frequencies of n real numbers: 1, but 0 for the imaginary
   * parts of those that are real, 0 and n / 2.
   */
  Tensor realEdges(DataType type, int n) {
    return table(
        new Key("real edges", type, n, 0), n / 2 + 1, k -> new double[] {1, edge(k, n) ? 0 : 1});
  }

  /**
   * Returns, for the same frequencies, how many of all n each stands for: 1 for 0 and n / 2,
   * otherwise 2.
   */
  Tensor multiplicities(DataType type, int n) {
    return table(new Key("multiplicities", type, n, 0), n / 2 + 1, k -> both(edge(k, n) ? 1 : 2));
  }

  private static boolean edge(int k, int n) {
    return k == 0 || 2 * k == n;
  }

  private static double[] both(double value) {
    return new double[] {value, value};
  }

  private static double[] chirp(long j, int n) {
    return clockwise(j * j % (2L * n), 2L * n);
  }

  /**
   * Returns the transform over {@code points} of conj(w), wrapped around, divided by {@code
   * points}.
   */
  Tensor response(DataType type, int n, int points) {
    Key key = new Key("response", type, n, points);
    Tensor found = find(key);
    if (found != null) {
      return found;
    }
    double[] re = new double[points];
    double[] im = new double[points];
    for (int j = 0; j < n; j++) {
      double[] w = chirp(j, n);
      for (int at : new int[] {j, (points - j) % points}) {
        re[at] = w[0];
        im[at] = -w[1];
      }
    }
    transform(re, im);
    return table(key, points, k -> new double[] {re[k] / points, im[k] / points});
  }

  /**
   * Returns exp(-2 pi i k / turn), reduced to an eighth of a turn so that every part is exact to an
   * ulp.
   */
  private static double[] clockwise(long k, long turn) {
    long eighths = 8 * (k % turn);
    int octant = (int) (eighths / turn);
    long rest = eighths % turn; // within the octant, in units of 1 / (8 turn)
    boolean odd = (octant & 1) != 0;
    double angle = 2 * Math.PI * (odd ? turn - rest : rest) / (8.0 * turn);
    double cos = Math.cos(angle);
    double sin = Math.sin(angle);
    boolean exchanged = ((octant + 1) & 2) != 0;
    double re = exchanged ? sin : cos;
    double im = exchanged ? cos : sin;
    boolean left = ((octant + 2) & 4) != 0;
    boolean below = (octant & 4) != 0;
    return new double[] {left ? -re : re, below ? im : -im};
  }

  // Computed in place, by the plain recursion in steps of two; only for tables.
  private static void transform(double[] re, double[] im) {
    int n = re.length;
    for (int i = 1, j = 0; i < n; i++) { // bit-reversed order
      int bit = n >> 1;
      for (; (j & bit) != 0; bit >>= 1) {
        j ^= bit;
      }
      j ^= bit;
      if (i < j) {
        double r = re[i];
        double m = im[i];
        re[i] = re[j];
        im[i] = im[j];
        re[j] = r;
        im[j] = m;
      }
    }
    for (int half = 1; half < n; half *= 2) {
      for (int k = 0; k < half; k++) {
        double[] w = clockwise(k, 2L * half);
        for (int i = k; i < n; i += 2 * half) {
          int o = i + half;
          double r = re[o] * w[0] - im[o] * w[1];
          double m = re[o] * w[1] + im[o] * w[0];
          re[o] = re[i] - r;
          im[o] = im[i] - m;
          re[i] += r;
          im[i] += m;
        }
      }
    }
  }

  private synchronized Tensor find(Key key) {
    return tables.get(key);
  }

  private synchronized Tensor table(Key key, int count, Source source) {
    Tensor table = tables.get(key);
    if (table == null) {
      if (tables.size() >= MOST_TABLES) {
        tables.clear(); // the collector returns their memory
      }
      table = upload(key.type, count, source);
      tables.put(key, table);
    }
    return table;
  }

  private Tensor upload(DataType type, int count, Source source) {
    double[] doubles = new double[2 * count];
    for (int k = 0; k < count; k++) {
      System.arraycopy(source.at(k), 0, doubles, 2 * k, 2);
    }
    Tensor table = gpu.fresh(type, Shape.of(count, 2));
    gpu.upload(HostNumbers.segment(type, doubles), CudaStorage.of(table).address());
    return Scope.detach(table);
  }
}
