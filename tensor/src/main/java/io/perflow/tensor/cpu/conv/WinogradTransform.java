package io.perflow.tensor.cpu.conv;

import static io.perflow.tensor.cpu.vector.Simd.F;

import jdk.incubator.vector.FloatVector;

/**
 * The three linear maps of Winograd's minimal filtering F(4, 3), each on one vector of channels,
 * with the interpolation points 0, 1, -1, 2, -2 and infinity (Lavin and Gray, "Fast Algorithms for
 * Convolutional Neural Networks", 2016).
 *
 * <p>In one dimension four outputs of a correlation of six inputs d with three weights g are
 *
 * <pre>
 *   y = A' [(G g) * (B' d)]        (* by elements)
 *
 *        4  0 -5  0  1  0               1/4     0    0          1  1  1  1  1  0
 *        0 -4 -4  1  1  0              -1/6  -1/6 -1/6     A' = 0  1 -1  2 -2  0
 *   B' = 0  4 -4 -1  1  0          G = -1/6   1/6 -1/6          0  1  1  4  4  0
 *        0 -2 -1  2  1  0              1/24  1/12  1/6          0  1 -1  8 -8  1
 *        0  2 -1 -2  1  0              1/24 -1/12  1/6
 *        0  4  0 -5  0  1                 0     0    1
 * </pre>
 *
 * and in two dimensions each map is applied to the columns and then to the rows of a tile. A map
 * reads and writes elements that are {@code step} apart; source and target may be different arrays.
 */
final class WinogradTransform {
  // Products with powers of two are exact, so joining them with a sum changes no bit. It makes the
  // code shorter: this runs deep inside other loops, where the compiler stops inlining at some
  // size, and vectors then go through memory.
  private static final FloatVector TWO = FloatVector.broadcast(F, 2);
  private static final FloatVector FOUR = FloatVector.broadcast(F, 4);
  private static final FloatVector EIGHT = FloatVector.broadcast(F, 8);

  private WinogradTransform() {}

  /** target[i] = (B' d)[i] for i &lt; 6, with d[i] at the six given positions. */
  static void input(
      float[] d, int d0, int d1, int d2, int d3, int d4, int d5, float[] target, int to, int step) {
    FloatVector x0 = FloatVector.fromArray(F, d, d0);
    FloatVector x1 = FloatVector.fromArray(F, d, d1);
    FloatVector x2 = FloatVector.fromArray(F, d, d2);
    FloatVector x3 = FloatVector.fromArray(F, d, d3);
    FloatVector x4 = FloatVector.fromArray(F, d, d4);
    FloatVector x5 = FloatVector.fromArray(F, d, d5);
    x0.mul(4).sub(x2.mul(5)).add(x4).intoArray(target, to);
    FloatVector even = x4.sub(x2.mul(4));
    FloatVector odd = x3.sub(x1.mul(4));
    even.add(odd).intoArray(target, to + step);
    even.sub(odd).intoArray(target, to + 2 * step);
    even = x4.sub(x2);
    odd = x3.sub(x1).mul(2);
    even.add(odd).intoArray(target, to + 3 * step);
    even.sub(odd).intoArray(target, to + 4 * step);
    x1.mul(4).sub(x3.mul(5)).add(x5).intoArray(target, to + 5 * step);
  }

  /**
   * As {@link #input} for d = (a, b, b, c, c, e), the pixels a, b, c, e of an image in which every
   * one appears twice: element 2, which belongs to the point -1, is then zero and is not written.
   */
  static void inputTwice(float[] d, int a, int b, int c, int e, float[] target, int to, int step) {
    FloatVector x0 = FloatVector.fromArray(F, d, a);
    FloatVector x1 = FloatVector.fromArray(F, d, b);
    FloatVector x2 = FloatVector.fromArray(F, d, c);
    FloatVector x3 = FloatVector.fromArray(F, d, e);
    x0.mul(4).sub(x1.mul(5)).add(x2).intoArray(target, to);
    x2.mul(2).sub(x1.mul(8)).intoArray(target, to + step);
    FloatVector diff = x1.sub(x2);
    diff.mul(-3).intoArray(target, to + 3 * step);
    diff.intoArray(target, to + 4 * step);
    x1.mul(4).sub(x2.mul(5)).add(x3).intoArray(target, to + 5 * step);
  }

  /** As {@link #output} where m[2], which is not read, is zero. */
  static void outputTwice(float[] m, int from, int fromStep, float[] target, int to, int step) {
    FloatVector m1 = FloatVector.fromArray(F, m, from + fromStep);
    FloatVector m3 = FloatVector.fromArray(F, m, from + 3 * fromStep);
    FloatVector m4 = FloatVector.fromArray(F, m, from + 4 * fromStep);
    FloatVector sum34 = m3.add(m4);
    FloatVector m0 = FloatVector.fromArray(F, m, from);
    m0.add(m1).add(sum34).intoArray(target, to);
    FloatVector diff34 = m3.sub(m4);
    diff34.fma(TWO, m1).intoArray(target, to + step);
    sum34.fma(FOUR, m1).intoArray(target, to + 2 * step);
    FloatVector m5 = FloatVector.fromArray(F, m, from + 5 * fromStep);
    diff34.fma(EIGHT, m1).add(m5).intoArray(target, to + 3 * step);
  }

