package io.perflow.nn;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Padding;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.ConvKernels;
import io.perflow.tensor.op.GroupNormSpec;
import java.util.Arrays;
import java.util.function.UnaryOperator;

/**
 * A 2-D convolution: input (n, in, h, w), output (n, out, oh, ow) with oh = floor((h upsampling + 2
 * padding - kernel) / stride) + 1, parameters {@code weight} (out, in / groups, kernel, kernel) and
 * {@code bias} (out). On a periodic axis the padding holds the opposite side of the image, on other
 * axes zeros.
 */
public final class Conv2d extends Layer implements UnaryOperator<Tensor> {
  private final int in;
  private final io.perflow.tensor.op.Conv2d op;
  private final AddingConv2d adding;
  private final Parameter weight;
  private final Parameter bias; // null without a bias

  private Conv2d(Builder b, Rng rng) {
    in = b.in;
    op = new io.perflow.tensor.op.Conv2d(b.spec());
    adding = new AddingConv2d(b.spec());
    Shape shape = Shape.of(b.out, b.in / b.groups, b.kernel, b.kernel);
    weight = parameter("weight", b.weightInit().make(shape, rng.split("weight")));
    bias = b.bias ? parameter("bias", b.biasInit().make(Shape.of(b.out), rng.split("bias"))) : null;
  }

  /** Returns a convolution with a square kernel, stride 1, no padding and a bias. */
  public static Builder of(int in, int out, int kernel) {
    return new Builder(in, out, kernel);
  }

  /** Returns the convolution of x (n, in, h, w). */
  @Override
  public Tensor apply(Tensor x) {
    return run(x);
  }

  /** Returns the convolution of x (n, in, h, w) plus an image of the output's shape. */
  public Tensor apply(Tensor x, Tensor addend) {
    return run(x, addend);
  }

  /** Returns the convolution of images joined along their channels. */
  Tensor joined(Tensor... x) {
    boolean apart = x.length > 1 && bias != null && !Observer.Watch.isWatched();
    if (apart && kernels(x).joins(x, weight.value(), op.spec())) {
      Tensor[] inputs = Arrays.copyOf(x, x.length + 2);
      inputs[x.length] = weight.value();
      inputs[x.length + 1] = bias.value();
      return new JoinedConv2d(op.spec()).apply(inputs);
    }
    return apply(x.length == 1 ? x[0] : Tensor.concat(1, x));
  }

  /**
   * Returns whether {@link #normed} reads these images as they are. An observer receives every
   * layer with its result, so all results must exist if there is one.
   */
  boolean norms(Tensor... x) {
    return bias != null
        && !Observer.Watch.isWatched()
        && kernels(x).norms(x, weight.value(), op.spec());
  }

  private static ConvKernels kernels(Tensor... x) {
    return x[0].device().backend().conv();
  }

  /**
   * Returns the convolution of the norm of images joined along their channels.
   *
   * @param modulation scale and shift of the norm side by side, or null
   * @param addend an image to add to the result, or null
   */
  Tensor normed(GroupNorm norm, Tensor modulation, Tensor addend, Tensor... x) {
    if (norms(x)) {
      int others = 4 + (modulation == null ? 0 : 1) + (addend == null ? 0 : 1);
      Tensor[] inputs = Arrays.copyOf(x, x.length + others);
      int at = x.length;
      inputs[at++] = norm.weight();
      inputs[at++] = norm.bias();
      if (modulation != null) {
        inputs[at++] = modulation;
      }
      inputs[at++] = weight.value();
      inputs[at++] = bias.value();
      if (addend != null) {
        inputs[at] = addend;
      }
      GroupNormSpec spec = norm.spec(modulation != null);
      return new NormedConv2d(spec, op.spec(), x.length, addend != null).apply(inputs);
    }
    Tensor whole = x.length == 1 ? x[0] : Tensor.concat(1, x);
    Tensor z = modulation == null ? norm.apply(whole) : norm.apply(whole, modulation);
    return addend == null ? apply(z) : apply(z, addend);
  }

