package io.perflow.tensor.cpu.attention;

import static io.perflow.tensor.cpu.vector.Simd.F;
import static io.perflow.tensor.cpu.vector.Simd.V;
import static io.perflow.tensor.cpu.vector.Simd.W;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;

import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * The small matrix products of {@link Attention}: blocks of at most {@link #BLOCK} positions, in
 * register tiles of 5 rows by 2 vectors.
 *
 * <p>Layouts, with d the number of components padded where named:
 *
 * <ul>
 *   <li>columns (d, STRIDE): a block of positions transposed; the left operand of a score tile;
 *   <li>panels (BLOCK / 2W, d, 2W): the same cut into strips of two vectors; the right operand;
 *   <li>rows (dPad / 2W, TILED, 2W): a block of positions, components cut into strips of two
 *       vectors; the right operand where positions are summed over, and the accumulators;
 *   <li>scores (TILED keys, STRIDE for the queries): keys run down, so that the softmax of a query
 *       goes down a lane and needs no sum across lanes.
 * </ul>
 *
 * A left operand in columns is read one position past the block, which the stride allows. Ten
 * accumulators, two vectors of the right operand and one broadcast stay within the sixteen
 * registers of AVX2 (a sixth row spills and halves the speed); all strides inside the loops are
 * constants, so bounds are checked once per tile.
 */
final class AttentionTiles {
  /** Positions in a block: a multiple of two vectors of any width. */
  static final int BLOCK = 64;

  /** Positions in a block rounded up to whole tiles; what lies beyond the block is never used. */
  static final int TILED = 65;

  /** Floats from row to row of columns and scores: room for the tile that reaches past a block. */
  static final int STRIDE = BLOCK + 4;

  /** Width of a strip. */
  static final int STRIP = 2 * W;

  private static final int ROWS = 5;
  private static final float ROUNDER = 0x1.8p23f;

  private AttentionTiles() {}

  /** Components padded to whole strips. */
  static int padded(int d) {
    return (d + STRIP - 1) / STRIP * STRIP;
  }

  // ---- packing
  // -----------------------------------------------------------------------------------

  /** Packs {@code n} positions as columns (d, STRIDE), the missing ones as 0. */
  static void packColumns(float[] x, int off, int rowStride, int n, int d, float[] out, int o) {
    for (int j = 0; j < d; j++) {
      int to = o + j * STRIDE;
      for (int i = 0; i < n; i++) {
        out[to + i] = x[off + i * rowStride + j];
      }
      for (int i = n; i < BLOCK; i++) {
        out[to + i] = 0f;
      }
    }
  }

  /** Packs {@code n} positions times {@code factor} as panels (BLOCK / STRIP, d, STRIP). */
  static void packPanels(
      float[] x, int off, int rowStride, int n, int d, float factor, float[] out, int o) {
    for (int s = 0; s < BLOCK; s += STRIP) {
      int rows = Math.clamp(n - s, 0, STRIP);
      for (int j = 0; j < d; j++) {
        int to = o + s * d + j * STRIP;
        int from = off + s * rowStride + j;
        for (int i = 0; i < rows; i++) {
          out[to + i] = factor * x[from + i * rowStride];
        }
        for (int i = rows; i < STRIP; i++) {
          out[to + i] = 0f;
        }
      }
    }
  }

  /** Packs {@code n} positions as rows (dPad / STRIP, TILED, STRIP). */
  static void packRows(float[] x, int off, int rowStride, int n, int d, float[] out, int o) {
    for (int s = 0; s < d; s += STRIP) {
      int cols = Math.min(STRIP, d - s);
      for (int i = 0; i < BLOCK; i++) {
        int to = o + s * TILED + i * STRIP;
        if (i < n) {
          System.arraycopy(x, off + i * rowStride + s, out, to, cols);
          Arrays.fill(out, to + cols, to + STRIP, 0f);
        } else {
          Arrays.fill(out, to, to + STRIP, 0f);
        }
      }
    }
  }

  /** Unpacks rows (dPad / STRIP, TILED, STRIP) times {@code factor}. */
  static void unpackRows(
      float[] in, int o, float factor, float[] x, int off, int rowStride, int n, int d) {
    for (int s = 0; s < d; s += STRIP) {
      int cols = Math.min(STRIP, d - s);
      for (int i = 0; i < n; i++) {
        int from = o + s * TILED + i * STRIP;
        int to = off + i * rowStride + s;
        for (int j = 0; j < cols; j++) {
          x[to + j] = factor * in[from + j];
        }
      }
    }
  }

  // ---- products
  // ----------------------------------------------------------------------------------

  // Rows of tiles go outside, strips inside: what is read again and again is then the smaller part.

  /** Scores (keys, queries) = columns' (keys, d) times panels (d, queries). */
  static void scores(
      float[] columns, int c, float[] panels, int p, int d, int keys, int queries, float[] out) {
    for (int k = 0; k < keys; k += ROWS) {
      for (int s = 0; s < queries; s += STRIP) {
        down(columns, c + k, panels, p + s * d, d, out, k * STRIDE + s, STRIDE, false);
      }
    }
  }

  /** out (queries, dPad) += scores' (queries, keys) times rows (keys, dPad). */
  static void addOverKeys(
      float[] scores, float[] rows, int r, int dPad, int keys, int queries, float[] out, int o) {
    for (int q = 0; q < queries; q += ROWS) {
      for (int s = 0; s < dPad; s += STRIP) {
        int to = o + s * TILED + q * STRIP;
        down(scores, q, rows, r + s * TILED, keys, out, to, STRIP, true);
      }
    }
  }

  /** out (keys, dPad) += scores (keys, queries) times rows (queries, dPad). */
  static void addOverQueries(
      float[] scores, float[] rows, int r, int dPad, int keys, int queries, float[] out, int o) {
    for (int k = 0; k < keys; k += ROWS) {
      for (int s = 0; s < dPad; s += STRIP) {
        int to = o + s * TILED + k * STRIP;
        across(scores, k * STRIDE, rows, r + s * TILED, queries, out, to);
      }
    }
  }

  /**
   * Tile out(5, 2W) (+)= sum over p &lt; n of a[p, row] b[p, :]; a has rows of STRIDE, b of STRIP.
   */
  private static void down(
      float[] a, int ao, float[] b, int bo, int n, float[] out, int oo, int ldo, boolean add) {
    FloatVector c00 = FloatVector.zero(F);
    FloatVector c01 = c00;
    FloatVector c10 = c00;
    FloatVector c11 = c00;
    FloatVector c20 = c00;
    FloatVector c21 = c00;
    FloatVector c30 = c00;
    FloatVector c31 = c00;
    FloatVector c40 = c00;
    FloatVector c41 = c00;
    for (int p = 0; p < n; p++) {
      FloatVector b0 = FloatVector.fromArray(F, b, bo + p * STRIP);
      FloatVector b1 = FloatVector.fromArray(F, b, bo + p * STRIP + W);
      FloatVector s = FloatVector.broadcast(F, a[ao + p * STRIDE]);
      c00 = s.fma(b0, c00);
      c01 = s.fma(b1, c01);
      s = FloatVector.broadcast(F, a[ao + p * STRIDE + 1]);
      c10 = s.fma(b0, c10);
      c11 = s.fma(b1, c11);
      s = FloatVector.broadcast(F, a[ao + p * STRIDE + 2]);
      c20 = s.fma(b0, c20);
      c21 = s.fma(b1, c21);
      s = FloatVector.broadcast(F, a[ao + p * STRIDE + 3]);
      c30 = s.fma(b0, c30);
      c31 = s.fma(b1, c31);
      s = FloatVector.broadcast(F, a[ao + p * STRIDE + 4]);
      c40 = s.fma(b0, c40);
      c41 = s.fma(b1, c41);
    }
    put(c00, c01, out, oo, add);
    put(c10, c11, out, oo + ldo, add);
    put(c20, c21, out, oo + 2 * ldo, add);
    put(c30, c31, out, oo + 3 * ldo, add);
    put(c40, c41, out, oo + 4 * ldo, add);
  }

  /**
   * Tile out(5, 2W) += sum over p &lt; n of a[row, p] b[p, :]; a has rows of STRIDE, b of STRIP.
   */
  private static void across(float[] a, int ao, float[] b, int bo, int n, float[] out, int oo) {
    FloatVector c00 = FloatVector.zero(F);
    FloatVector c01 = c00;
    FloatVector c10 = c00;
    FloatVector c11 = c00;
    FloatVector c20 = c00;
    FloatVector c21 = c00;
    FloatVector c30 = c00;
    FloatVector c31 = c00;
    FloatVector c40 = c00;
    FloatVector c41 = c00;
    int a1 = ao + STRIDE;
    int a2 = a1 + STRIDE;
    int a3 = a2 + STRIDE;
    int a4 = a3 + STRIDE;
    // One round, as n is at most BLOCK. Without the outer loop the compiler keeps five addresses
    // per step, spills sums and loses half the speed wherever it does not strip-mine by itself
    // (that is, with the parallel and the serial collector).
    for (int first = 0; first < n; first += BLOCK) {
      int end = Math.min(n, first + BLOCK);
      for (int p = first; p < end; p++) {
        FloatVector b0 = FloatVector.fromArray(F, b, bo + p * STRIP);
        FloatVector b1 = FloatVector.fromArray(F, b, bo + p * STRIP + W);
        FloatVector s = FloatVector.broadcast(F, a[ao + p]);
        c00 = s.fma(b0, c00);
        c01 = s.fma(b1, c01);
        s = FloatVector.broadcast(F, a[a1 + p]);
        c10 = s.fma(b0, c10);
        c11 = s.fma(b1, c11);
        s = FloatVector.broadcast(F, a[a2 + p]);
        c20 = s.fma(b0, c20);
        c21 = s.fma(b1, c21);
        s = FloatVector.broadcast(F, a[a3 + p]);
        c30 = s.fma(b0, c30);
        c31 = s.fma(b1, c31);
        s = FloatVector.broadcast(F, a[a4 + p]);
        c40 = s.fma(b0, c40);
        c41 = s.fma(b1, c41);
      }
    }
    put(c00, c01, out, oo, true);
    put(c10, c11, out, oo + STRIP, true);
    put(c20, c21, out, oo + 2 * STRIP, true);
    put(c30, c31, out, oo + 3 * STRIP, true);
    put(c40, c41, out, oo + 4 * STRIP, true);
  }

  private static void put(FloatVector u, FloatVector v, float[] out, int o, boolean add) {
    if (add) {
      u = u.add(FloatVector.fromArray(F, out, o));
      v = v.add(FloatVector.fromArray(F, out, o + W));
    }
    V.cast(u).intoArray(out, o);
    V.cast(v).intoArray(out, o + W);
  }

  // ---- softmax
  // -----------------------------------------------------------------------------------

  /**
   * One block of the running softmax of Milakov and Gimelshein (2018): turns scores s into 2^(s -
   * max), and brings the running maximum, the running sum of weights and the weighted sums of
   * values of every query up to the new maximum.
   *
   * <p>One method, because the compiler handles it better apart from its caller, and it inlines
   * what is shorter.
   *
   * @param scores (TILED keys, STRIDE for the queries), in units of log 2; replaced by the weights
   * @param max running maximum per query
   * @param sum running sum of weights per query
   * @param decay scratch, BLOCK floats
   * @param out weighted sums of values as rows (dPad / STRIP, TILED, STRIP)
   */
  static void softmax(
      float[] scores,
      int keys,
      int queries,
      float[] max,
      float[] sum,
      float[] decay,
      float[] out,
      int dPad) {
    for (int q = 0; q < queries; q += W) {
      FloatVector before = FloatVector.fromArray(F, max, q);
      FloatVector m = before;
      for (int k = 0; k < keys; k++) {
        FloatVector s = FloatVector.fromArray(F, scores, k * STRIDE + q);
        // NaN is passed over here and shows in the weights
        m = V.cast(m).blend(s, s.compare(GT, m));
      }
      FloatVector total = FloatVector.zero(F);
      for (int k = 0; k < keys; k++) {
        FloatVector s = FloatVector.fromArray(F, scores, k * STRIDE + q);
        FloatVector e = exp2(s.sub(m));
        total = total.add(e);
        e.intoArray(scores, k * STRIDE + q);
      }
      FloatVector fade = exp2(before.sub(m));
      fade.fma(FloatVector.fromArray(F, sum, q), total).intoArray(sum, q);
      fade.intoArray(decay, q);
      V.cast(m).intoArray(max, q);
    }
    for (int s = 0; s < dPad; s += STRIP) {
      for (int q = 0; q < queries; q++) {
        FloatVector fade = FloatVector.broadcast(F, decay[q]);
        int o = s * TILED + q * STRIP;
        FloatVector.fromArray(F, out, o).mul(fade).intoArray(out, o);
        FloatVector.fromArray(F, out, o + W).mul(fade).intoArray(out, o + W);
      }
    }
  }

  /**
   * Weights and their gradient: {@code p = 2^(scores - lse)}, {@code ds = p (dp - delta)}.
   *
   * @param scores (TILED keys, STRIDE for the queries) in units of log 2; replaced by the weights p
   * @param dp gradient of the weights, same shape; replaced by ds
   * @param rows holds, per query, log2 of the sum of exponentials from {@code lse} on, and the sum
   *     over components of out · dout from {@code delta} on
   */
  static void softmaxGrad(
      float[] scores, float[] dp, int keys, int queries, float[] rows, int lse, int delta) {
    for (int q = 0; q < queries; q += W) {
      FloatVector l = FloatVector.fromArray(F, rows, lse + q);
      FloatVector t = FloatVector.fromArray(F, rows, delta + q);
      for (int k = 0; k < keys; k++) {
        int i = k * STRIDE + q;
        FloatVector p = exp2(FloatVector.fromArray(F, scores, i).sub(l));
        p.intoArray(scores, i);
        p.mul(FloatVector.fromArray(F, dp, i).sub(t)).intoArray(dp, i);
      }
    }
  }

  /** 2ˣ for x ≤ about 1; 0 below -126.5. */
  private static FloatVector exp2(FloatVector x) {
    FloatVector c = x.blend(-127f, x.compare(LT, -127f)); // there the power of two below is 0
    FloatVector t = c.add(ROUNDER);
    FloatVector r = c.sub(t.sub(ROUNDER));
    FloatVector rr = r.mul(r);
    FloatVector low = r.fma(all(0.24022244f), all(0.693147f));
    FloatVector high = r.fma(all(0.009671493f), all(0.05550711f));
    high = rr.fma(all(0.0013269914f), high);
    FloatVector e = high.fma(rr, low);
    IntVector n = t.reinterpretAsInts().lanewise(LSHL, 23).add(0x3F80_0000);
    FloatVector scale = n.reinterpretAsFloats();
    return e.mul(r).fma(scale, scale);
  }

  private static FloatVector all(float value) {
    return FloatVector.broadcast(F, value);
  }
}