  /**
   * The sums of neighbours, {@code y[0] + y[1]} and {@code y[2] + y[3]}, of y = A' m: the transpose
   * of a correlation of an image in which every pixel appears twice. m[2] cancels.
   */
  static void outputSums(float[] m, int from, int fromStep, float[] target, int to, int step) {
    FloatVector m1 = FloatVector.fromArray(F, m, from + fromStep).mul(2);
    FloatVector m3 = FloatVector.fromArray(F, m, from + 3 * fromStep).mul(3);
    FloatVector m4 = FloatVector.fromArray(F, m, from + 4 * fromStep);
    FloatVector both = m3.sub(m4);
    FloatVector.fromArray(F, m, from).add(m1).add(both).intoArray(target, to);
    FloatVector m5 = FloatVector.fromArray(F, m, from + 5 * fromStep);
    both.fma(FOUR, m1).add(m5).intoArray(target, to + step);
  }

  /** target[i] = (A' m)[i] for i &lt; 4, with m[i] at {@code from + i * fromStep}. */
  static void output(float[] m, int from, int fromStep, float[] target, int to, int step) {
    FloatVector m1 = FloatVector.fromArray(F, m, from + fromStep);
    FloatVector m2 = FloatVector.fromArray(F, m, from + 2 * fromStep);
    FloatVector m3 = FloatVector.fromArray(F, m, from + 3 * fromStep);
    FloatVector m4 = FloatVector.fromArray(F, m, from + 4 * fromStep);
    FloatVector sum12 = m1.add(m2);
    FloatVector sum34 = m3.add(m4);
    FloatVector m0 = FloatVector.fromArray(F, m, from);
    m0.add(sum12).add(sum34).intoArray(target, to);
    FloatVector diff12 = m1.sub(m2);
    FloatVector diff34 = m3.sub(m4);
    diff34.fma(TWO, diff12).intoArray(target, to + step);
    sum34.fma(FOUR, sum12).intoArray(target, to + 2 * step);
    FloatVector m5 = FloatVector.fromArray(F, m, from + 5 * fromStep);
    diff34.fma(EIGHT, diff12).add(m5).intoArray(target, to + 3 * step);
  }

  /** target[i] = (A y)[i] for i &lt; 6: the transpose of {@link #output}, for its gradient. */
  static void outputTransposed(
      float[] y, int y0, int y1, int y2, int y3, float[] target, int to, int step) {
    FloatVector v0 = FloatVector.fromArray(F, y, y0);
    FloatVector v1 = FloatVector.fromArray(F, y, y1);
    FloatVector v2 = FloatVector.fromArray(F, y, y2);
    FloatVector v3 = FloatVector.fromArray(F, y, y3);
    v0.intoArray(target, to);
    FloatVector even = v0.add(v2);
    FloatVector odd = v1.add(v3);
    even.add(odd).intoArray(target, to + step);
    even.sub(odd).intoArray(target, to + 2 * step);
    even = v0.add(v2.mul(4));
    odd = v1.add(v3.mul(4)).mul(2);
    even.add(odd).intoArray(target, to + 3 * step);
    even.sub(odd).intoArray(target, to + 4 * step);
    v3.intoArray(target, to + 5 * step);
  }

  /** target[i] = (G g)[i] for i &lt; 6, with g[i] at {@code from + i * fromStep}, i &lt; 3. */
  static void weight(float[] g, int from, int fromStep, float[] target, int to, int step) {
    FloatVector g0 = FloatVector.fromArray(F, g, from);
    FloatVector g1 = FloatVector.fromArray(F, g, from + fromStep);
    FloatVector g2 = FloatVector.fromArray(F, g, from + 2 * fromStep);
    g0.mul(0.25f).intoArray(target, to);
    FloatVector even = g0.add(g2).mul(-1f / 6);
    FloatVector odd = g1.mul(-1f / 6);
    even.add(odd).intoArray(target, to + step);
    even.sub(odd).intoArray(target, to + 2 * step);
    even = g0.mul(1f / 24).add(g2.mul(1f / 6));
    odd = g1.mul(1f / 12);
    even.add(odd).intoArray(target, to + 3 * step);
    even.sub(odd).intoArray(target, to + 4 * step);
    g2.intoArray(target, to + 5 * step);
  }

  /** target[i] = (G' u)[i] for i &lt; 3: the transpose of {@link #weight}, for its gradient. */
  static void weightTransposed(
      float[] u, int from, int fromStep, float[] target, int to, int step) {
    FloatVector u1 = FloatVector.fromArray(F, u, from + fromStep);
    FloatVector u2 = FloatVector.fromArray(F, u, from + 2 * fromStep);
    FloatVector u3 = FloatVector.fromArray(F, u, from + 3 * fromStep);
    FloatVector u4 = FloatVector.fromArray(F, u, from + 4 * fromStep);
    FloatVector sum12 = u1.add(u2).mul(-1f / 6);
    FloatVector sum34 = u3.add(u4);
    FloatVector.fromArray(F, u, from)
        .mul(0.25f)
        .add(sum12)
        .add(sum34.mul(1f / 24))
        .intoArray(target, to);
    u2.sub(u1).mul(1f / 6).add(u3.sub(u4).mul(1f / 12)).intoArray(target, to + step);
    FloatVector u5 = FloatVector.fromArray(F, u, from + 5 * fromStep);
    sum12.add(sum34.mul(1f / 6)).add(u5).intoArray(target, to + 2 * step);
  }
}
