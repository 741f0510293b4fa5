package io.perflow.tensor.cpu.attention;

import static io.perflow.tensor.cpu.attention.AttentionTiles.BLOCK;
import static io.perflow.tensor.cpu.attention.AttentionTiles.STRIDE;
import static io.perflow.tensor.cpu.attention.AttentionTiles.TILED;

import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.memory.Buffers;
import java.util.Arrays;

/**
 * Scaled dot-product attention, {@code out = softmax(scale q k') v}, for every batch and head.
 *
 * <p>Scores exist only as blocks of {@link AttentionTiles#BLOCK} keys by as many queries: a running
 * maximum and sum per query make the softmax exact over any number of keys (Dao et al.,
 * FlashAttention, 2022). The gradient computes the blocks again from the log-sum-exp that the
 * forward pass leaves behind.
 *
 * <p>Shapes per batch and head: q (lq, d), k (lk, d), v (lk, dv), out (lq, dv), lse (lq). Without
 * keys the output is 0.
 */
final class Attention {
  private static final float LOG2_E = (float) (1 / Math.log(2));
  private static final double LN_2 = Math.log(2);

  /** Floats of packed operands at one time; heads beyond it wait for the next round. */
  private static final int ROUND_FLOATS = 1 << 22;

  /** Parts of the gradient that may run at once; fixed, because it orders the sum over keys. */
  private static final int GRADIENT_PARTS = 16;

  private Attention() {}

  /**
   * Attention forward.
   *
   * @param lse log-sum-exp of the scaled scores, (batches, heads, lq) from {@code lseOff}, or null
   */
  static void forward(
      Heads q,
      Heads k,
      Heads v,
      Heads out,
      float[] lse,
      int lseOff,
      int batches,
      int heads,
      int lq,
      int lk,
      int d,
      int dv,
      float scale) {
    int keyBlocks = blocks(lk);
    int perBlock = STRIDE * d + TILED * AttentionTiles.padded(dv);
    int perHead = Math.multiplyExact(keyBlocks, perBlock);
    int all = batches * heads;
    int round = Math.clamp(ROUND_FLOATS / Math.max(1, perHead), 1, Math.max(1, all));
    Queries queries = new Queries(q, out, heads, lq, lk, d, dv, scale, lse, lseOff);
    float[] packed = Buffers.floats(Math.multiplyExact(round, perHead));
    try {
      for (int first = 0; first < all; first += round) {
        int start = first;
        int count = Math.min(round, all - first);
        Parallel.run(
            count * keyBlocks,
            t -> {
              int head = start + t / keyBlocks;
              int block = t % keyBlocks;
              int o = t / keyBlocks * perHead + block * perBlock;
              packKeys(k, v, head / heads, head % heads, block, lk, d, dv, packed, o);
            });
        int queryBlocks = blocks(lq);
        Parallel.run(
            count * queryBlocks,
            t -> {
              int head = start + t / queryBlocks;
              queries.run(head, t % queryBlocks, packed, t / queryBlocks * perHead);
            });
      }
    } finally {
      Buffers.give(packed);
    }
  }

  /** Keys as columns, then values as rows. */
  private static void packKeys(
      Heads k,
      Heads v,
      int batch,
      int head,
      int block,
      int lk,
      int d,
      int dv,
      float[] packed,
      int o) {
    int first = block * BLOCK;
    int n = Math.min(BLOCK, lk - first);
    int kOff = k.start(batch, head) + first * k.rowStride();
    int vOff = v.start(batch, head) + first * v.rowStride();
    AttentionTiles.packColumns(k.data(), kOff, k.rowStride(), n, d, packed, o);
    AttentionTiles.packRows(v.data(), vOff, v.rowStride(), n, dv, packed, o + STRIDE * d);
  }

  private static int blocks(int n) {
    return (n + BLOCK - 1) / BLOCK;
  }

