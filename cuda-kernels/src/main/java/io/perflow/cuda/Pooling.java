package io.perflow.cuda;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Pool2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.PoolKernels;
import io.perflow.tensor.op.ReduceKind;

/**
 * Pooling, {@code pool.cu}, and up-sampling. The latter is a copy from a view that repeats pixels,
 * and its adjoint is a sum over a view that splits them into blocks. Results have the memory order
 * of their operand, channels last or row-major.
 */
final class Pooling implements PoolKernels {
  private static final String FILE = "pool";

  private final Gpu gpu;
  private final Memory memory;
  private final Reductions reductions;

  Pooling(Gpu gpu, Memory memory, Reductions reductions) {
    this.gpu = gpu;
    this.memory = memory;
    this.reductions = reductions;
  }

  private static Layout like(Tensor x, Shape shape) {
    return x.layout().isChannelsLast() ? Layout.channelsLast(shape) : Layout.contiguous(shape);
  }

  private static Struct strides(Tensor x) {
    return new Struct().ints(x.layout().strides());
  }

  private static Struct windows(Pool2dSpec spec) {
    return new Struct().ints(spec.sizeH(), spec.sizeW(), spec.strideH(), spec.strideW());
  }

  private static Struct written(Tensor y) {
    Struct struct = new Struct();
    for (int axis = 1; axis < 4; axis++) {
      struct.divisor(Math.max(1, y.dim(axis)));
    }
    return struct.ints(y.size()).flag(y.layout().stride(1) == 1 && !y.layout().isContiguous());
  }

  private static Shape pooled(Tensor x, Pool2dSpec spec) {
    return Shape.of(x.dim(0), x.dim(1), spec.outH(x.dim(2)), spec.outW(x.dim(3)));
  }

  /** Returns the largest of each window and its position. */
  @Override
  public Tensor[] maxPool2d(Tensor x, Pool2dSpec spec) {
    Tensor y = gpu.fresh(x.type(), like(x, pooled(x, spec)));
    Tensor positions = gpu.fresh(x.type(), y.layout());
    gpu.launch(
        FILE,
        "max_pool" + Gpu.suffix(x.type()),
        Grid.threads(y.size()),
        a ->
            a.tensor(y)
                .tensor(positions)
                .tensor(x)
                .ints(x.dim(3))
                .struct(strides(x))
                .struct(windows(spec))
                .struct(written(y)));
    return new Tensor[] {y, positions};
  }

  /** Adds each gradient to the position that was largest in its window. */
  @Override
  public Tensor maxPool2dBackward(Tensor dy, Tensor positions, Shape inputShape) {
    Tensor dx = gpu.fresh(dy.type(), like(dy, inputShape));
    gpu.fill(CudaStorage.of(dx).address(), dx.type(), dx.size(), 0);
    int planes = dy.dim(0) * dy.dim(1);
    gpu.launch(
        FILE,
        "max_pool_grad" + Gpu.suffix(dy.type()),
        Grid.warps(planes),
        a ->
            a.tensor(dx)
                .tensor(dy)
                .tensor(positions)
                .ints(planes, dy.dim(2), dy.dim(3))
                .struct(strides(dx))
                .struct(strides(dy))
                .struct(strides(positions))
                .divisor(Math.max(1, dy.dim(1)))
                .ints(inputShape.dim(3)));
    return dx;
  }

  /** Returns the mean of each window. */
  @Override
  public Tensor avgPool2d(Tensor x, Pool2dSpec spec) {
    Tensor y = gpu.fresh(x.type(), like(x, pooled(x, spec)));
    gpu.launch(
        FILE,
        "avg_pool" + Gpu.suffix(x.type()),
        Grid.threads(y.size()),
        a -> a.tensor(y).tensor(x).struct(strides(x)).struct(windows(spec)).struct(written(y)));
    return y;
  }

  /** Spreads each gradient evenly over its window. */
  @Override
  public Tensor avgPool2dBackward(Tensor dy, Pool2dSpec spec, Shape inputShape) {
    Tensor dx = gpu.fresh(dy.type(), like(dy, inputShape));
    gpu.launch(
        FILE,
        "avg_pool_grad" + Gpu.suffix(dy.type()),
        Grid.threads(dx.size()),
        a ->
            a.tensor(dx)
                .tensor(dy)
                .ints(dy.dim(2), dy.dim(3))
                .struct(strides(dy))
                .struct(windows(spec))
                .struct(written(dx)));
    return dx;
  }

  /** Repeats every pixel factor x factor times. */
  @Override
  public Tensor upsampleNearest(Tensor x, int factor) {
    Shape s = x.shape();
    Shape blocks = Shape.of(s.dim(0), s.dim(1), s.dim(2), factor, s.dim(3), factor);
    Layout from = x.layout();
    int[] repeated = {from.stride(0), from.stride(1), from.stride(2), 0, from.stride(3), 0};
    Shape shape = Shape.of(s.dim(0), s.dim(1), s.dim(2) * factor, s.dim(3) * factor);
    Layout target = like(x, shape);
    Tensor source = x.view(Layout.of(blocks, repeated, from.offset()));
    Tensor y = memory.copy(source, split(target, factor));
    return y.view(target);
  }

  /** Sums each factor x factor block. */
  @Override
  public Tensor upsampleNearestBackward(Tensor dy, int factor) {
    Tensor blocks = dy.view(split(dy.layout(), factor));
    return reductions.reduce(ReduceKind.SUM, blocks, new int[] {3, 5}, false);
  }

  /** Returns images (n, c, h f, w f) as (n, c, h, f, w, f). */
  private static Layout split(Layout images, int factor) {
    Shape s = images.shape();
    int h = images.stride(2);
    int w = images.stride(3);
    return Layout.of(
        Shape.of(s.dim(0), s.dim(1), s.dim(2) / factor, factor, s.dim(3) / factor, factor),
        new int[] {images.stride(0), images.stride(1), h * factor, h, w * factor, w},
        images.offset());
  }
}
