package io.perflow.tensor;

import io.perflow.tensor.backend.BinaryKind;
import io.perflow.tensor.backend.Conv2dSpec;
import io.perflow.tensor.backend.GroupNormSpec;
import io.perflow.tensor.backend.Padding;
import io.perflow.tensor.backend.Pool2dSpec;
import io.perflow.tensor.backend.UnaryKind;
import io.perflow.tensor.op.AddScaled;
import io.perflow.tensor.op.Attention;
import io.perflow.tensor.op.Conv2dBackwardInput;
import io.perflow.tensor.op.Conv2dBackwardWeight;
import io.perflow.tensor.op.GroupNorm;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** The operation behind each case of {@code ops.safetensors}, by name. */
final class GoldenOps {
  private static final Conv2dSpec SAME = Conv2dSpec.of(1, 1);

  private GoldenOps() {}

  static Map<String, Function<Tensor[], Tensor>> all() {
    Map<String, Function<Tensor[], Tensor>> ops = new LinkedHashMap<>();
    elementwise(ops);
    reductions(ops);
    images(ops);
    norms(ops);
    movement(ops);
    fourier(ops);
    return ops;
  }

  private static void elementwise(Map<String, Function<Tensor[], Tensor>> ops) {
    for (UnaryKind kind : UnaryKind.values()) {
      ops.put(lower(kind), in -> in[0].unary(kind));
    }
    for (BinaryKind kind : BinaryKind.values()) {
      ops.put(lower(kind), in -> in[0].binary(kind, in[1]));
    }
    ops.put("where", in -> in[0].where(in[1], in[2]));
    ops.put("add_scaled", in -> new AddScaled(0.3).apply(in));
    ops.put("clamp", in -> in[0].clamp(-0.5, 0.7));
  }

  private static String lower(Enum<?> kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  private static void reductions(Map<String, Function<Tensor[], Tensor>> ops) {
    ops.put("sum", in -> in[0].sum(1, 3));
    ops.put("sum_all", in -> in[0].sum());
    ops.put("mean", in -> in[0].mean(true, 0, 2));
    ops.put("variance", in -> in[0].variance(false, 1, 2));
    ops.put("amax", in -> in[0].max(false, 0, 3));
    ops.put("amin", in -> in[0].min(false, 1));
    ops.put("argmax", in -> in[0].argmax(1));
    ops.put("cumsum", in -> in[0].cumsum(2));
    ops.put("matmul", in -> in[0].matmul(in[1]));
    ops.put("softmax", in -> in[0].softmax());
    ops.put("attention", in -> Attention.of(in[0], in[1], in[2]));
  }

  private static void images(Map<String, Function<Tensor[], Tensor>> ops) {
    ops.put("conv2d", in -> Images.conv2d(in[0], in[1], in[2], SAME));
    ops.put("conv2d_stride2", in -> Images.conv2d(in[0], in[1], null, Conv2dSpec.of(2, 1)));
    ops.put("conv2d_1x1", in -> Images.conv2d(in[0], in[1], null, Conv2dSpec.of(1, 0)));
    ops.put(
        "conv2d_groups", in -> Images.conv2d(in[0], in[1], null, Conv2dSpec.of(1, 2).groups(2)));
    ops.put(
        "conv2d_circular",
        in -> Images.conv2d(in[0], in[1], null, SAME.padding(Padding.ZEROS, Padding.CIRCULAR)));
    ops.put(
        "conv_transpose2d", in -> Images.convTranspose2d(in[0], in[1], in[2], Conv2dSpec.of(2, 0)));
    ops.put(
        "conv2d_backward_input",
        in -> new Conv2dBackwardInput(SAME, Shape.of(2, 4, 9, 7)).apply(in));
    ops.put(
        "conv2d_backward_weight",
        in -> new Conv2dBackwardWeight(SAME, Shape.of(6, 4, 3, 3)).apply(in));
    ops.put("max_pool2d", in -> Images.maxPool2d(in[0], Pool2dSpec.of(2)));
    ops.put("avg_pool2d", in -> Images.avgPool2d(in[0], new Pool2dSpec(3, 3, 2, 2)));
    ops.put("upsample_nearest", in -> Images.upsampleNearest(in[0], 2));
    ops.put("pixel_shuffle", in -> Images.pixelShuffle(in[0], 2));
    ops.put("pixel_unshuffle", in -> Images.pixelUnshuffle(in[0], 2));
  }

  private static void norms(Map<String, Function<Tensor[], Tensor>> ops) {
    ops.put("group_norm", in -> Norms.groupNorm(in[0], 2, in[1], in[2], 1e-5));
    ops.put("group_norm_silu", in -> Norms.groupNormSilu(in[0], 2, in[1], in[2], 1e-5));
    ops.put(
        "group_norm_modulated",
        in -> new GroupNorm(new GroupNormSpec(2, 1e-5, true, true, true)).apply(in));
    ops.put("layer_norm", in -> Norms.layerNorm(in[0], in[1], in[2], 1e-5));
    ops.put("rms_norm", in -> Norms.rmsNorm(in[0], in[1], 1e-5));
    ops.put(
        "batch_norm",
        in -> {
          Tensor mean = in[0].mean(0, 2, 3);
          Tensor variance = in[0].variance(false, 0, 2, 3);
          return Norms.batchNorm(in[0], mean, variance, in[1], in[2], 1e-5);
        });
  }

  private static void movement(Map<String, Function<Tensor[], Tensor>> ops) {
    ops.put("concat", in -> Tensor.concat(1, in));
    ops.put("pad", in -> in[0].pad(-1, 2, 3));
    ops.put("pad_circular", in -> in[0].padCircular(-1, 2, 3));
    ops.put("gather", in -> in[0].gather(1, 3, 0, 0, 2));
    ops.put("scatter_add", in -> in[0].scatterAdd(1, 6, 3, 0, 0, 5));
  }

  private static void fourier(Map<String, Function<Tensor[], Tensor>> ops) {
    for (int n : new int[] {1, 2, 5, 8, 12, 17}) {
      ops.put("fft_" + n, in -> Fourier.fft(in[0], 1));
      ops.put("rfft_" + n, in -> Fourier.rfft(in[0], 1));
      ops.put("irfft_" + n, in -> Fourier.irfft(in[0], n));
    }
    for (int n : new int[] {1, 4, 9}) {
      ops.put("dct2_" + n, in -> Fourier.dct2(in[0], -1));
      ops.put("dct3_" + n, in -> Fourier.dct3(in[0], -1));
      ops.put("dst1_" + n, in -> Fourier.dst1(in[0], -1));
    }
    ops.put("fft2", in -> Fourier.fft(in[0], 2));
    ops.put("rfft2", in -> Fourier.rfft(in[0], 2));
    ops.put("rfft3", in -> Fourier.rfft(in[0], 3));
    ops.put("irfft2", in -> Fourier.irfft(in[0], 6, 8));
    ops.put("complex_mul", in -> Fourier.complexMul(in[0], in[1]));
  }
}
