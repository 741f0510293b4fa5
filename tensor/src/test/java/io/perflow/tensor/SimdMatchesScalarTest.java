package io.perflow.tensor;

import io.perflow.fixtures.Arrangement;
import io.perflow.fixtures.Close;
import io.perflow.tensor.backend.Conv2dSpec;
import io.perflow.tensor.backend.GroupNormSpec;
import io.perflow.tensor.backend.Padding;
import io.perflow.tensor.backend.Pool2dSpec;
import io.perflow.tensor.backend.UnaryKind;
import io.perflow.tensor.op.Attention;
import io.perflow.tensor.op.Conv2dBackwardInput;
import io.perflow.tensor.op.Conv2dBackwardWeight;
import io.perflow.tensor.op.GroupNorm;
import java.util.function.Function;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** The vector kernels against the scalar definition in double precision, on sizes of every kind. */
class SimdMatchesScalarTest {
  private static final double TOLERANCE = 2e-5;

  private static Tensor normal(long seed, String name, int... shape) {
    return Rng.of(seed).split(name).normal(Shape.of(shape));
  }

  // The scalar backend sees the same numbers in double precision; its result is the oracle.
  private static void agree(
      String what, Arrangement arrangement, Function<Tensor[], Tensor> op, Tensor... inputs) {
    Tensor[] fast = new Tensor[inputs.length];
    Tensor[] slow = new Tensor[inputs.length];
    for (int i = 0; i < inputs.length; i++) {
      fast[i] = arrangement.of(inputs[i]);
      slow[i] = inputs[i].to(DataType.F64).to(Device.reference());
    }
    Close.assertClose(what + " " + arrangement, op.apply(slow), op.apply(fast), TOLERANCE);
  }

  @Property(tries = 200)
  void unary(
      @ForAll UnaryKind kind,
      @ForAll @IntRange(min = 0, max = 70) int n,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    Tensor x = normal(seed, "x", 3, n);
    boolean positive =
        switch (kind) {
          case LOG, SQRT, RSQRT, RECIPROCAL -> true;
          default -> false;
        };
    Tensor in = positive ? x.abs().add(0.1) : x.mul(3);
    agree(kind.name(), arrangement, t -> t[0].unary(kind), in);
  }

  @Property(tries = 150)
  void reductions(
      @ForAll @IntRange(min = 1, max = 9) int a,
      @ForAll @IntRange(min = 1, max = 40) int b,
      @ForAll @IntRange(min = 1, max = 40) int c,
      @ForAll @IntRange(min = 1, max = 7) int subset,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    int[] axes =
        java.util.stream.IntStream.range(0, 3).filter(i -> (subset >> i & 1) != 0).toArray();
    Tensor x = normal(seed, "x", a, b, c);
    // centred at 1, so that a relative error means something
    agree("sum", arrangement, t -> t[0].sum(axes), x.add(1));
    agree("max", arrangement, t -> t[0].max(true, axes), x);
    agree("min", arrangement, t -> t[0].min(false, axes), x);
    agree("argmax", arrangement, t -> t[0].argmax(axes[0]), x);
    agree("cumsum", arrangement, t -> t[0].cumsum(axes[0]), x.add(1));
  }

  @Property(tries = 150)
  void matmul(
      @ForAll @IntRange(min = 1, max = 3) int batch,
      @ForAll @IntRange(min = 1, max = 70) int m,
      @ForAll @IntRange(min = 1, max = 70) int k,
      @ForAll @IntRange(min = 1, max = 70) int n,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    Tensor a = normal(seed, "a", batch, m, k);
    Tensor b = normal(seed, "b", k, n);
    agree("matmul", arrangement, t -> t[0].matmul(t[1]), a, b);
    agree("matmul", arrangement, t -> t[0].matmul(t[1].transpose()), a, normal(seed, "c", n, k));
  }

