package io.perflow.cuda;

import io.perflow.fixtures.Arrangement;
import io.perflow.fixtures.BackendCases;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Padding;
import io.perflow.tensor.op.UnaryKind;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;

/**
 * The kernels against the scalar definition in double precision, on sizes of every kind. Fewer and
 * smaller cases than on the CPU: an emulated device is some thousand times slower.
 */
class EmulatedMatchesScalarTest {
  private static BackendCases cases() {
    return new BackendCases(Emulated.device());
  }

  @Property(tries = 40, shrinking = ShrinkingMode.OFF)
  void unary(
      @ForAll UnaryKind kind,
      @ForAll @IntRange(min = 0, max = 70) int n,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    cases().unary(kind, n, arrangement, seed);
  }

  @Property(tries = 15, shrinking = ShrinkingMode.OFF)
  void reductions(
      @ForAll @IntRange(min = 1, max = 5) int a,
      @ForAll @IntRange(min = 1, max = 40) int b,
      @ForAll @IntRange(min = 1, max = 20) int c,
      @ForAll @IntRange(min = 1, max = 7) int subset,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    cases().reductions(a, b, c, subset, arrangement, seed);
  }

  @Property(tries = 15, shrinking = ShrinkingMode.OFF)
  void matmul(
      @ForAll @IntRange(min = 1, max = 3) int batch,
      @ForAll @IntRange(min = 1, max = 70) int m,
      @ForAll @IntRange(min = 1, max = 40) int k,
      @ForAll @IntRange(min = 1, max = 70) int n,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    cases().matmul(batch, m, k, n, arrangement, seed);
  }

  @Property(tries = 20, shrinking = ShrinkingMode.OFF)
  void convolution(
      @ForAll @IntRange(min = 1, max = 2) int batch,
      @ForAll @IntRange(min = 1, max = 20) int in,
      @ForAll @IntRange(min = 1, max = 20) int out,
      @ForAll @IntRange(min = 1, max = 9) int h,
      @ForAll @IntRange(min = 1, max = 9) int w,
      @ForAll @IntRange(min = 1, max = 4) int kernel,
      @ForAll @IntRange(min = 1, max = 2) int stride,
      @ForAll @IntRange(min = 0, max = 2) int pad,
      @ForAll Padding mode,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    Assume.that(h + 2 * pad >= kernel && w + 2 * pad >= kernel && pad <= Math.min(h, w));
    Conv2dSpec spec = Conv2dSpec.of(stride, pad).padding(mode, Padding.ZEROS);
    cases().convolution(batch, in, out, h, w, kernel, spec, arrangement, seed);
  }

  @Property(tries = 8, shrinking = ShrinkingMode.OFF)
  void attention(
      @ForAll @IntRange(min = 1, max = 2) int heads,
      @ForAll @IntRange(min = 1, max = 70) int queries,
      @ForAll @IntRange(min = 1, max = 70) int keys,
      @ForAll @IntRange(min = 1, max = 40) int width,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    cases().attention(heads, queries, keys, width, arrangement, seed);
  }

  @Property(tries = 10, shrinking = ShrinkingMode.OFF)
  void images(
      @ForAll @IntRange(min = 1, max = 2) int batch,
      @ForAll @IntRange(min = 1, max = 3) int groups,
      @ForAll @IntRange(min = 1, max = 9) int perGroup,
      @ForAll @IntRange(min = 2, max = 12) int h,
      @ForAll @IntRange(min = 2, max = 12) int w,
      @ForAll boolean silu,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    cases().images(batch, groups, perGroup, h, w, silu, arrangement, seed);
  }

  @Property(tries = 15, shrinking = ShrinkingMode.OFF)
  void fourier(
      @ForAll @IntRange(min = 1, max = 3) int batch,
      @ForAll @IntRange(min = 1, max = 40) int h,
      @ForAll @IntRange(min = 1, max = 40) int w,
      @ForAll Arrangement arrangement,
      @ForAll long seed) {
    cases().fourier(batch, h, w, arrangement, seed);
  }
}
