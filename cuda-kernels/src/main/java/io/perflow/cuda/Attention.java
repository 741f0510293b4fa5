package io.perflow.cuda;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.AttentionKernels;

/**
 * Softmax and attention: {@code softmax.cu}, {@code attention.cu}. Heads of up to 64 numbers in F32
 * never keep their scores; wider ones and F64 do, as products of matrices.
 */
final class Attention implements AttentionKernels {
  private static final String ROWS = "softmax";
  private static final String TILES = "attention";
  private static final int TILE = 32;
  private static final int THREADS = 64;
  private static final int WIDEST = 64;

  private final Gpu gpu;
  private final Memory memory;
  private final MatMul matmul;

  Attention(Gpu gpu, Memory memory, MatMul matmul) {
    this.gpu = gpu;
    this.memory = memory;
    this.matmul = matmul;
  }

  /** Returns exp(x - max) / sum along the last axis. */
  @Override
  public Tensor softmax(Tensor x) {
    return Temporaries.one(
        () -> {
          Tensor from = memory.contiguous(x);
          Tensor y = gpu.fresh(x.type(), x.shape());
          int rows = rows(x);
          gpu.launch(
              ROWS,
              "softmax" + Gpu.suffix(x.type()),
              Grid.warps(rows),
              a -> a.tensor(y).tensor(from).ints(rows, x.dim(-1)));
          return y;
        });
  }

  /** Returns y (dy - sum(y dy)) along the last axis. */
  @Override
  public Tensor softmaxBackward(Tensor y, Tensor dy) {
    return Temporaries.one(
        () -> {
          Tensor weights = memory.contiguous(y);
          Tensor grad = memory.contiguous(dy);
          Tensor dx = gpu.fresh(y.type(), y.shape());
          int rows = rows(y);
          gpu.launch(
              ROWS,
              "softmax_grad" + Gpu.suffix(y.type()),
              Grid.warps(rows),
              a -> a.tensor(dx).tensor(weights).tensor(grad).ints(rows, y.dim(-1)));
          return dx;
        });
  }

  private static int rows(Tensor x) {
    return x.dim(-1) == 0 ? 0 : x.size() / x.dim(-1);
  }

  private static boolean tiled(Tensor q, Tensor v) {
    return q.type() == DataType.F32 && q.dim(3) <= WIDEST && v.dim(3) <= WIDEST;
  }

  private static String width(Tensor q, Tensor v) {
    return Math.max(q.dim(3), v.dim(3)) <= TILE ? "_32_f32" : "_64_f32";
  }

  // ---- forward

  /** Returns the result and the log-sum-exp of each row of scores. */
  @Override
  public Tensor[] attention(Tensor q, Tensor k, Tensor v, double scale) {
    return Temporaries.all(() -> forward(q, k, v, scale));
  }

  private Tensor[] forward(Tensor q, Tensor k, Tensor v, double scale) {
    Tensor y = gpu.fresh(q.type(), q.shape().with(3, v.dim(3)));
    Tensor logSumExp = gpu.fresh(q.type(), q.shape().remove(3));
    if (!tiled(q, v)) {
      return byProducts(q, k, v, scale, logSumExp);
    }
    gpu.launch(
        TILES,
        "attention" + width(q, v),
        grid(q, q.dim(2)),
        a -> {
          a.tensor(y).tensor(logSumExp).tensor(q).tensor(k).tensor(v);
          a.number(DataType.F32, scale);
          heads(a, q, k, v);
        });
    return new Tensor[] {y, logSumExp};
  }

  private static Grid grid(Tensor q, int rows) {
    return Grid.blocks(q.dim(0) * q.dim(1), Grid.ceil(rows, TILE), 1, THREADS);
  }

