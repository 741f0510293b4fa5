package io.perflow.nn.operator;

import io.perflow.nn.Initializer;
import io.perflow.nn.Parameter;
import io.perflow.nn.UnaryLayer;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Images;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import java.util.Arrays;

/**
 * The same linear map of the channels at every point of a line or an image: y = W x + b for x (n,
 * in, …) and y (n, out, …), parameters {@code weight} (out, in, 1 …) and {@code bias} (out).
 *
 * <p>A linear layer and a convolution with a kernel of one point are this same map; they differ in
 * the axes of extent 1 that the weight carries in files.
 */
final class Pointwise extends UnaryLayer {
  private static final Conv2dSpec EACH_POINT = Conv2dSpec.of(1, 0);

  private final int in;
  private final int out;
  private final Parameter weight;
  private final Parameter bias;

  /**
   * A map with PyTorch's first values.
   *
   * @param kernelAxes axes of extent 1 at the end of the weight: 0 for a linear layer
   */
  Pointwise(int in, int out, int kernelAxes, Rng rng) {
    this.in = in;
    this.out = out;
    int[] shape = new int[2 + kernelAxes];
    Arrays.fill(shape, 1);
    shape[0] = out;
    shape[1] = in;
    Initializer init = Initializer.kaiming(in);
    weight = parameter("weight", init.make(Shape.of(shape), rng.split("weight")));
    bias = parameter("bias", init.make(Shape.of(out), rng.split("bias")));
  }

  /** Input: x (n, in, …). */
  @Override
  protected Tensor forward(Tensor x) {
    if (x.rank() < 3 || x.dim(1) != in) {
      throw new ShapeException(
          "pointwise", "input %s must be (n, %d, …)%s".formatted(x.shape(), in, where()));
    }
    return map(x, weight.value().reshape(out, in), bias.value());
  }

  /** W x + b with W (out, in) and b (out); the channels of the result lie last in memory. */
  static Tensor map(Tensor x, Tensor weight, Tensor bias) {
    Tensor filter = weight.reshape(weight.dim(0), weight.dim(1), 1, 1);
    return x.rank() == 3
        ? Images.conv2d(x.unsqueeze(2), filter, bias, EACH_POINT).squeeze(2)
        : Images.conv2d(x, filter, bias, EACH_POINT);
  }

  @Override
  protected long multiplyAdds(Tensor[] inputs, Tensor output) {
    return (long) output.size() * in;
  }
}
