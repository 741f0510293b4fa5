package io.perflow.cuda;

import io.perflow.cuda.driver.Blas;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.GemmKernels;
import java.util.Arrays;

/** Matrix products over the last two axes, batched and broadcast: {@code matmul.cu}. */
final class MatMul implements GemmKernels {
  private static final String FILE = "matmul";

  // The tiles of C: small ones of 64 x 64, large ones of 128 x 128, and of 32 x 32 for doubles.
  private static final int SMALL = 64;
  private static final int LARGE = 128;
  private static final int DOUBLES = 32;
  private static final int THREADS = 256;

  // Large tiles reuse more of what they load, but must leave enough blocks to fill a device.
  private static final int ENOUGH_BLOCKS = 128;
  private static final int MOST_LAYERS = 65535;

  private final Gpu gpu;
  private final Memory memory;
  private volatile LibraryProducts library; // null for our own kernels

  MatMul(Gpu gpu, Memory memory) {
    this.gpu = gpu;
    this.memory = memory;
  }

  /** Uses a library for products from now on. */
  void use(Blas blas) {
    library = new LibraryProducts(gpu, blas);
  }

  @Override
  public Tensor matmul(Tensor a, Tensor b) {
    return Temporaries.one(() -> product(a, b, 1));
  }

  /** Returns factor a b. */
  Tensor product(Tensor a, Tensor b, double factor) {
    Shape aBatch = a.shape().remove(-1).remove(-1);
    Shape bBatch = b.shape().remove(-1).remove(-1);
    Shape batch = Shape.broadcast("matmul", aBatch, bBatch);
    int rank = batch.rank();
    Shape shape = batch.insert(rank, a.dim(-2)).insert(rank + 1, b.dim(-1));
    Tensor c = gpu.fresh(a.type(), shape);
    if (c.size() > 0) {
      Tensor left = fitting(a);
      Tensor right = fitting(b);
      LibraryProducts chosen = library;
      if (chosen != null
          && chosen.multiply(
              c, left, right, factor, batch(c, batch), batch(left, batch), batch(right, batch))) {
        return c;
      }
      Walk walk = Walk.single(batch(c, batch), batch(left, batch), batch(right, batch));
      if (walk == null) {
        left = memory.contiguous(a);
        right = memory.contiguous(b);
        walk = Walk.single(batch(c, batch), batch(left, batch), batch(right, batch));
      }
      launch(c, left, right, factor, walk);
    }
    return c;
  }

  // Matrices that step by one along rows or columns are taken as they are, others are copied.
  private Tensor fitting(Tensor x) {
    Layout layout = x.layout();
    int rank = x.rank();
    boolean rows = layout.stride(rank - 1) == 1 || x.dim(-1) == 1;
    boolean columns = layout.stride(rank - 2) == 1 || x.dim(-2) == 1;
    return rows || columns ? x : memory.contiguous(x);
  }

  // Returns where each matrix of the batch begins.
  private static Layout batch(Tensor x, Shape batch) {
    Layout layout = x.layout();
    int rank = x.rank() - 2;
    Shape own = Shape.of(Arrays.copyOf(x.shape().toArray(), rank));
    return Layout.of(own, Arrays.copyOf(layout.strides(), rank), layout.offset()).expand(batch);
  }

  private void launch(Tensor c, Tensor a, Tensor b, double factor, Walk batch) {
    DataType type = c.type();
    int m = c.dim(-2);
    int n = c.dim(-1);
    int k = a.dim(-1);
    int products = batch.groups();
    Side left = Side.of(a, a.rank() - 2, a.rank() - 1);
    Side right = Side.of(b, b.rank() - 1, b.rank() - 2);
    boolean vectors = type == DataType.F32 && left.vector(m, k) && right.vector(n, k);
    boolean large =
        vectors && (long) Grid.ceil(m, LARGE) * Grid.ceil(n, LARGE) * products >= ENOUGH_BLOCKS;
    int tile = type == DataType.F64 ? DOUBLES : large ? LARGE : SMALL;
    String kernel = "plain";
    Struct p = new Struct().ints(m, n, k, products);
    if (vectors) {
      kernel = (left.alongDepth ? "k" : "m") + (right.alongDepth ? "k" : "n");
      kernel += large ? "_large" : "_small";
      p.ints(left.pitch(), right.pitch(), n, 0, 0);
    } else {
      p.ints(left.lineStride, right.depthStride, n, left.depthStride, right.lineStride);
    }
    p.flag(n % (16 / type.bytes()) == 0);
    Grid grid =
        Grid.blocks(
            Grid.ceil(m, tile), Grid.ceil(n, tile), Math.min(products, MOST_LAYERS), THREADS);
    gpu.launch(
        FILE,
        "matmul_" + kernel + Gpu.suffix(type),
        grid,
        args ->
            args.at(c, batch.offset(0))
                .at(a, batch.offset(1))
                .at(b, batch.offset(2))
                .number(type, factor)
                .struct(p)
                .walk(batch));
  }

  /**
   * An operand as lines (rows of a, columns of b) of k elements; it tells whether everything about
   * it allows loads of four neighbours.
   */
  private record Side(int lineStride, int depthStride, boolean alongDepth, boolean aligned) {
    static Side of(Tensor x, int lineAxis, int depthAxis) {
      Layout layout = x.layout();
      int line = x.dim(lineAxis) == 1 ? 0 : layout.stride(lineAxis);
      int depth = x.dim(depthAxis) == 1 ? 0 : layout.stride(depthAxis);
      boolean aligned = layout.offset() % 4 == 0;
      for (int axis = 0; axis < x.rank() - 2; axis++) {
        aligned &= x.dim(axis) == 1 || layout.stride(axis) % 4 == 0;
      }
      return new Side(line, depth, depth == 1, aligned);
    }

    boolean vector(int lines, int depth) {
      int along = alongDepth ? depth : lines;
      boolean unit = alongDepth || lineStride == 1;
      return aligned && unit && along % 4 == 0 && pitch() % 4 == 0;
    }

    /** Returns the distance from line to line when k runs along memory, otherwise from k to k. */
    int pitch() {
      return alongDepth ? lineStride : depthStride;
    }
  }
}
