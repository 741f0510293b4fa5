package io.perflow.tensor.cpu.gemm;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.memory.FloatRows;
import io.perflow.tensor.cpu.memory.FloatStorage;
import io.perflow.tensor.cpu.memory.Fresh;
import io.perflow.tensor.cpu.memory.StridedCopy;
import java.util.Arrays;
import java.util.Optional;

/** Matrix products by vectors, in both types. */
public final class SimdGemm extends ScalarGemm {
  @Override
  public Tensor matmul(Tensor a, Tensor b) {
    if (!FloatStorage.holds(a)) {
      return DoubleMatmul.product(a, b);
    }
    if (a.rank() == 2 && b.rank() == 2) {
      Tensor c = Fresh.like(a, Shape.of(a.dim(0), b.dim(1)));
      Gemm.multiply(Matrix.of(a), Matrix.of(b), null, 0, false, Matrix.of(c));
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
      Gemm.multiply(Matrix.of(a), Matrix.of(b), null, 0, false, Matrix.of(c));
    } else {
      Gemm.batched(
          batch.size(),
          Matrix.of(a),
          offsets(a, batch),
          Matrix.of(b),
          offsets(b, batch),
          null,
          0,
          false,
          Matrix.of(c),
          offsets(c, batch));
    }
    return c;
  }

  @Override
  void addProduct(double scale, DoubleMatrix a, DoubleMatrix b, DoubleMatrix c) {
    DoubleGemm.add(scale, a, b, c);
  }

  @Override
  public Optional<Tensor> linear(Tensor x, Tensor weight, Tensor bias) {
    if (!FloatStorage.holds(x)) {
      return super.linear(x, weight, bias);
    }
    int in = weight.dim(1);
    int out = weight.dim(0);
    Tensor a = rows(x, in);
    Tensor y = Fresh.like(x, x.rank() == 2 ? Shape.of(x.dim(0), out) : x.shape().with(-1, out));
    FloatRows start = FloatRows.of(bias);
    if (a.dim(0) <= SmallGemm.MAX_ROWS && contiguous(a, weight)) {
      SmallGemm.linear(
          FloatStorage.data(a),
          a.layout().offset(),
          a.dim(0),
          in,
          FloatStorage.data(weight),
          weight.layout().offset(),
          start.data(),
          start.offset(),
          FloatStorage.data(y),
          out);
    } else {
      float[] panels = PackedWeight.of(weight).panels();
      Matrix c = Matrix.dense(FloatStorage.data(y), 0, a.dim(0), out);
      Gemm.multiplyPacked(Matrix.of(a), panels, 0, start.data(), start.offset(), false, c);
    }
    return Optional.of(y);
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
    return layout == null
        ? StridedCopy.of(x, Layout.contiguous(x.shape())).view(Layout.contiguous(shape))
        : x.view(layout);
  }

  /** Where each matrix of a batch begins, counted from the first one. */
  static int[] offsets(Tensor x, Shape batch) {
    int[] dims = x.shape().remove(-1).remove(-1).toArray();
    int[] strides = Arrays.copyOf(x.layout().strides(), dims.length);
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
}
