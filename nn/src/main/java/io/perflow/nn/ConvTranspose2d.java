package io.perflow.nn;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Images;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;

/**
 * A transposed 2-D convolution, which undoes the shapes of a strided one: input (n, in, h, w),
 * output (n, out, (h - 1) stride + kernel, (w - 1) stride + kernel), parameters {@code weight} (in,
 * out, kernel, kernel) and {@code bias} (out). Each input pixel adds its multiple of the kernel to
 * the output; with stride = kernel the kernels lie side by side and the image grows {@code stride}
 * times.
 */
public final class ConvTranspose2d extends UnaryLayer {
  private final int in;
  private final Conv2dSpec spec;
  private final Parameter weight;
  private final Parameter bias;

  private ConvTranspose2d(int in, int out, int kernel, int stride, Rng rng) {
    this.in = in;
    spec = Conv2dSpec.of(stride, 0);
    // Like PyTorch, count the fan by the second axis of the weight.
    Initializer init = Initializer.kaiming(out * kernel * kernel);
    weight = parameter("weight", init.make(Shape.of(in, out, kernel, kernel), rng.split("weight")));
    bias = parameter("bias", init.make(Shape.of(out), rng.split("bias")));
  }

  /** Returns a layer with a square kernel and a bias. */
  public static ConvTranspose2d of(int in, int out, int kernel, int stride, Rng rng) {
    return new ConvTranspose2d(in, out, kernel, stride, rng);
  }

  /** Takes x (n, in, h, w). */
  @Override
  protected Tensor forward(Tensor x) {
    if (x.rank() != 4 || x.dim(1) != in) {
      throw new ShapeException(
          "conv_transpose2d",
          "input %s must be (n, %d, h, w), weight is %s%s"
              .formatted(x.shape(), in, weight.shape(), where()));
    }
    return Images.convTranspose2d(x, weight.value(), bias.value(), spec);
  }

  @Override
  protected long multiplyAdds(Tensor[] inputs, Tensor output) {
    return (long) inputs[0].size() * (weight.size() / in);
  }
}