  /** Blocks of queries against all keys. */
  private record Queries(
      Heads q,
      Heads out,
      int heads,
      int lq,
      int lk,
      int d,
      int dv,
      float scale,
      float[] lse,
      int lseOff) {

    /** One block of one head, whose packed keys start at {@code o}. */
    void run(int head, int block, float[] packed, int o) {
      int first = block * BLOCK;
      int n = Math.min(BLOCK, lq - first);
      int dPad = AttentionTiles.padded(dv);
      float[] panels = Buffers.floats(BLOCK * d);
      float[] scores = Buffers.floats(TILED * STRIDE);
      float[] sums = Buffers.floats(TILED * dPad);
      float[] max = Buffers.floats(BLOCK);
      float[] sum = Buffers.floats(BLOCK);
      float[] decay = Buffers.floats(BLOCK);
      try {
        Arrays.fill(sums, 0, TILED * dPad, 0f);
        Arrays.fill(max, Float.NEGATIVE_INFINITY);
        Arrays.fill(sum, 0f);
        int from = q.start(head / heads, head % heads) + first * q.rowStride();
        AttentionTiles.packPanels(q.data(), from, q.rowStride(), n, d, scale * LOG2_E, panels, 0);
        for (int key = 0; key < lk; key += BLOCK) {
          int keys = Math.min(BLOCK, lk - key);
          int at = o + key / BLOCK * (STRIDE * d + TILED * dPad);
          AttentionTiles.scores(packed, at, panels, 0, d, keys, n, scores);
          AttentionTiles.softmax(scores, keys, n, max, sum, decay, sums, dPad);
          AttentionTiles.addOverKeys(scores, packed, at + STRIDE * d, dPad, keys, n, sums, 0);
        }
        int to = out.start(head / heads, head % heads) + first * out.rowStride();
        for (int i = 0; i < n; i++) {
          float inverse = lk == 0 ? 0f : 1f / sum[i];
          int row = to + i * out.rowStride();
          AttentionTiles.unpackRows(
              sums, i * AttentionTiles.STRIP, inverse, out.data(), row, 0, 1, dv);
        }
        if (lse != null) {
          for (int i = 0; i < n; i++) {
            lse[lseOff + head * lq + first + i] = (float) (max[i] * LN_2 + Math.log(sum[i]));
          }
        }
      } finally {
        Buffers.give(panels);
        Buffers.give(scores);
        Buffers.give(sums);
        Buffers.give(max);
        Buffers.give(sum);
        Buffers.give(decay);
      }
    }
  }

  /**
   * Gradients of attention with respect to q, k and v; dq, dk and dv are overwritten.
   *
   * <p>With weights p, {@code dv = p' dout}, {@code dp = dout v'}, {@code ds = p (dp - delta)},
   * where delta is the sum over components of out · dout, {@code dq = scale ds k} and {@code dk =
   * scale ds' q}. Keys are cut into parts that run side by side; each has its own dq, and these are
   * added in order.
   *
   * @param out what {@link #forward} computed
   * @param lse log-sum-exp from {@link #forward}
   */
  static void backward(
      Heads q,
      Heads k,
      Heads v,
      Heads out,
      Heads dout,
      float[] lse,
      int lseOff,
      Heads dq,
      Heads dk,
      Heads dv,
      int batches,
      int heads,
      int lq,
      int lk,
      int d,
      int dvSize,
      float scale) {
    int all = batches * heads;
    int queryBlocks = blocks(lq);
    int keyBlocks = blocks(lk);
    int parts = Math.clamp(GRADIENT_PARTS / Math.max(1, all), 1, Math.max(1, keyBlocks));
    AttentionGrad work =
        new AttentionGrad(q, k, v, out, dout, dk, dv, heads, lq, lk, d, dvSize, parts, scale);
    int perHead = work.perHead();
    int round = Math.clamp(ROUND_FLOATS / Math.max(1, perHead), 1, Math.max(1, all));
    float[] packed = Buffers.floats(Math.multiplyExact(round, perHead));
    try {
      for (int first = 0; first < all; first += round) {
        int start = first;
        int count = Math.min(round, all - first);
        Parallel.run(
            count * queryBlocks,
            t -> {
              int slot = t / queryBlocks;
              work.packQueries(start + slot, t % queryBlocks, lse, lseOff, packed, slot * perHead);
            });
        Parallel.run(
            count * parts,
            t -> work.keys(start + t / parts, t % parts, packed, t / parts * perHead));
        Parallel.run(
            count * queryBlocks,
            t -> {
              int slot = t / queryBlocks;
              work.addParts(start + slot, t % queryBlocks, packed, slot * perHead, dq);
            });
      }
    } finally {
      Buffers.give(packed);
    }
  }
}
