package io.perflow.nn.unet;

import io.perflow.nn.BinaryLayer;
import io.perflow.nn.GroupNorm;
import io.perflow.nn.Initializer;
import io.perflow.nn.Linear;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/**
 * Attention among the frames of a sequence, separately at every pixel, with a residual: from x (n
 * frames, c, h, w) and the features of the noise e (n, features) to the shape of x.
 *
 * <pre>
 * x + out(softmax(q k' / sqrt(d) + bias) v)     with q, k, v = qkv(norm(x)), d = c / heads
 * bias(i, j) = position.out(silu(position.time(e) + position.distance(f(i - j))))
 * f(d) = (log(1 + max(d, 0)), log(1 + max(-d, 0)), 1 if d = 0 else 0)
 * </pre>
 *
 * <p>The bias, one number per head, depends on the distance of the frames and on the noise. {@code
 * out} and {@code position.out} are zero at first; the latter has no bias, since softmax would
 * cancel it.
 */
final class TemporalAttention extends BinaryLayer {
  private final int heads;
  private final GroupNorm norm;
  private final Linear distance;
  private final Linear time;
  private final Linear position;
  private final Linear qkv;
  private final Linear out;

  TemporalAttention(int width, int heads, int groups, int features, Rng rng) {
    this.heads = heads;
    norm = child("norm", GroupNorm.of(groups, width));
    distance = child("position.distance", Linear.of(3, width).build(rng.split("distance")));
    time = child("position.time", Linear.of(features, width).build(rng.split("time")));
    position = child("position.out", zero(width, heads, false, rng));
    qkv = child("qkv", Linear.of(width, 3 * width).build(rng.split("qkv")));
    out = child("out", zero(width, width, true, rng));
  }

  private static Linear zero(int in, int out, boolean bias, Rng rng) {
    Initializer zeros = Initializer.zeros();
    return Linear.of(in, out).init(zeros, bias ? zeros : null).build(rng);
  }

  /** Inputs: x (n frames, c, h, w) and e (n, features). */
  @Override
  protected Tensor forward(Tensor x, Tensor e) {
    int n = e.dim(0);
    int frames = x.dim(0) / n;
    int c = x.dim(1);
    int pixels = x.dim(2) * x.dim(3);
    int d = c / heads;
    try (Scope scope = Scope.open()) {
      Tensor tokens = norm.apply(x).reshape(n, frames, c, pixels).permute(0, 3, 1, 2);
      // (3, n, pixels, heads, frames, d)
      Tensor parts =
          qkv.apply(tokens).reshape(n, pixels, frames, 3, heads, d).permute(3, 0, 1, 4, 2, 5);
      Tensor scores =
          parts.select(0, 0).matmul(parts.select(0, 1).transpose()).mul(1 / Math.sqrt(d));
      Tensor weights = scores.add(bias(e, frames)).softmax();
      Tensor y = weights.matmul(parts.select(0, 2)).permute(0, 1, 3, 2, 4);
      y = out.apply(y.reshape(n, pixels, frames, c));
      return scope.keep(y.permute(0, 2, 3, 1).reshape(x.shape()).add(x));
    }
  }

  /** Bias of the scores: (n, 1, heads, frames, frames). */
  private Tensor bias(Tensor e, int frames) {
    try (Scope scope = Scope.open()) {
      Tensor f = distances(frames).to(e.type()).to(e.device());
      Tensor known = time.apply(e).reshape(e.dim(0), 1, 1, -1);
      Tensor b = position.apply(known.add(distance.apply(f)).silu());
      return scope.keep(b.permute(0, 3, 1, 2).unsqueeze(1));
    }
  }

  /** f(i - j) for all pairs of frames: (frames, frames, 3). */
  private static Tensor distances(int frames) {
    float[] f = new float[frames * frames * 3];
    for (int i = 0; i < frames; i++) {
      for (int j = 0; j < frames; j++) {
        int at = (i * frames + j) * 3;
        f[at] = (float) Math.log1p(Math.max(i - j, 0));
        f[at + 1] = (float) Math.log1p(Math.max(j - i, 0));
        f[at + 2] = i == j ? 1 : 0;
      }
    }
    return Tensor.of(f, frames, frames, 3);
  }

  /** Scores and their products with the values: each frames x frames x c at every pixel. */
  @Override
  protected long multiplyAdds(Tensor[] inputs, Tensor output) {
    long frames = output.dim(0) / inputs[1].dim(0);
    return 2L * output.size() * frames;
  }
}