  @Property(tries = 120)
  void convolution(
      @ForAll @IntRange(min = 1, max = 2) int batch,
      @ForAll @IntRange(min = 1, max = 20) int in,
      @ForAll @IntRange(min = 1, max = 20) int out,
      @ForAll @IntRange(min = 1, max = 13) int h,
      @ForAll @IntRange(min = 1, max = 13) int w,
      @ForAll @IntRange(min = 1, max = 4) int kernel,
      @ForAll @IntRange(min = 1, max = 2) int stride,
      @ForAll @IntRange(min = 0, max = 2) int pad,
      @ForAll Padding mode,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    Assume.that(h + 2 * pad >= kernel && w + 2 * pad >= kernel && pad <= Math.min(h, w));
    Conv2dSpec spec = Conv2dSpec.of(stride, pad).padding(mode, Padding.ZEROS);
    Tensor x = normal(seed, "x", batch, in, h, w);
    Tensor weight = normal(seed, "w", out, in, kernel, kernel);
    Tensor bias = normal(seed, "b", out);
    Tensor dy = normal(seed, "dy", batch, out, spec.outH(h, kernel), spec.outW(w, kernel));
    agree("conv", arrangement, t -> Images.conv2d(t[0], t[1], t[2], spec), x, weight, bias);
    agree("dx", arrangement, new Conv2dBackwardInput(spec, x.shape())::apply, dy, weight);
    agree("dw", arrangement, new Conv2dBackwardWeight(spec, weight.shape())::apply, x, dy);
  }

  @Property(tries = 60)
  void attention(
      @ForAll @IntRange(min = 1, max = 3) int heads,
      @ForAll @IntRange(min = 1, max = 90) int queries,
      @ForAll @IntRange(min = 1, max = 90) int keys,
      @ForAll @IntRange(min = 1, max = 40) int width,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    Tensor q = normal(seed, "q", 2, heads, queries, width);
    Tensor k = normal(seed, "k", 2, heads, keys, width);
    Tensor v = normal(seed, "v", 2, heads, keys, width + 1);
    agree("attention", arrangement, t -> Attention.of(t[0], t[1], t[2]), q, k, v);
    agree("softmax", arrangement, t -> t[0].softmax(), q);
  }

  @Property(tries = 60)
  void images(
      @ForAll @IntRange(min = 1, max = 2) int batch,
      @ForAll @IntRange(min = 1, max = 3) int groups,
      @ForAll @IntRange(min = 1, max = 9) int perGroup,
      @ForAll @IntRange(min = 2, max = 12) int h,
      @ForAll @IntRange(min = 2, max = 12) int w,
      @ForAll boolean silu,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    int c = groups * perGroup;
    Tensor x = normal(seed, "x", batch, c, h, w);
    Tensor weight = normal(seed, "w", c);
    Tensor bias = normal(seed, "b", c);
    Tensor scale = normal(seed, "s", batch, c);
    Tensor shift = normal(seed, "t", batch, c);
    GroupNorm norm = new GroupNorm(new GroupNormSpec(groups, 1e-5, true, true, silu));
    agree("group norm", arrangement, norm::apply, x, weight, bias, scale, shift);
    agree("max pool", arrangement, t -> Images.maxPool2d(t[0], Pool2dSpec.of(2)), x);
    agree("avg pool", arrangement, t -> Images.avgPool2d(t[0], Pool2dSpec.of(2)), x);
    agree("upsample", arrangement, t -> Images.upsampleNearest(t[0], 2), x);
    agree("concat", arrangement, t -> Tensor.concat(1, t), x, x.neg());
  }

  @Property(tries = 80)
  void fourier(
      @ForAll @IntRange(min = 1, max = 5) int batch,
      @ForAll @IntRange(min = 1, max = 40) int h,
      @ForAll @IntRange(min = 1, max = 40) int w,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    Tensor x = normal(seed, "x", batch, h, w);
    Tensor z = normal(seed, "z", batch, h, w / 2 + 1, 2);
    agree("rfft", arrangement, t -> Fourier.rfft(t[0], 2), x);
    agree("irfft", arrangement, t -> Fourier.irfft(t[0], h, w), z);
    agree("fft", arrangement, t -> Fourier.fft(t[0], 1), z);
    agree("dct2", arrangement, t -> Fourier.dct2(t[0], 1), x);
    agree("dst1", arrangement, t -> Fourier.dst1(t[0], -1), x);
  }
}
