package io.perflow.tensor.cpu.elementwise;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.loop.Walk;
import io.perflow.tensor.cpu.memory.FloatStorage;
import io.perflow.tensor.cpu.memory.Fresh;
import io.perflow.tensor.cpu.memory.StridedCopy;
import io.perflow.tensor.op.BinaryKind;
import io.perflow.tensor.op.UnaryKind;

/** Elementwise operations on strided F32 tensors: the outer walk around {@link Elementwise}. */
public final class SimdElementwise extends ScalarElementwise {
  @Override
  public Tensor unary(UnaryKind kind, Tensor x) {
    if (!FloatStorage.holds(x)) {
      return super.unary(kind, x);
    }
    Layout out = Walk.resultLayout(x.shape(), x);
    Tensor y = Fresh.like(x, out);
    if (x.layout().equals(out)) {
      float[] from = FloatStorage.data(x);
      float[] to = FloatStorage.data(y);
      if (x.size() <= LaneMath.SHORT && LaneMath.knows(kind)) {
        LaneMath.run(kind, from, 0, to, 0, x.size());
      } else {
        Walk.along(x.size(), (at, n) -> Elementwise.unary(kind, from, at, to, at, n));
      }
      return y;
    }
    Walk walk = Walk.of(out, x.layout());
    if (walk.cols > 1 && walk.step(1) != 1) {
      return unary(kind, StridedCopy.of(x, out));
    }
    float[] source = FloatStorage.data(x);
    float[] target = FloatStorage.data(y);
    walk.forEach(
        (row, count, lo, hi) -> {
          int s = walk.start(1, row) + lo;
          int t = walk.start(0, row) + lo;
          for (int r = 0; r < count; r++) {
            Elementwise.unary(
                kind, source, s + r * walk.rowStep(1), target, t + r * walk.rowStep(0), hi - lo);
          }
        });
    return y;
  }

  @Override
  public Tensor binary(BinaryKind kind, Tensor a, Tensor b) {
    if (!FloatStorage.holds(a)) {
      return super.binary(kind, a, b);
    }
    Shape shape = Shape.broadcast("binary", a.shape(), b.shape());
    Layout out = Walk.resultLayout(shape, a, b);
    if (a.layout().equals(out) && b.layout().equals(out)) {
      return binaryAlong(kind, a, b, out);
    }
    Walk walk = Walk.of(out, a.layout().expand(shape), b.layout().expand(shape));
    if (!walk.isUnitOrConstant(1)) {
      return binary(kind, StridedCopy.of(a, rearranged(a, out)), b);
    }
    if (!walk.isUnitOrConstant(2)) {
      return binary(kind, a, StridedCopy.of(b, rearranged(b, out)));
    }
    Tensor y = Fresh.like(a, out);
    float[] left = FloatStorage.data(a);
    float[] right = FloatStorage.data(b);
    float[] target = FloatStorage.data(y);
    int la = walk.step(1) == 1 ? 1 : 0;
    int lb = walk.step(2) == 1 ? 1 : 0;
    walk.forEach(
        (row, count, lo, hi) ->
            Elementwise.binaryRows(
                kind,
                left,
                walk.start(1, row) + lo * la,
                walk.rowStep(1),
                la,
                right,
                walk.start(2, row) + lo * lb,
                walk.rowStep(2),
                lb,
                target,
                walk.start(0, row) + lo,
                walk.rowStep(0),
                count,
                hi - lo));
    return y;
  }

  // All three in the same places: one run.
  private static Tensor binaryAlong(BinaryKind kind, Tensor a, Tensor b, Layout out) {
    Tensor y = Fresh.like(a, out);
    float[] left = FloatStorage.data(a);
    float[] right = FloatStorage.data(b);
    float[] target = FloatStorage.data(y);
    Walk.along(
        y.size(), (at, n) -> Elementwise.binary(kind, left, at, 1, right, at, 1, target, at, n));
    return y;
  }

  // An operand that meets the result at awkward strides is first laid out in the result's order.
  private static Layout rearranged(Tensor x, Layout out) {
    int lead = out.shape().rank() - x.rank();
    int[] order = new int[x.rank()];
    int count = 0;
    for (int axis : out.order()) {
      if (axis >= lead) {
        order[count++] = axis - lead;
      }
    }
    return Layout.ordered(x.shape(), order);
  }

  @Override
  public Tensor where(Tensor condition, Tensor a, Tensor b) {
    if (!FloatStorage.holds(a)) {
      return super.where(condition, a, b);
    }
    Shape both = Shape.broadcast("where", a.shape(), b.shape());
    Shape shape = Shape.broadcast("where", condition.shape(), both);
    Layout out = Walk.resultLayout(shape, a, b, condition);
    Tensor[] in = {condition, a, b};
    Layout[] layouts = new Layout[4];
    layouts[0] = out;
    for (int k = 0; k < 3; k++) {
      layouts[k + 1] = in[k].layout().expand(shape);
    }
    Walk walk = Walk.of(layouts);
    for (int k = 0; k < 3; k++) {
      if (!walk.isUnitOrConstant(k + 1)) {
        in[k] = StridedCopy.of(in[k], rearranged(in[k], out));
        return where(in[0], in[1], in[2]);
      }
    }
    Tensor y = Fresh.like(a, out);
    float[] c = FloatStorage.data(condition);
    float[] left = FloatStorage.data(a);
    float[] right = FloatStorage.data(b);
    float[] target = FloatStorage.data(y);
    int[] step = new int[4];
    for (int k = 1; k < 4; k++) {
      step[k] = walk.step(k) == 1 ? 1 : 0;
    }
    walk.forEach(
        (row, count, lo, hi) -> {
          for (int r = row; r < row + count; r++) {
            Elementwise.where(
                c,
                walk.start(1, r) + lo * step[1],
                step[1],
                left,
                walk.start(2, r) + lo * step[2],
                step[2],
                right,
                walk.start(3, r) + lo * step[3],
                step[3],
                target,
                walk.start(0, r) + lo,
                hi - lo);
          }
        });
    return y;
  }

  @Override
  public Tensor addScaled(Tensor a, Tensor b, double alpha) {
    if (!FloatStorage.holds(a)) {
      return super.addScaled(a, b, alpha);
    }
    Layout out = Walk.resultLayout(a.shape(), a, b);
    Walk walk = Walk.of(out, a.layout(), b.layout());
    if (walk.cols > 1 && walk.step(1) != 1) {
      return addScaled(StridedCopy.of(a, out), b, alpha);
    }
    if (walk.cols > 1 && walk.step(2) != 1) {
      return addScaled(a, StridedCopy.of(b, out), alpha);
    }
    Tensor y = Fresh.like(a, out);
    float[] left = FloatStorage.data(a);
    float[] right = FloatStorage.data(b);
    float[] target = FloatStorage.data(y);
    walk.forEach(
        (row, count, lo, hi) -> {
          for (int r = row; r < row + count; r++) {
            int t = walk.start(0, r) + lo;
            System.arraycopy(left, walk.start(1, r) + lo, target, t, hi - lo);
            Elementwise.axpby((float) alpha, right, walk.start(2, r) + lo, 1, target, t, hi - lo);
          }
        });
    return y;
  }

  @Override
  public Tensor complexMul(Tensor a, Tensor b, boolean conjugateB) {
    return FloatStorage.holds(a)
        ? SimdComplex.multiply(a, b, conjugateB)
        : super.complexMul(a, b, conjugateB);
  }
}
