package io.perflow.nn.unet;

import io.perflow.nn.BatchNorm;
import io.perflow.nn.Conv2d;
import io.perflow.nn.ConvTranspose2d;
import io.perflow.nn.UnaryLayer;
import io.perflow.tensor.Images;
import io.perflow.tensor.Pool2dSpec;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The U-Net of Ronneberger et al. (2015) with batch norms and tanh, a surrogate for maps between
 * fields: from x (n, in, h, w) to (n, out, h, w).
 *
 * <p>Level i = 1 … {@code levels} has 2^(i - 1) {@code width} channels; a bottleneck with twice
 * those of the last lies below. Downwards: a block {@code encoder_i}, then the largest of each 2x2
 * pixels. Upwards: a transposed 2x2 convolution {@code upconv_i}, joined with the output of {@code
 * encoder_i}, and a block {@code decoder_i}. A block is twice 3x3 convolution without bias, {@link
 * BatchNorm}, tanh. A 1x1 convolution {@code conv} ends the network. Heights and widths must be
 * multiples of 2^levels.
 *
 * <p>In training mode the batch norms use the statistics of the batch: turn {@link
 * #training(boolean)} off to optimise an input through the network.
 */
public final class ClassicUNet extends UnaryLayer {
  private static final Pool2dSpec HALVE = Pool2dSpec.of(2);

  private final int in;
  private final List<Block> down = new ArrayList<>();
  private final Block bottleneck;
  private final List<ConvTranspose2d> grow = new ArrayList<>(); // index is level - 1, as of down
  private final List<Block> up = new ArrayList<>();
  private final Conv2d head;

  private ClassicUNet(int in, int out, int width, int levels, Rng rng) {
    this.in = in;
    for (int i = 1; i <= levels; i++) {
      int from = i == 1 ? in : width << (i - 2);
      down.add(block("encoder" + i, "enc" + i, from, width << (i - 1), rng));
    }
    bottleneck = block("bottleneck", "bottleneck", width << (levels - 1), width << levels, rng);
    for (int i = levels; i >= 1; i--) {
      String name = "upconv" + i;
      int narrow = width << (i - 1);
      grow.addFirst(child(name, ConvTranspose2d.of(2 * narrow, narrow, 2, 2, rng.split(name))));
      up.addFirst(block("decoder" + i, "dec" + i, 2 * narrow, narrow, rng));
    }
    head = child("conv", Conv2d.of(width, out, 1).build(rng.split("conv")));
  }

  private Block block(String name, String prefix, int from, int to, Rng rng) {
    return child(name, new Block(prefix, from, to, rng.split(name)));
  }

  /** The default network: 4 levels, 32 channels on the first. */
  public static ClassicUNet of(int in, int out, Rng rng) {
    return of(in, out, 32, 4, rng);
  }

  /**
   * A network of another size.
   *
   * @param width channels of the first level
   * @param levels how often the resolution is halved
   */
  public static ClassicUNet of(int in, int out, int width, int levels, Rng rng) {
    if (width < 1 || levels < 1) {
      throw new IllegalArgumentException(
          "[classic unet] width %d and levels %d must be at least 1".formatted(width, levels));
    }
    return new ClassicUNet(in, out, width, levels, rng);
  }

  /** Input: x (n, in, h, w). */
  @Override
  protected Tensor forward(Tensor x) {
    int multiple = 1 << down.size();
    if (x.rank() != 4 || x.dim(1) != in || x.dim(2) % multiple != 0 || x.dim(3) % multiple != 0) {
      throw new ShapeException(
          "classic unet",
          "input %s must be (n, %d, h, w) with multiples of %d as h and w; pad or crop it%s"
              .formatted(x.shape(), in, multiple, where()));
    }
    try (Scope scope = Scope.open()) {
      return scope.keep(head.apply(level(0, x)));
    }
  }

  /** A level with all coarser ones inside it. */
  private Tensor level(int i, Tensor x) {
    if (i == down.size()) {
      return bottleneck.apply(x);
    }
    try (Scope scope = Scope.open()) {
      Tensor skip = down.get(i).apply(x);
      Tensor below = level(i + 1, Images.maxPool2d(skip, HALVE));
      Tensor joined = Tensor.concat(1, grow.get(i).apply(below), skip);
      return scope.keep(up.get(i).apply(joined));
    }
  }

  /** Twice convolution, norm and tanh; {@code prefix} begins the names of the parts. */
  private static final class Block extends UnaryLayer {
    private final Conv2d conv1;
    private final BatchNorm norm1;
    private final Conv2d conv2;
    private final BatchNorm norm2;

    Block(String prefix, int from, int to, Rng rng) {
      conv1 = child(prefix + "conv1", conv(from, to, rng.split("conv1")));
      norm1 = child(prefix + "norm1", BatchNorm.of(to));
      conv2 = child(prefix + "conv2", conv(to, to, rng.split("conv2")));
      norm2 = child(prefix + "norm2", BatchNorm.of(to));
    }

    private static Conv2d conv(int from, int to, Rng rng) {
      return Conv2d.of(from, to, 3).padding(1).bias(false).build(rng);
    }

    @Override
    protected Tensor forward(Tensor x) {
      try (Scope scope = Scope.open()) {
        Tensor h = norm1.apply(conv1.apply(x)).tanh();
        return scope.keep(norm2.apply(conv2.apply(h)).tanh());
      }
    }
  }
}
