package io.perflow.tensor.cpu.attention;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.memory.FloatStorage;
import io.perflow.tensor.cpu.memory.Fresh;
import io.perflow.tensor.cpu.memory.StridedCopy;

/** Softmax and attention of F32 tensors. */
public final class SimdAttention extends ScalarAttention {
  @Override
  public Tensor softmax(Tensor x) {
    if (!FloatStorage.holds(x)) {
      return super.softmax(x);
    }
    Tensor in = contiguous(x);
    Tensor y = Fresh.like(x, Layout.contiguous(x.shape()));
    int cols = x.dim(-1);
    if (x.size() > 0) {
      Softmax.forward(
          FloatStorage.data(in),
          in.layout().offset(),
          cols,
          FloatStorage.data(y),
          0,
          cols,
          x.size() / cols,
          cols);
    }
    return y;
  }

  @Override
  public Tensor softmaxBackward(Tensor y, Tensor dy) {
    if (!FloatStorage.holds(y)) {
      return super.softmaxBackward(y, dy);
    }
    Tensor p = contiguous(y);
    Tensor g = contiguous(dy);
    Tensor dx = Fresh.like(y, Layout.contiguous(y.shape()));
    int cols = y.dim(-1);
    if (y.size() > 0) {
      Softmax.backward(
          FloatStorage.data(p),
          p.layout().offset(),
          cols,
          FloatStorage.data(g),
          g.layout().offset(),
          cols,
          FloatStorage.data(dx),
          0,
          cols,
          y.size() / cols,
          cols);
    }
    return dx;
  }

  @Override
  public Tensor[] attention(Tensor q, Tensor k, Tensor v, double scale) {
    if (!FloatStorage.holds(q)) {
      return super.attention(q, k, v, scale);
    }
    Shape rows = q.shape().remove(-1);
    Tensor out = heads(q, q.shape().with(3, v.dim(3)));
    Tensor lse = Fresh.like(q, Layout.contiguous(rows));
    if (lse.size() > 0) {
      Attention.forward(
          view(q),
          view(k),
          view(v),
          view(out),
          FloatStorage.data(lse),
          0,
          q.dim(0),
          q.dim(1),
          q.dim(2),
          k.dim(2),
          q.dim(3),
          v.dim(3),
          (float) scale);
    }
    return new Tensor[] {out, lse};
  }

  @Override
  public Tensor[] attentionBackward(
      Tensor q, Tensor k, Tensor v, Tensor out, Tensor lse, Tensor dout, double scale) {
    if (!FloatStorage.holds(q)) {
      return super.attentionBackward(q, k, v, out, lse, dout, scale);
    }
    Tensor dq = heads(q, q.shape());
    Tensor dk = heads(k, k.shape());
    Tensor dv = heads(v, v.shape());
    Attention.backward(
        view(q),
        view(k),
        view(v),
        view(out),
        view(dout),
        FloatStorage.data(lse),
        lse.layout().offset(),
        view(dq),
        view(dk),
        view(dv),
        q.dim(0),
        q.dim(1),
        q.dim(2),
        k.dim(2),
        q.dim(3),
        v.dim(3),
        (float) scale);
    return new Tensor[] {dq, dk, dv};
  }

  // (b, h, l, d) in the memory order (b, l, h, d): joined heads are then the channels of a pixel,
  // and turning the result into an image that lies channels last copies nothing
  private static Tensor heads(Tensor like, Shape shape) {
    return Fresh.like(like, Layout.ordered(shape, 0, 2, 1, 3));
  }

  private static Heads view(Tensor x) {
    Tensor t =
        x.layout().stride(3) == 1 || x.dim(3) == 1
            ? x
            : StridedCopy.of(x, Layout.ordered(x.shape(), 0, 2, 1, 3));
    Layout l = t.layout();
    return new Heads(FloatStorage.data(t), l.offset(), l.stride(0), l.stride(1), l.stride(2));
  }

  private static Tensor contiguous(Tensor x) {
    return x.layout().isContiguous() ? x : StridedCopy.of(x, Layout.contiguous(x.shape()));
  }
}
