package io.perflow.tensor.cpu.attention;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.AttentionKernels;
import io.perflow.tensor.cpu.gemm.ScalarGemm;
import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.loop.Ranges;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.memory.Doubles;
import io.perflow.tensor.cpu.memory.Fresh;
import java.util.Arrays;

/** Softmax and attention. */
public class ScalarAttention implements AttentionKernels {
  /** exp(x - max) / sum along the last axis. */
  @Override
  public Tensor softmax(Tensor x) {
    Tensor y = Fresh.like(x, x.shape());
    int n = x.dim(-1);
    try (Doubles in = Doubles.of(x);
        Doubles out = Doubles.into(y)) {
      Ranges.run(
          rows(x, n),
          n,
          (from, to) -> {
            for (int row = from; row < to; row++) {
              System.arraycopy(in.data, row * n, out.data, row * n, n);
              double max = max(out.data, row * n, n);
              double sum = exponentials(out.data, row * n, n, max);
              for (int j = row * n; j < (row + 1) * n; j++) {
                out.data[j] /= sum;
              }
            }
          });
    }
    return y;
  }

  private static int rows(Tensor x, int n) {
    return n == 0 ? 0 : x.size() / n;
  }

  private static double max(double[] x, int at, int n) {
    double max = Double.NEGATIVE_INFINITY;
    for (int j = at; j < at + n; j++) {
      max = Math.max(max, x[j]);
    }
    return max;
  }

  /** Replaces x by exp(x - max) and returns the sum. */
  private static double exponentials(double[] x, int at, int n, double max) {
    double sum = 0;
    for (int j = at; j < at + n; j++) {
      x[j] = Math.exp(x[j] - max);
      sum += x[j];
    }
    return sum;
  }

  /** y (dy - sum(y dy)) along the last axis. */
  @Override
  public Tensor softmaxBackward(Tensor y, Tensor dy) {
    Tensor dx = Fresh.like(y, y.shape());
    int n = y.dim(-1);
    try (Doubles ys = Doubles.of(y);
        Doubles dys = Doubles.of(dy);
        Doubles dxs = Doubles.into(dx)) {
      Ranges.run(
          rows(y, n),
          n,
          (from, to) -> {
            for (int row = from; row < to; row++) {
              double mean = ScalarGemm.dot(ys.data, row * n, dys.data, row * n, n);
              for (int j = row * n; j < (row + 1) * n; j++) {
                dxs.data[j] = ys.data[j] * (dys.data[j] - mean);
              }
            }
          });
    }
    return dx;
  }

  /** softmax(scale q k') v, one row of scores at a time, and the log-sum-exp of each row. */
  @Override
  public Tensor[] attention(Tensor q, Tensor k, Tensor v, double scale) {
    int lq = q.dim(2);
    int lk = k.dim(2);
    int d = q.dim(3);
    int dv = v.dim(3);
    Tensor y = Fresh.like(q, q.shape().with(3, dv));
    Tensor logSumExp = Fresh.like(q, q.shape().remove(3));
    try (Doubles qs = Doubles.of(q); // (heads, lq, d)
        Doubles ks = Doubles.of(k); // (heads, lk, d)
        Doubles vs = Doubles.of(v); // (heads, lk, dv)
        Doubles ys = Doubles.into(y); // (heads, lq, dv)
        Doubles ls = Doubles.into(logSumExp)) { // (heads, lq)
      Ranges.run(
          logSumExp.size(),
          (long) lk * (d + dv),
          (from, to) -> {
            double[] scores = Buffers.doubles(lk);
            for (int row = from; row < to; row++) {
              int keys = row / lq * lk; // first key of this head
              for (int j = 0; j < lk; j++) {
                scores[j] = scale * ScalarGemm.dot(qs.data, row * d, ks.data, (keys + j) * d, d);
              }
              double max = max(scores, 0, lk);
              double sum = exponentials(scores, 0, lk, max);
              ls.data[row] = max + Math.log(sum);
              Arrays.fill(ys.data, row * dv, (row + 1) * dv, 0);
              for (int j = 0; j < lk; j++) {
                double weight = scores[j] / sum;
                ScalarGemm.addScaled(weight, vs.data, (keys + j) * dv, ys.data, row * dv, dv);
              }
            }
            Buffers.give(scores);
          });
    }
    return new Tensor[] {y, logSumExp};
  }

  /**
   * Gradients of attention. With the weights p(i, j) = exp(scale q(i) k(j) - logSumExp(i)), which
   * are computed again: dv(j) = sum p(i, j) dy(i); and with ds(i, j) = scale p(i, j) (dy(i) v(j) -
   * dy(i) y(i)): dq(i) = sum ds(i, j) k(j), dk(j) = sum ds(i, j) q(i).
   */
  @Override
  public Tensor[] attentionBackward(
      Tensor q, Tensor k, Tensor v, Tensor y, Tensor logSumExp, Tensor dy, double scale) {
    int heads = q.dim(0) * q.dim(1);
    int lq = q.dim(2);
    int lk = k.dim(2);
    int d = q.dim(3);
    int dv = v.dim(3);
    Tensor gradQ = Fresh.like(q, q.shape());
    Tensor gradK = Fresh.like(k, k.shape());
    Tensor gradV = Fresh.like(v, v.shape());
    try (Doubles qs = Doubles.of(q);
        Doubles ks = Doubles.of(k);
        Doubles vs = Doubles.of(v);
        Doubles ys = Doubles.of(y);
        Doubles ls = Doubles.of(logSumExp);
        Doubles dys = Doubles.of(dy);
        Doubles dqs = Doubles.into(gradQ);
        Doubles dks = Doubles.into(gradK);
        Doubles dvs = Doubles.into(gradV)) {
      Parallel.run(
          heads,
          head -> {
            Arrays.fill(dqs.data, head * lq * d, (head + 1) * lq * d, 0);
            Arrays.fill(dks.data, head * lk * d, (head + 1) * lk * d, 0);
            Arrays.fill(dvs.data, head * lk * dv, (head + 1) * lk * dv, 0);
            for (int i = head * lq; i < (head + 1) * lq; i++) {
              double mean = ScalarGemm.dot(dys.data, i * dv, ys.data, i * dv, dv);
              for (int j = head * lk; j < (head + 1) * lk; j++) {
                double score = scale * ScalarGemm.dot(qs.data, i * d, ks.data, j * d, d);
                double p = Math.exp(score - ls.data[i]);
                double dp = ScalarGemm.dot(dys.data, i * dv, vs.data, j * dv, dv);
                double ds = scale * p * (dp - mean);
                ScalarGemm.addScaled(p, dys.data, i * dv, dvs.data, j * dv, dv);
                ScalarGemm.addScaled(ds, ks.data, j * d, dqs.data, i * d, d);
                ScalarGemm.addScaled(ds, qs.data, i * d, dks.data, j * d, d);
              }
            }
          });
    }
    return new Tensor[] {gradQ, gradK, gradV};
  }
}
