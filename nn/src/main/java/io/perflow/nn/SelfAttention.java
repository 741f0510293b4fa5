package io.perflow.nn;

import io.perflow.tensor.Check;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;
import io.perflow.tensor.op.Attention;
import io.perflow.tensor.op.Fused;
import io.perflow.tensor.op.Op;
import io.perflow.tensor.op.Recorder;
import io.perflow.tensor.op.Saved;
import io.perflow.tensor.op.SoftmaxBackward;
import io.perflow.tensor.op.Vjp;

/**
 * The attention of all pixels of an image to each other: queries, keys and values qkv (n, 3 c, h,
 * w) give softmax(q' k / sqrt(d)) v of shape (n, c, h, w), for every head of d = c / heads
 * channels. Channel ((i heads) + head) d + j of qkv is component j of a head, with i = 0, 1, 2 for
 * q, k and v.
 *
 * <p>It is not a composition of slices and attention, because the gradient of three slices is three
 * padded copies and two sums of them, five times the memory traffic of joining the parts once.
 */
record SelfAttention(int heads) implements Fused {
  @Override
  public String name() {
    return "self_attention";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Tensor qkv = inputs[0];
    Check.rank(name(), "queries, keys and values", qkv, 4);
    Check.that(
        qkv.dim(1) % (3 * heads) == 0 && qkv.dim(2) * qkv.dim(3) > 0,
        name(),
        "input %s has %d channels, not a multiple of 3 x %d heads, or no pixel",
        qkv.shape(),
        qkv.dim(1),
        heads);
    return qkv.shape().with(1, qkv.dim(1) / 3);
  }

  private double scale(int channels) {
    return 1 / Math.sqrt((double) channels / heads);
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    Tensor qkv = inputs[0];
    int c = qkv.dim(1) / 3;
    Tensor[] result =
        backend
            .attention()
            .attention(
                part(backend, qkv, 0, 3),
                part(backend, qkv, 1, 3),
                part(backend, qkv, 2, 3),
                scale(c));
    result[0] = image(backend, result[0], qkv.shape().with(1, c));
    return result;
  }

  @Override
  public Tensor composed(Tensor... inputs) {
    Tensor qkv = inputs[0];
    int c = qkv.dim(1) / 3;
    Tensor parts = parts(qkv);
    Tensor attended =
        new Attention(scale(c)).apply(parts.select(0, 0), parts.select(0, 1), parts.select(0, 2));
    return attended.transpose().reshape(qkv.shape().with(1, c));
  }

  // (3, n, heads, pixels, d)
  private Tensor parts(Tensor qkv) {
    int d = qkv.dim(1) / 3 / heads;
    int pixels = qkv.dim(2) * qkv.dim(3);
    return qkv.reshape(qkv.dim(0), 3, heads, d, pixels).permute(1, 0, 2, 4, 3);
  }

  @Override
  public Saved saved() {
    return Saved.INPUTS.andOutputs(0, 1);
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    if (Recorder.current() != null) {
      return Op.only(composedVjp(v.input(0), v.grad()));
    }
    Tensor qkv = v.input(0);
    Backend backend = qkv.device().backend();
    Tensor[] grads =
        backend
            .attention()
            .attentionBackward(
                part(backend, qkv, 0, 3),
                part(backend, qkv, 1, 3),
                part(backend, qkv, 2, 3),
                part(backend, v.output(0), 0, 1),
                v.output(1),
                part(backend, v.grad(), 0, 1),
                scale(qkv.dim(1) / 3));
    Shape one = qkv.shape().with(1, qkv.dim(1) / 3);
    for (int i = 0; i < 3; i++) {
      grads[i] = image(backend, grads[i], one);
    }
    return Op.only(backend.movement().concat(grads, 1));
  }

  /**
   * Returns part i of an image whose channels hold {@code parts} of them, seen as (n, heads,
   * pixels, d).
   */
  private Tensor part(Backend backend, Tensor x, int i, int parts) {
    Layout l = x.layout();
    int h = x.dim(2);
    int w = x.dim(3);
    int pixel = w == 1 ? l.stride(2) : l.stride(3);
    if (h != 1 && l.stride(2) != w * pixel) {
      return part(backend, backend.memory().copy(x, Layout.channelsLast(x.shape())), i, parts);
    }
    int c = x.dim(1) / parts;
    int d = c / heads;
    int[] strides = {l.stride(0), l.stride(1) * d, pixel, l.stride(1)};
    int offset = l.offset() + i * c * l.stride(1);
    return x.view(Layout.of(Shape.of(x.dim(0), heads, h * w, d), strides, offset));
  }

  /**
   * Returns (n, heads, pixels, d) seen as an image (n, c, h, w), copied when strides cannot express
   * it.
   */
  private static Tensor image(Backend backend, Tensor x, Shape shape) {
    Tensor turned = x.view(x.layout().permute(0, 1, 3, 2));
    Layout layout = turned.layout().reshape(shape);
    if (layout != null) {
      return turned.view(layout);
    }
    Tensor copy = backend.memory().copy(turned, Layout.contiguous(turned.shape()));
    return copy.view(copy.layout().reshape(shape));
  }

  // This is the same gradient made of operations, so that it can be differentiated again.
  private Tensor composedVjp(Tensor qkv, Tensor grad) {
    int n = qkv.dim(0);
    int c = qkv.dim(1) / 3;
    int pixels = qkv.dim(2) * qkv.dim(3);
    Tensor parts = parts(qkv);
    Tensor q = parts.select(0, 0);
    Tensor k = parts.select(0, 1);
    Tensor value = parts.select(0, 2);
    Tensor g = grad.reshape(n, heads, c / heads, pixels).transpose();
    Tensor p = q.matmul(k.transpose()).mul(scale(c)).softmax();
    Tensor ds = new SoftmaxBackward().apply(p, g.matmul(value.transpose())).mul(scale(c));
    Shape one = qkv.shape().with(1, c);
    return Tensor.concat(
        1,
        ds.matmul(k).transpose().reshape(one),
        ds.transpose().matmul(q).transpose().reshape(one),
        p.transpose().matmul(g).transpose().reshape(one));
  }
}