  // The strides of q, k and v, then the sizes.
  private static void heads(Arguments a, Tensor q, Tensor k, Tensor v) {
    for (Tensor x : new Tensor[] {q, k, v}) {
      a.struct(new Struct().ints(x.layout().strides()));
    }
    a.struct(
        new Struct().divisor(Math.max(1, q.dim(1))).ints(q.dim(2), k.dim(2), q.dim(3), v.dim(3)));
  }

  private Tensor[] byProducts(Tensor q, Tensor k, Tensor v, double scale, Tensor logSumExp) {
    Tensor scores = matmul.product(q, transposed(k), scale);
    int rows = logSumExp.size();
    gpu.launch(
        ROWS,
        "attention_weights" + Gpu.suffix(q.type()),
        Grid.warps(rows),
        a -> a.tensor(scores).tensor(logSumExp).ints(rows, k.dim(2)));
    return new Tensor[] {matmul.matmul(scores, v), logSumExp};
  }

  private static Tensor transposed(Tensor x) {
    return x.view(x.layout().permute(0, 1, 3, 2));
  }

  // ---- gradients

  /** Returns the gradients with respect to q, k and v. */
  @Override
  public Tensor[] attentionBackward(
      Tensor q, Tensor k, Tensor v, Tensor y, Tensor logSumExp, Tensor dy, double scale) {
    return Temporaries.all(() -> backward(q, k, v, y, logSumExp, dy, scale));
  }

  private Tensor[] backward(
      Tensor q, Tensor k, Tensor v, Tensor y, Tensor logSumExp, Tensor dy, double scale) {
    Tensor out = memory.contiguous(y);
    Tensor grad = memory.contiguous(dy);
    Tensor logs = memory.contiguous(logSumExp);
    if (!tiled(q, v)) {
      return backwardByProducts(q, k, v, out, logs, grad, scale);
    }
    Tensor dq = gpu.fresh(q.type(), q.shape());
    Tensor dk = gpu.fresh(k.type(), k.shape());
    Tensor dv = gpu.fresh(v.type(), v.shape());
    int rows = logs.size();
    Tensor mean = gpu.fresh(q.type(), Shape.of(rows));
    gpu.launch(
        TILES,
        "attention_means_f32",
        Grid.warps(rows),
        a -> a.tensor(mean).tensor(out).tensor(grad).ints(rows, v.dim(3)));
    gpu.launch(
        TILES,
        "attention_grad_q" + width(q, v),
        grid(q, q.dim(2)),
        a -> {
          a.tensor(dq).tensor(q).tensor(k).tensor(v).tensor(grad).tensor(logs).tensor(mean);
          a.number(DataType.F32, scale);
          heads(a, q, k, v);
        });
    gpu.launch(
        TILES,
        "attention_grad_kv" + width(q, v),
        grid(q, k.dim(2)),
        a -> {
          a.tensor(dk).tensor(dv).tensor(q).tensor(k).tensor(v);
          a.tensor(grad).tensor(logs).tensor(mean).number(DataType.F32, scale);
          heads(a, q, k, v);
        });
    return new Tensor[] {dq, dk, dv};
  }

  private Tensor[] backwardByProducts(
      Tensor q, Tensor k, Tensor v, Tensor y, Tensor logSumExp, Tensor dy, double scale) {
    Tensor weights = matmul.product(q, transposed(k), scale); // scores first, weights below
    Tensor slopes = matmul.matmul(dy, transposed(v)); // likewise their gradients
    int rows = logSumExp.size();
    gpu.launch(
        ROWS,
        "attention_scores_grad" + Gpu.suffix(q.type()),
        Grid.warps(rows),
        a ->
            a.tensor(weights)
                .tensor(slopes)
                .tensor(logSumExp)
                .tensor(y)
                .tensor(dy)
                .ints(rows, k.dim(2), v.dim(3))
                .number(q.type(), scale));
    return new Tensor[] {
      matmul.matmul(slopes, k),
      matmul.matmul(transposed(slopes), q),
      matmul.matmul(transposed(weights), dy)
    };
  }
}
