package io.perflow.tensor.cpu;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/** Matrix products, softmax and attention of F32 tensors. */
final class SimdLinear {
  private SimdLinear() {}

  static Tensor matmul(Tensor a, Tensor b) {
    if (a.rank() == 2 && b.rank() == 2) {
      Tensor c = Fresh.like(a, Shape.of(a.dim(0), b.dim(1)));
      Gemm.multiply(matrix(a), matrix(b), null, 0, false, matrix(c));
      return c;
    }
    int rank = Math.max(a.rank(), b.rank());
    Shape batch =
        Shape.broadcast("matmul", a.shape().remove(-1).remove(-1), b.shape().remove(-1).remove(-1));
    Shape shape = batch.insert(rank - 2, a.dim(-2)).insert(rank - 1, b.dim(-1));
    Tensor c = Fresh.like(a, Layout.contiguous(shape));
    if (c.size() == 0) {
      return c;
    }
    if (batch.size() == 1) {
      Gemm.multiply(matrix(a), matrix(b), null, 0, false, matrix(c));
    } else {
      Gemm.batched(
          batch.size(),
          matrix(a),
          offsets(a, batch),
          matrix(b),
          offsets(b, batch),
          null,
          0,
          false,
          matrix(c),
          offsets(c, batch));
    }
    return c;
  }

  private static final Conv2dSpec POINTWISE = Conv2dSpec.of(1, 0);

  static Tensor linear(Tensor x, Tensor weight, Tensor bias) {
    int in = weight.dim(1);
    int out = weight.dim(0);
    Tensor a = rows(x, in);
    Tensor y = Fresh.like(x, x.rank() == 2 ? Shape.of(x.dim(0), out) : x.shape().with(-1, out));
    Tensor start = bias == null || bias.layout().isContiguous() ? bias : contiguous(bias);
    float[] first = start == null ? null : FloatStorage.data(start);
    int at = start == null ? 0 : start.layout().offset();
    if (a.dim(0) <= SmallGemm.MAX_ROWS && contiguous(a, weight)) {
      SmallGemm.linear(
          FloatStorage.data(a),
          a.layout().offset(),
          a.dim(0),
          in,
          FloatStorage.data(weight),
          weight.layout().offset(),
          first,
          at,
          FloatStorage.data(y),
          out);
    } else {
      // The weight of a 1x1 convolution: packed when it changes, not at every call.
      Tensor w = weight.layout().isContiguous() ? weight : contiguous(weight);
      Tensor kernel = w.view(w.layout().reshape(Shape.of(out, in, 1, 1)));
      PackedFilter filter = SimdImages.filter(kernel, POINTWISE, in, true);
      Matrix c = new Matrix(FloatStorage.data(y), 0, a.dim(0), out, out, 1);
      Gemm.multiplyPacked(matrix(a), filter.data(), 0, first, at, false, c);
    }
    return y;
  }

  private static boolean contiguous(Tensor a, Tensor b) {
    return a.layout().isContiguous() && b.layout().isContiguous();
  }

  // (…, in) as a matrix
  private static Tensor rows(Tensor x, int in) {
    if (x.rank() == 2) {
      return x;
    }
    Shape shape = Shape.of(x.shape().remove(-1).size(), in);
    Layout layout = x.layout().reshape(shape);
    return layout == null ? contiguous(x).view(Layout.contiguous(shape)) : x.view(layout);
  }

  // the first matrix of the batch; those of the others are given by offsets from it
  private static Matrix matrix(Tensor x) {
    Layout l = x.layout();
    int r = x.rank();
    return new Matrix(
        FloatStorage.data(x), l.offset(), x.dim(-2), x.dim(-1), l.stride(r - 2), l.stride(r - 1));
  }

  /** Where each matrix of a batch begins, counted from the first one. */
  static int[] offsets(Tensor x, Shape batch) {
    int[] dims = x.shape().remove(-1).remove(-1).toArray();
    int[] strides = java.util.Arrays.copyOf(x.layout().strides(), dims.length);
    Layout wide = Layout.of(Shape.of(dims), strides, 0).expand(batch);
    int[] offsets = new int[batch.size()];
    for (int i = 0; i < offsets.length; i++) {
      int rest = i;
      for (int axis = batch.rank() - 1; axis >= 0; axis--) {
        offsets[i] += rest % batch.dim(axis) * wide.stride(axis);
        rest /= batch.dim(axis);
      }
    }
    return offsets;
  }

  static Tensor softmax(Tensor x) {
    Tensor in = x.layout().isContiguous() ? x : contiguous(x);
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

  static Tensor softmaxBackward(Tensor y, Tensor dy) {
    Tensor p = y.layout().isContiguous() ? y : contiguous(y);
    Tensor g = dy.layout().isContiguous() ? dy : contiguous(dy);
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

  private static Tensor contiguous(Tensor x) {
    return SimdElementwise.copy(x, Layout.contiguous(x.shape()));
  }

  static Tensor[] attention(Tensor q, Tensor k, Tensor v, double scale) {
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

  static Tensor[] attentionBackward(
      Tensor q, Tensor k, Tensor v, Tensor out, Tensor lse, Tensor dout, double scale) {
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
            : SimdElementwise.copy(x, Layout.ordered(x.shape(), 0, 2, 1, 3));
    Layout l = t.layout();
    return new Heads(FloatStorage.data(t), l.offset(), l.stride(0), l.stride(1), l.stride(2));
  }
}
