package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * Scaled dot-product attention, softmax(scale q k') v, for q (b, h, lq, d), k (b, h, lk, d) and v
 * (b, h, lk, dv). The scores, lq x lk numbers per head, are never stored completely.
 */
public record Attention(double scale) implements Op {
  /** Applies attention with the usual scale, 1 / sqrt(d). */
  public static Tensor of(Tensor q, Tensor k, Tensor v) {
    return new Attention(1 / Math.sqrt(q.shape().dim(-1))).apply(q, k, v);
  }

  @Override
  public String name() {
    return "attention";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape q = inputs[0].shape();
    Shape k = inputs[1].shape();
    Shape v = inputs[2].shape();
    Check.rank(name(), "query", inputs[0], 4);
    Check.rank(name(), "key", inputs[1], 4);
    Check.rank(name(), "value", inputs[2], 4);
    Check.that(
        q.dim(0) == k.dim(0) && q.dim(1) == k.dim(1) && q.dim(3) == k.dim(3),
        name(),
        "query %s and key %s must agree in batch, heads and width",
        q,
        k);
    Check.that(
        k.dim(0) == v.dim(0) && k.dim(1) == v.dim(1) && k.dim(2) == v.dim(2) && k.dim(2) > 0,
        name(),
        "key %s and value %s must agree in batch, heads and length, which must not be 0",
        k,
        v);
    return q.with(3, v.dim(3));
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return backend.attention().attention(inputs[0], inputs[1], inputs[2], scale);
  }

  @Override
  public Saved saved() {
    return Saved.INPUTS.andOutputs(0, 1);
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    Tensor q = v.input(0);
    Tensor k = v.input(1);
    Tensor value = v.input(2);
    if (Recorder.current() == null) {
      return q.device()
          .backend()
          .attention()
          .attentionBackward(q, k, value, v.output(0), v.output(1), v.grad(), scale);
    }
    // A gradient that is to be differentiated again must be made of operations.
    Tensor p = q.matmul(k.transpose()).mul(scale).softmax();
    Tensor ds = new SoftmaxBackward().apply(p, v.grad().matmul(value.transpose())).mul(scale);
    return new Tensor[] {ds.matmul(k), ds.transpose().matmul(q), p.transpose().matmul(v.grad())};
  }
}
