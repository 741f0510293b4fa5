package io.perflow.tensor.cpu.attention;

import static io.perflow.tensor.cpu.attention.AttentionTiles.BLOCK;
import static io.perflow.tensor.cpu.attention.AttentionTiles.STRIDE;
import static io.perflow.tensor.cpu.attention.AttentionTiles.TILED;

import io.perflow.tensor.cpu.elementwise.Elementwise;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.reduce.Reduce;
import java.util.Arrays;

/**
 * The three steps of the gradient of {@link Attention}: pack what belongs to the queries, run every
 * part of the keys over all queries, add up the parts of dq.
 *
 * <p>Packed floats of a head: per block of queries q as panels (BLOCK, d) in units of log 2, q as
 * rows (TILED, dPad), dout as panels (BLOCK, dv), dout as rows (TILED, dvPad), lse (BLOCK) in units
 * of log 2, delta (BLOCK); then per part and block of queries dq as rows (TILED, dPad).
 */
record AttentionGrad(
    Heads q,
    Heads k,
    Heads v,
    Heads out,
    Heads dout,
    Heads dk,
    Heads dv,
    int heads,
    int lq,
    int lk,
    int d,
    int dvSize,
    int parts,
    float scale) {
  private static final float LOG2_E = (float) (1 / Math.log(2));

  /** Floats packed for one head. */
  int perHead() {
    return Math.multiplyExact(queryBlocks(), perQueries() + parts * TILED * dPad());
  }

  private int queryBlocks() {
    return (lq + BLOCK - 1) / BLOCK;
  }

  private int keyBlocks() {
    return (lk + BLOCK - 1) / BLOCK;
  }

  private int dPad() {
    return AttentionTiles.padded(d);
  }

  private int dvPad() {
    return AttentionTiles.padded(dvSize);
  }

  private int perQueries() {
    return BLOCK * (d + dvSize + 2) + TILED * (dPad() + dvPad());
  }

  private int dqOffset(int part, int block) {
    return queryBlocks() * perQueries() + (part * queryBlocks() + block) * TILED * dPad();
  }

  /** Packs one block of queries of one head. */
  void packQueries(int head, int block, float[] lse, int lseOff, float[] packed, int base) {
    int b = head / heads;
    int h = head % heads;
    int first = block * BLOCK;
    int n = Math.min(BLOCK, lq - first);
    int o = base + block * perQueries();
    int from = q.start(b, h) + first * q.rowStride();
    AttentionTiles.packPanels(q.data(), from, q.rowStride(), n, d, scale * LOG2_E, packed, o);
    o += BLOCK * d;
    AttentionTiles.packRows(q.data(), from, q.rowStride(), n, d, packed, o);
    o += TILED * dPad();
    int grad = dout.start(b, h) + first * dout.rowStride();
    AttentionTiles.packPanels(dout.data(), grad, dout.rowStride(), n, dvSize, 1f, packed, o);
    o += BLOCK * dvSize;
    AttentionTiles.packRows(dout.data(), grad, dout.rowStride(), n, dvSize, packed, o);
    o += TILED * dvPad();
    int value = out.start(b, h) + first * out.rowStride();
    for (int i = 0; i < BLOCK; i++) {
      packed[o + i] = i < n ? lse[lseOff + head * lq + first + i] * LOG2_E : 0f;
      packed[o + BLOCK + i] =
          i < n
              ? (float)
                  Reduce.dot(
                      out.data(),
                      value + i * out.rowStride(),
                      dout.data(),
                      grad + i * dout.rowStride(),
                      dvSize)
              : 0f;
    }
  }

  /** One part of the keys of one head against all its queries: dk, dv and a part of dq. */
  void keys(int head, int part, float[] packed, int base) {
    int blocks = queryBlocks();
    Arrays.fill(packed, base + dqOffset(part, 0), base + dqOffset(part, blocks), 0f);
    float[] columns = Buffers.floats(STRIDE * d);
    float[] rows = Buffers.floats(TILED * dPad());
    float[] values = Buffers.floats(STRIDE * dvSize);
    float[] dkRows = Buffers.floats(TILED * dPad());
    float[] dvRows = Buffers.floats(TILED * dvPad());
    float[] scores = Buffers.floats(TILED * STRIDE);
    float[] slopes = Buffers.floats(TILED * STRIDE);
    try {
      int from = (int) ((long) keyBlocks() * part / parts);
      int to = (int) ((long) keyBlocks() * (part + 1) / parts);
      for (int block = from; block < to; block++) {
        int first = block * BLOCK;
        int n = Math.min(BLOCK, lk - first);
        int b = head / heads;
        int h = head % heads;
        int kOff = k.start(b, h) + first * k.rowStride();
        int vOff = v.start(b, h) + first * v.rowStride();
        AttentionTiles.packColumns(k.data(), kOff, k.rowStride(), n, d, columns, 0);
        AttentionTiles.packRows(k.data(), kOff, k.rowStride(), n, d, rows, 0);
        AttentionTiles.packColumns(v.data(), vOff, v.rowStride(), n, dvSize, values, 0);
        Arrays.fill(dkRows, 0, TILED * dPad(), 0f);
        Arrays.fill(dvRows, 0, TILED * dvPad(), 0f);
        for (int i = 0; i < blocks; i++) {
          int dqOff = base + dqOffset(part, i);
          int queries = Math.min(BLOCK, lq - i * BLOCK);
          pair(
              columns,
              rows,
              values,
              n,
              packed,
              base + i * perQueries(),
              dqOff,
              queries,
              scores,
              slopes,
              dkRows,
              dvRows);
        }
        int dkOff = dk.start(b, h) + first * dk.rowStride();
        int dvOff = dv.start(b, h) + first * dv.rowStride();
        AttentionTiles.unpackRows(dkRows, 0, scale, dk.data(), dkOff, dk.rowStride(), n, d);
        AttentionTiles.unpackRows(dvRows, 0, 1f, dv.data(), dvOff, dv.rowStride(), n, dvSize);
      }
    } finally {
      Buffers.give(columns);
      Buffers.give(rows);
      Buffers.give(values);
      Buffers.give(dkRows);
      Buffers.give(dvRows);
      Buffers.give(scores);
      Buffers.give(slopes);
    }
  }

  /** One block of keys and one of queries. */
  private void pair(
      float[] columns,
      float[] rows,
      float[] values,
      int keys,
      float[] packed,
      int o,
      int dqOff,
      int queries,
      float[] scores,
      float[] slopes,
      float[] dkRows,
      float[] dvRows) {
    int qRows = o + BLOCK * d;
    int gPanels = qRows + TILED * dPad();
    int gRows = gPanels + BLOCK * dvSize;
    int lse = gRows + TILED * dvPad();
    AttentionTiles.scores(columns, 0, packed, o, d, keys, queries, scores);
    AttentionTiles.scores(values, 0, packed, gPanels, dvSize, keys, queries, slopes);
    AttentionTiles.softmaxGrad(scores, slopes, keys, queries, packed, lse, lse + BLOCK);
    AttentionTiles.addOverQueries(scores, packed, gRows, dvPad(), keys, queries, dvRows, 0);
    AttentionTiles.addOverQueries(slopes, packed, qRows, dPad(), keys, queries, dkRows, 0);
    AttentionTiles.addOverKeys(slopes, rows, 0, dPad(), keys, queries, packed, dqOff);
  }

  /** Adds the parts of one block of dq in their order and writes the sum. */
  void addParts(int head, int block, float[] packed, int base, Heads dq) {
    int first = base + dqOffset(0, block);
    int n = TILED * dPad();
    for (int part = 1; part < parts; part++) {
      Elementwise.axpby(1f, packed, base + dqOffset(part, block), 1f, packed, first, n);
    }
    int to = dq.start(head / heads, head % heads) + block * BLOCK * dq.rowStride();
    int rows = Math.min(BLOCK, lq - block * BLOCK);
    AttentionTiles.unpackRows(packed, first, scale, dq.data(), to, dq.rowStride(), rows, d);
  }
}
