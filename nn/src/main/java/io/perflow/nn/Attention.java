package io.perflow.nn;

import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;

/**
 * Multi-head self-attention over the pixels of an image x (n, c, h, w), with a residual:
 *
 * <pre>
 * x + out(softmax(q' k / sqrt(c / heads)) v)    with q, k, v = qkv(norm(x))
 * </pre>
 *
 * <p>{@code norm} is a {@link GroupNorm}, {@code qkv} and {@code out} are 1x1 convolutions; {@code
 * out} is zero at first, so that the layer starts as the identity.
 */
public final class Attention extends UnaryLayer {
  private final int width;
  private final SelfAttention op;
  private final GroupNorm norm;
  private final Conv2d qkv;
  private final Conv2d out;

  private Attention(int width, int heads, int groups, Rng rng) {
    if (heads < 1 || width % heads != 0) {
      throw new ShapeException(
          "attention", "%d channels are not a multiple of %d heads".formatted(width, heads));
    }
    this.width = width;
    op = new SelfAttention(heads);
    norm = child("norm", GroupNorm.of(groups, width));
    qkv = child("qkv", Conv2d.of(width, 3 * width, 1).build(rng.split("qkv")));
    out = child("out", Conv2d.of(width, width, 1).zero().build(rng.split("out")));
  }

  /**
   * Returns an attention layer over {@code width} channels with these numbers of heads and of
   * normalisation groups.
   */
  public static Attention of(int width, int heads, int groups, Rng rng) {
    return new Attention(width, heads, groups, rng);
  }

  /** Takes x (n, c, h, w). */
  @Override
  protected Tensor forward(Tensor x) {
    try (Scope scope = Scope.open()) {
      return scope.keep(out.apply(op.apply(qkv.apply(norm.apply(x))), x));
    }
  }

  /** Counts the scores and their products with the values: each is pixels x pixels x c. */
  @Override
  protected long multiplyAdds(Tensor[] inputs, Tensor output) {
    long pixels = (long) output.dim(2) * output.dim(3);
    return 2L * output.dim(0) * pixels * pixels * width;
  }
}
