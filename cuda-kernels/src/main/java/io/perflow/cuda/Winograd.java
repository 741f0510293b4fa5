package io.perflow.cuda;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/** The convolution by Winograd's algorithm: {@code winograd.cu}. */
final class Winograd {
  private static final String FILE = "winograd";
  private static final int TILE = 2; // results of a tile, along either axis
  private static final int PLACES = 16; // of a transformed tile

  private final Gpu gpu;
  private final MatMul matmul;

  Winograd(Gpu gpu, MatMul matmul) {
    this.gpu = gpu;
    this.matmul = matmul;
  }

  /** Returns whether this algorithm can compute a convolution, and with it its adjoint in x. */
  static boolean fits(Tensor weight, Conv2dSpec spec) {
    return weight.type() == DataType.F32
        && weight.dim(2) == 3
        && weight.dim(3) == 3
        && spec.strideH() == 1
        && spec.strideW() == 1
        && spec.padH() <= 2
        && spec.padW() <= 2
        && spec.groups() == 1;
  }

  /**
   * Writes y (n, out, oh, ow), channels last, from an image that is channels last.
   *
   * @param adjoint whether filters are rotated by 180 degrees and their channels exchanged
   */
  void convolve(
      Tensor y, Tensor image, Tensor weight, Tensor bias, AxisMap h, AxisMap w, boolean adjoint) {
    int rows = Grid.ceil(y.dim(2), TILE);
    int cols = Grid.ceil(y.dim(3), TILE);
    int tiles = y.dim(0) * rows * cols;
    int in = image.dim(1);
    int out = y.dim(1);
    Tensor v = gpu.fresh(DataType.F32, Shape.of(PLACES, tiles, in));
    gpu.launch(
        FILE,
        "winograd_image_f32",
        Grid.threads((long) tiles * in),
        a ->
            a.tensor(v)
                .tensor(image)
                .struct(h.struct())
                .struct(w.struct())
                .struct(tiles(rows, cols, in, tiles, y)));
    Tensor m = matmul.matmul(v, filter(weight, adjoint));
    gpu.launch(
        FILE,
        "winograd_result_f32",
        Grid.threads((long) tiles * out),
        a -> a.tensor(y).tensor(m).tensor(bias).struct(tiles(rows, cols, out, tiles, y)));
  }

  private static Struct tiles(int rows, int cols, int channels, int count, Tensor y) {
    return new Struct()
        .divisor(rows)
        .divisor(cols)
        .divisor(channels)
        .ints(count, y.dim(2), y.dim(3));
  }

  private record Transformed(Layout layout, boolean adjoint) {}

  // The transformed filter (16, in, out), computed once for as long as its numbers stay the same.
  private Tensor filter(Tensor weight, boolean adjoint) {
    Transformed key = new Transformed(weight.layout(), adjoint);
    return CudaStorage.of(weight).derived(key, () -> transform(weight, adjoint));
  }

  private Tensor transform(Tensor weight, boolean adjoint) {
    int inAxis = adjoint ? 0 : 1;
    int in = weight.dim(inAxis);
    int out = weight.dim(1 - inAxis);
    Layout from = weight.layout();
    Tensor u = Scope.detach(gpu.fresh(DataType.F32, Shape.of(PLACES, in, out)));
    gpu.launch(
        FILE,
        "winograd_filter_f32",
        Grid.threads((long) in * out),
        a ->
            a.tensor(u)
                .tensor(weight)
                .ints(in)
                .divisor(out)
                .ints(from.stride(inAxis), from.stride(1 - inAxis))
                .ints(from.stride(2), from.stride(3))
                .ints(adjoint ? 1 : 0));
    return u;
  }
}