  /** Takes the inputs of one of the two {@code apply} methods. */
  @Override
  protected Tensor forward(Tensor... inputs) {
    takes(1, 2, inputs);
    Tensor x = inputs[0];
    if (x.rank() != 4 || x.dim(1) != in) {
      throw new ShapeException(
          "conv2d",
          "input %s must be (n, %d, h, w), weight is %s%s"
              .formatted(x.shape(), in, weight.shape(), where()));
    }
    Tensor w = weight.value();
    if (inputs.length == 2) {
      Tensor addend = inputs[1];
      return bias == null ? adding.apply(addend, x, w) : adding.apply(addend, x, w, bias.value());
    }
    return bias == null ? op.apply(x, w) : op.apply(x, w, bias.value());
  }

  /**
   * Returns this convolution for inputs whose last channels stay the same: it computes their part
   * of the result, {@code fixed} (n or 1, channels, h, w), and the bias once. The function returned
   * takes the other channels (n, in - channels, h, w).
   */
  public UnaryOperator<Tensor> given(Tensor fixed) {
    int own = in - fixed.dim(1);
    if (own < 1 || weight.shape().dim(1) != in) {
      throw new ShapeException(
          "conv2d",
          "of %d channels in %d group(s), %d cannot be fixed%s"
              .formatted(in, in / weight.shape().dim(1), fixed.dim(1), where()));
    }
    Tensor first = weight.value().slice(1, 0, own).contiguous();
    Tensor rest = weight.value().slice(1, own, in).contiguous();
    Tensor share = bias == null ? op.apply(fixed, rest) : op.apply(fixed, rest, bias.value());
    return x ->
        x.dim(0) == share.dim(0) ? adding.apply(share, x, first) : op.apply(x, first).add(share);
  }

  @Override
  protected long multiplyAdds(Tensor[] inputs, Tensor output) {
    return (long) output.size() * (weight.size() / Math.max(1, weight.shape().dim(0)));
  }

  /** The options of a convolution. */
  public static final class Builder {
    private final int in;
    private final int out;
    private final int kernel;
    private int stride = 1;
    private int padding;
    private boolean circularHeight;
    private boolean circularWidth;
    private int groups = 1;
    private int upsampling = 1;
    private boolean bias = true;
    private Initializer weightInit;
    private Initializer biasInit;

    private Builder(int in, int out, int kernel) {
      this.in = in;
      this.out = out;
      this.kernel = kernel;
    }

    /** Sets the step between windows on both axes. */
    public Builder stride(int stride) {
      this.stride = stride;
      return this;
    }

    /** Sets the number of pixels added at every edge. */
    public Builder padding(int padding) {
      this.padding = padding;
      return this;
    }

    /** Sets which axes are padded by wrapping around instead of with zeros. */
    public Builder circular(boolean height, boolean width) {
      circularHeight = height;
      circularWidth = width;
      return this;
    }

    /** Sets the number of groups of channels, which are convolved separately. */
    public Builder groups(int groups) {
      this.groups = groups;
      return this;
    }

    /** Sets how often every pixel of the input is repeated along both axes before it is padded. */
    public Builder upsampling(int factor) {
      upsampling = factor;
      return this;
    }

    /** Sets whether there is a bias; by default there is one. */
    public Builder bias(boolean wanted) {
      bias = wanted;
      return this;
    }

    /** Sets the initial values of weight and bias, instead of {@link Initializer#kaiming}. */
    public Builder init(Initializer weight, Initializer bias) {
      weightInit = weight;
      biasInit = bias;
      return this;
    }

    /** Starts with zero weight and bias, for the end of a residual branch. */
    public Builder zero() {
      return init(Initializer.zeros(), Initializer.zeros());
    }

    /** Returns the layer with its initial values. */
    public Conv2d build(Rng rng) {
      if (groups < 1 || in % groups != 0 || out % groups != 0) {
        throw new ShapeException(
            "conv2d",
            "%d and %d channels are not multiples of %d groups".formatted(in, out, groups));
      }
      return new Conv2d(this, rng);
    }

    private Initializer weightInit() {
      return weightInit == null ? Initializer.kaiming(in / groups * kernel * kernel) : weightInit;
    }

    private Initializer biasInit() {
      return biasInit == null ? Initializer.kaiming(in / groups * kernel * kernel) : biasInit;
    }

    private Conv2dSpec spec() {
      return Conv2dSpec.of(stride, padding)
          .padding(padding(circularHeight), padding(circularWidth))
          .groups(groups)
          .upsampling(upsampling);
    }

    private static Padding padding(boolean circular) {
      return circular ? Padding.CIRCULAR : Padding.ZEROS;
    }
  }
}
