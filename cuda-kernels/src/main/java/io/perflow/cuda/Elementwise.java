package io.perflow.cuda;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.ElementwiseKernels;
import io.perflow.tensor.op.BinaryKind;
import io.perflow.tensor.op.UnaryKind;
import java.util.Arrays;
import java.util.Locale;

/** The functions of single elements, with broadcasting: {@code elementwise.cu}. */
final class Elementwise implements ElementwiseKernels {
  private static final String FILE = "elementwise";

  private final Gpu gpu;

  Elementwise(Gpu gpu) {
    this.gpu = gpu;
  }

  private static String lower(Enum<?> kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  /** Returns f(x). */
  @Override
  public Tensor unary(UnaryKind kind, Tensor x) {
    Tensor y = gpu.fresh(x.type(), Walk.resultLayout(x.shape(), x));
    map("unary_" + lower(kind) + Gpu.suffix(x.type()), y, x);
    return y;
  }

  /** Copies the elements to where {@code target} lies. */
  void copy(Tensor target, Tensor source) {
    map("unary_copy" + Gpu.suffix(source.type()), target, source);
  }

  private void map(String kernel, Tensor y, Tensor x) {
    for (Walk walk : Walk.grouped(x.type(), y.layout(), x.layout())) {
      gpu.launch(
          FILE,
          kernel,
          Grid.threads(walk.groups()),
          a -> a.at(y, walk.offset(0)).at(x, walk.offset(1)).walk(walk));
    }
  }

  /** Returns the same elements in another type. */
  @Override
  public Tensor cast(Tensor x, DataType type) {
    Tensor y = gpu.fresh(type, Walk.resultLayout(x.shape(), x));
    String kernel = type == DataType.F32 ? "cast_f64_f32" : "cast_f32_f64";
    for (Walk walk : Walk.of(y.layout(), x.layout())) {
      gpu.launch(
          FILE,
          kernel,
          Grid.threads(walk.groups()),
          a -> a.at(y, walk.offset(0)).at(x, walk.offset(1)).walk(walk));
    }
    return y;
  }

  /** Returns f(a, b); an operand of one number goes by value. */
  @Override
  public Tensor binary(BinaryKind kind, Tensor a, Tensor b) {
    Shape shape = Shape.broadcast("binary", a.shape(), b.shape());
    Tensor y = gpu.fresh(a.type(), Walk.resultLayout(shape, a, b));
    Double left = CudaStorage.of(a).constant();
    Double right = CudaStorage.of(b).constant();
    Layout from = left == null ? a.layout().expand(shape) : repeated(shape);
    Layout with = right == null ? b.layout().expand(shape) : repeated(shape);
    for (Walk walk : Walk.grouped(a.type(), y.layout(), from, with)) {
      gpu.launch(
          FILE,
          "binary_" + lower(kind) + Gpu.suffix(a.type()),
          Grid.threads(walk.groups()),
          args ->
              args.at(y, walk.offset(0))
                  .at(left == null ? a : null, walk.offset(1))
                  .at(right == null ? b : null, walk.offset(2))
                  .number(a.type(), left == null ? 0 : left)
                  .number(a.type(), right == null ? 0 : right)
                  .walk(walk));
    }
    return y;
  }

  private static Layout repeated(Shape shape) {
    return Layout.of(shape, new int[shape.rank()], 0);
  }

  /** Returns a + alpha b. */
  @Override
  public Tensor addScaled(Tensor a, Tensor b, double alpha) {
    Tensor y = gpu.fresh(a.type(), Walk.resultLayout(a.shape(), a, b));
    for (Walk walk : Walk.grouped(a.type(), y.layout(), a.layout(), b.layout())) {
      gpu.launch(
          FILE,
          "add_scaled" + Gpu.suffix(a.type()),
          Grid.threads(walk.groups()),
          args ->
              args.at(y, walk.offset(0))
                  .at(a, walk.offset(1))
                  .at(b, walk.offset(2))
                  .number(a.type(), alpha)
                  .walk(walk));
    }
    return y;
  }

  /** Returns a where the condition is not zero, otherwise b. */
  @Override
  public Tensor where(Tensor condition, Tensor a, Tensor b) {
    Shape both = Shape.broadcast("where", a.shape(), b.shape());
    Shape shape = Shape.broadcast("where", condition.shape(), both);
    Tensor y = gpu.fresh(a.type(), Walk.resultLayout(shape, a, b, condition));
    Layout test = condition.layout().expand(shape);
    for (Walk walk :
        Walk.of(y.layout(), test, a.layout().expand(shape), b.layout().expand(shape))) {
      gpu.launch(
          FILE,
          "where" + Gpu.suffix(a.type()),
          Grid.threads(walk.groups()),
          args ->
              args.at(y, walk.offset(0))
                  .at(condition, walk.offset(1))
                  .at(a, walk.offset(2))
                  .at(b, walk.offset(3))
                  .walk(walk));
    }
    return y;
  }

  /** Multiplies complex pairs in the last axis, with b or its conjugate. */
  @Override
  public Tensor complexMul(Tensor a, Tensor b, boolean conjugateB) {
    Shape shape = Shape.broadcast("complex_mul", a.shape(), b.shape());
    Tensor y = gpu.fresh(a.type(), Walk.resultLayout(shape, a, b));
    Layout left = a.layout().expand(shape);
    Layout right = b.layout().expand(shape);
    int pair = shape.rank() - 1;
    for (Walk walk : Walk.of(realPart(y.layout()), realPart(left), realPart(right))) {
      gpu.launch(
          FILE,
          "complex_mul" + Gpu.suffix(a.type()),
          Grid.threads(walk.groups()),
          args ->
              args.at(y, walk.offset(0))
                  .at(a, walk.offset(1))
                  .at(b, walk.offset(2))
                  .ints(y.layout().stride(pair), left.stride(pair), right.stride(pair))
                  .number(a.type(), conjugateB ? -1 : 1)
                  .walk(walk));
    }
    return y;
  }

  /** Returns where the real parts of a complex tensor lie: its layout without the last axis. */
  private static Layout realPart(Layout complex) {
    int[] strides = complex.strides();
    return Layout.of(
        complex.shape().remove(-1), Arrays.copyOf(strides, strides.length - 1), complex.offset());
  }
}
