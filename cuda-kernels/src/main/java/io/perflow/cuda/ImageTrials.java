package io.perflow.cuda;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Padding;
import io.perflow.tensor.Pool2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.GroupNormSpec;
import java.util.List;

/** The trials of kernels for images: convolution and its gradients, norms, pooling. */
final class ImageTrials {
  private ImageTrials() {}

  /** Adds the trials that exist in both types. */
  static void add(List<Trial> trials, DataType type) {
    trials.add(convolution("3x3 convolution", type, Conv2dSpec.of(1, 1), 8, 40));
    trials.add(convolution("3x3 convolution of odd channels", type, Conv2dSpec.of(1, 1), 3, 40));
    // The sizes make the margin of the gradient fold back.
    Conv2dSpec stepping = Conv2dSpec.of(2, 1).padding(Padding.CIRCULAR, Padding.CIRCULAR);
    trials.add(convolution("periodic convolution with stride 2", type, stepping, 4, 8));
    pooling(trials, type);
    trials.add(norm("group norm", type, 9));
    trials.add(norm("group norm of many parts", type, 92));
  }

  /** Returns a trial of y, dx and dw of a convolution. */
  private static Trial convolution(
      String name, DataType type, Conv2dSpec spec, int channels, int out) {
    return Trial.of(name, type, in -> bothWays(in, spec, channels, out));
  }

  private static Tensor[] bothWays(Inputs in, Conv2dSpec spec, int channels, int out) {
    Tensor x = in.normal("x", 2, channels, 9, 7);
    Tensor weight = in.normal("w", out, channels, 3, 3);
    Tensor y = in.backend().conv().conv2d(x, weight, in.normal("b", out), spec);
    Tensor dy = in.normal("dy", y.shape().toArray());
    return new Tensor[] {
      y,
      in.backend().conv().conv2dBackwardInput(dy, weight, null, spec, x.shape()),
      in.backend().conv().conv2dBackwardWeight(x, dy, spec, weight.shape())
    };
  }

  private static void pooling(List<Trial> trials, DataType type) {
    Pool2dSpec windows = new Pool2dSpec(3, 2, 2, 1);
    trials.add(
        Trial.of(
            "max pooling",
            type,
            in -> {
              Tensor x = in.normal("x", 2, 3, 9, 8);
              Tensor[] y = in.backend().pool().maxPool2d(x, windows);
              Tensor dy = in.normal("dy", y[0].shape().toArray());
              Tensor dx = in.backend().pool().maxPool2dBackward(dy, y[1], x.shape());
              return new Tensor[] {y[0], y[1], dx};
            }));
    trials.add(
        Trial.of(
            "mean pooling",
            type,
            in -> {
              Tensor x = in.normal("x", 2, 3, 9, 8);
              Tensor y = in.backend().pool().avgPool2d(x, windows);
              Tensor dy = in.normal("dy", y.shape().toArray());
              return new Tensor[] {
                y, in.backend().pool().avgPool2dBackward(dy, windows, x.shape())
              };
            }));
    trials.add(
        Trial.of(
            "up-sampling",
            type,
            in -> {
              Tensor y = in.backend().pool().upsampleNearest(in.normal("x", 2, 3, 5, 4), 2);
              Tensor dy = in.normal("dy", y.shape().toArray());
              return new Tensor[] {y, in.backend().pool().upsampleNearestBackward(dy, 2)};
            }));
  }

  private static Trial norm(String name, DataType type, int size) {
    GroupNormSpec spec = new GroupNormSpec(2, 1e-5, true, true, true);
    return Trial.of(
        name,
        type,
        in -> {
          Tensor x = in.normal("x", 1, 4, size, 90);
          Tensor weight = in.normal("w", 4);
          Tensor bias = in.normal("b", 4);
          Tensor scale = in.normal("scale", 1, 4);
          Tensor shift = in.normal("shift", 1, 4);
          Tensor[] y = in.backend().norm().groupNorm(x, weight, bias, scale, shift, spec);
          Tensor dy = in.normal("dy", 1, 4, size, 90);
          Tensor[] d =
              in.backend()
                  .norm()
                  .groupNormBackward(dy, x, weight, bias, scale, shift, y[1], y[2], spec);
          return new Tensor[] {y[0], y[1], y[2], d[0], d[1], d[2], d[3], d[4]};
        });
  }

  /** Adds the trials of large tiles, of Winograd's algorithm and of tensor cores, in F32. */
  static void addMethods(List<Trial> trials) {
    for (int channels : new int[] {3, 4}) {
      trials.add(narrow(channels));
      trials.add(large(channels));
    }
    Conv2dSpec groups = Conv2dSpec.of(1, 0).groups(128);
    trials.add(
        Trial.one(
            "gradient of the weights of many groups",
            DataType.F32,
            in ->
                in.backend()
                    .conv()
                    .conv2dBackwardWeight(
                        in.normal("x", 1, 512, 4, 4),
                        in.normal("dy", 1, 512, 4, 4),
                        groups,
                        Shape.of(512, 4, 1, 1))));
    trials.add(
        convolution("Winograd's convolution", DataType.F32, Conv2dSpec.of(1, 1), 8, 40)
            .by(ConvolutionMethod.WINOGRAD, 1e-5));
    trials.add(
        convolution("convolution on tensor cores", DataType.F32, Conv2dSpec.of(1, 1), 8, 40)
            .by(ConvolutionMethod.TF32, 3e-3));
  }

  private static Trial narrow(int channels) {
    return Trial.one(
        "convolution of %d to 20".formatted(channels),
        DataType.F32,
        in ->
            in.backend()
                .conv()
                .conv2d(
                    in.normal("x", 1, channels, 13, 11),
                    in.normal("w", 20, channels, 3, 3),
                    in.normal("b", 20),
                    Conv2dSpec.of(1, 1)));
  }

  private static Trial large(int channels) {
    return Trial.one(
        "convolution of %d to 68, large".formatted(channels),
        DataType.F32,
        in ->
            in.backend()
                .conv()
                .conv2d(
                    in.normal("x", 1, channels, 129, 128),
                    in.normal("w", 68, channels, 1, 1),
                    null,
                    Conv2dSpec.of(1, 0)));
  }
}
