package io.perflow.tensor.cpu.elementwise;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.ElementwiseKernels;
import io.perflow.tensor.cpu.loop.Walk;
import io.perflow.tensor.cpu.memory.CpuStorage;
import io.perflow.tensor.cpu.memory.Fresh;
import io.perflow.tensor.cpu.memory.ScalarCopy;
import io.perflow.tensor.op.BinaryKind;
import io.perflow.tensor.op.UnaryKind;
import java.util.Arrays;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;

/** Functions of single elements, with broadcasting: one loop for each number of operands. */
public class ScalarElementwise implements ElementwiseKernels {
  @Override
  public Tensor unary(UnaryKind kind, Tensor x) {
    return map(x, kind::apply);
  }

  @Override
  public Tensor binary(BinaryKind kind, Tensor a, Tensor b) {
    Shape shape = Shape.broadcast("binary", a.shape(), b.shape());
    return DoubleArithmetic.computes(kind, a, b)
        ? DoubleArithmetic.zip(shape, a, b, kind)
        : zip(shape, a, b, kind::apply);
  }

  @Override
  public Tensor addScaled(Tensor a, Tensor b, double alpha) {
    return zip(a.shape(), a, b, (x, y) -> x + alpha * y);
  }

  @Override
  public Tensor cast(Tensor x, DataType type) {
    Layout layout = Walk.resultLayout(x.shape(), x);
    Tensor y = Tensor.over(CpuStorage.allocate(x.device(), type, x.size()), layout);
    ScalarCopy.into(y, x);
    return y;
  }

  /** f(x). */
  private static Tensor map(Tensor x, DoubleUnaryOperator f) {
    Tensor y = Fresh.like(x, Walk.resultLayout(x.shape(), x));
    CpuStorage out = CpuStorage.of(y);
    CpuStorage in = CpuStorage.of(x);
    Walk walk = Walk.of(y.layout(), x.layout());
    walk.forEach(
        (row, count, from, to) -> {
          for (int r = row; r < row + count; r++) {
            int o = walk.start(0, r);
            int i = walk.start(1, r);
            for (int c = from; c < to; c++) {
              out.set(o + c * walk.step(0), f.applyAsDouble(in.get(i + c * walk.step(1))));
            }
          }
        });
    return y;
  }

  /** f(a, b) for shapes that broadcast to {@code shape}. */
  private static Tensor zip(Shape shape, Tensor a, Tensor b, DoubleBinaryOperator f) {
    Tensor y = Fresh.like(a, Walk.resultLayout(shape, a, b));
    CpuStorage out = CpuStorage.of(y);
    CpuStorage left = CpuStorage.of(a);
    CpuStorage right = CpuStorage.of(b);
    Walk walk = Walk.of(y.layout(), a.layout().expand(shape), b.layout().expand(shape));
    walk.forEach(
        (row, count, from, to) -> {
          for (int r = row; r < row + count; r++) {
            int o = walk.start(0, r);
            int i = walk.start(1, r);
            int j = walk.start(2, r);
            for (int c = from; c < to; c++) {
              double u = left.get(i + c * walk.step(1));
              double v = right.get(j + c * walk.step(2));
              out.set(o + c * walk.step(0), f.applyAsDouble(u, v));
            }
          }
        });
    return y;
  }

  /** a where the condition is not zero (NaN is not), else b. */
  @Override
  public Tensor where(Tensor condition, Tensor a, Tensor b) {
    Shape both = Shape.broadcast("where", a.shape(), b.shape());
    Shape shape = Shape.broadcast("where", condition.shape(), both);
    Tensor y = Fresh.like(a, Walk.resultLayout(shape, a, b, condition));
    CpuStorage out = CpuStorage.of(y);
    CpuStorage test = CpuStorage.of(condition);
    CpuStorage yes = CpuStorage.of(a);
    CpuStorage no = CpuStorage.of(b);
    Walk walk =
        Walk.of(
            y.layout(),
            condition.layout().expand(shape),
            a.layout().expand(shape),
            b.layout().expand(shape));
    walk.forEach(
        (row, count, from, to) -> {
          for (int r = row; r < row + count; r++) {
            int o = walk.start(0, r);
            int t = walk.start(1, r);
            int i = walk.start(2, r);
            int j = walk.start(3, r);
            for (int c = from; c < to; c++) {
              boolean chosen = test.get(t + c * walk.step(1)) != 0;
              double value = chosen ? yes.get(i + c * walk.step(2)) : no.get(j + c * walk.step(3));
              out.set(o + c * walk.step(0), value);
            }
          }
        });
    return y;
  }

  /** (a + bi)(c + di) = (ac - bd) + (ad + bc)i over pairs in the last axis; b or its conjugate. */
  @Override
  public Tensor complexMul(Tensor a, Tensor b, boolean conjugateB) {
    Shape shape = Shape.broadcast("complex_mul", a.shape(), b.shape());
    Tensor y = Fresh.like(a, Walk.resultLayout(shape, a, b));
    Layout outer = y.layout();
    Layout left = a.layout().expand(shape);
    Layout right = b.layout().expand(shape);
    CpuStorage out = CpuStorage.of(y);
    CpuStorage x = CpuStorage.of(a);
    CpuStorage z = CpuStorage.of(b);
    int pair = shape.rank() - 1;
    int outIm = outer.stride(pair);
    int xIm = left.stride(pair);
    int zIm = right.stride(pair);
    double sign = conjugateB ? -1 : 1;
    Walk walk = Walk.of(realPart(outer), realPart(left), realPart(right));
    walk.forEach(
        (row, count, from, to) -> {
          for (int r = row; r < row + count; r++) {
            for (int c = from; c < to; c++) {
              int o = walk.start(0, r) + c * walk.step(0);
              int i = walk.start(1, r) + c * walk.step(1);
              int j = walk.start(2, r) + c * walk.step(2);
              double re = x.get(i);
              double im = x.get(i + xIm);
              double zRe = z.get(j);
              double zImaginary = sign * z.get(j + zIm);
              out.set(o, re * zRe - im * zImaginary);
              out.set(o + outIm, re * zImaginary + im * zRe);
            }
          }
        });
    return y;
  }

  /** Where the real parts of a complex tensor lie: its layout without the last axis. */
  private static Layout realPart(Layout complex) {
    int[] strides = complex.strides();
    return Layout.of(
        complex.shape().remove(-1), Arrays.copyOf(strides, strides.length - 1), complex.offset());
  }
}
