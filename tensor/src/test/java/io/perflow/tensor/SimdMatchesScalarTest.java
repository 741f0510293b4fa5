package io.perflow.tensor;

import io.perflow.fixtures.Arrangement;
import io.perflow.fixtures.BackendCases;
import io.perflow.tensor.op.UnaryKind;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** The vector kernels against the scalar definition in double precision, on sizes of every kind. */
class SimdMatchesScalarTest {
  private static final BackendCases CASES = new BackendCases(Device.cpu());

  @Property(tries = 200)
  void unary(
      @ForAll UnaryKind kind,
      @ForAll @IntRange(min = 0, max = 70) int n,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    CASES.unary(kind, n, arrangement, seed);
  }

  @Property(tries = 150)
  void reductions(
      @ForAll @IntRange(min = 1, max = 9) int a,
      @ForAll @IntRange(min = 1, max = 40) int b,
      @ForAll @IntRange(min = 1, max = 40) int c,
      @ForAll @IntRange(min = 1, max = 7) int subset,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    CASES.reductions(a, b, c, subset, arrangement, seed);
  }

  @Property(tries = 150)
  void matmul(
      @ForAll @IntRange(min = 1, max = 3) int batch,
      @ForAll @IntRange(min = 1, max = 70) int m,
      @ForAll @IntRange(min = 1, max = 70) int k,
      @ForAll @IntRange(min = 1, max = 70) int n,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    CASES.matmul(batch, m, k, n, arrangement, seed);
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
    CASES.convolution(batch, in, out, h, w, kernel, spec, arrangement, seed);
  }

  @Property(tries = 40)
  void upsampledConvolution(
      @ForAll @IntRange(min = 1, max = 2) int batch,
      @ForAll @IntRange(min = 1, max = 40) int in,
      @ForAll @IntRange(min = 1, max = 40) int out,
      @ForAll @IntRange(min = 1, max = 9) int h,
      @ForAll @IntRange(min = 1, max = 9) int w,
      @ForAll Padding mode,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    Conv2dSpec spec = Conv2dSpec.of(1, 1).padding(mode, Padding.ZEROS).upsampling(2);
    CASES.convolution(batch, in, out, h, w, 3, spec, arrangement, seed);
  }

  @Property(tries = 60)
  void attention(
      @ForAll @IntRange(min = 1, max = 3) int heads,
      @ForAll @IntRange(min = 1, max = 90) int queries,
      @ForAll @IntRange(min = 1, max = 90) int keys,
      @ForAll @IntRange(min = 1, max = 40) int width,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    CASES.attention(heads, queries, keys, width, arrangement, seed);
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
    CASES.images(batch, groups, perGroup, h, w, silu, arrangement, seed);
  }

  @Property(tries = 80)
  void fourier(
      @ForAll @IntRange(min = 1, max = 5) int batch,
      @ForAll @IntRange(min = 1, max = 40) int h,
      @ForAll @IntRange(min = 1, max = 40) int w,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    CASES.fourier(batch, h, w, arrangement, seed);
  }
}
