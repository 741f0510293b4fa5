package io.perflow.nn.unet;

import io.perflow.nn.BinaryLayer;
import io.perflow.nn.Conv2d;
import io.perflow.nn.Dropout;
import io.perflow.nn.GroupNorm;
import io.perflow.nn.Linear;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/**
 * The residual block of {@link VideoUNet}, on the frames of n sequences in turn: from x (n frames,
 * in, h, w) and the features of the noise e (n, features) to (n frames, out, h, w).
 *
 * <pre>
 * h = conv(silu(norm(x)))                               in_layers
 * scale, shift = linear(silu(e))                        emb_layers, the same for all frames
 * y = x + conv(dropout(silu(norm(h) (1 + scale) + shift)))    out_layers
 * </pre>
 *
 * <p>where x goes through a 1x1 convolution {@code skip_connection} when the widths differ. The
 * last convolution is zero at first.
 */
final class VideoBlock extends BinaryLayer {
  private final GroupNorm norm1;
  private final Conv2d conv1;
  private final Linear emb;
  private final GroupNorm norm2;
  private final Dropout dropout;
  private final Conv2d conv2;
  private final Conv2d skip; // null when the widths agree

  VideoBlock(int in, int out, int features, int groups, double rate, Rng rng) {
    norm1 = child("in_layers.0", GroupNorm.silu(groups, in));
    conv1 = child("in_layers.2", Conv2d.of(in, out, 3).padding(1).build(rng.split("conv1")));
    emb = child("emb_layers.1", Linear.of(features, 2 * out).build(rng.split("emb")));
    norm2 = child("out_layers.0", GroupNorm.silu(groups, out));
    dropout = child("out_layers.2", Dropout.of(rate));
    conv2 = child("out_layers.3", Conv2d.of(out, out, 3).padding(1).zero().build(rng));
    skip =
        in == out ? null : child("skip_connection", Conv2d.of(in, out, 1).build(rng.split("skip")));
  }

  void draw(Rng rng) {
    dropout.draw(rng);
  }

  /** Inputs: x (n frames, in, h, w) and e (n, features). */
  @Override
  protected Tensor forward(Tensor x, Tensor e) {
    int frames = x.dim(0) / e.dim(0);
    try (Scope scope = Scope.open()) {
      Tensor h = conv1.apply(norm1.apply(x));
      Tensor modulation = repeated(emb.apply(e.silu()), frames); // scale and shift, joined
      h = conv2.apply(dropout.apply(norm2.apply(h, modulation)));
      return scope.keep(h.add(skip == null ? x : skip.apply(x)));
    }
  }

  /** Each row of (n, c) once for every frame: (n frames, c). */
  private static Tensor repeated(Tensor rows, int frames) {
    Tensor wide = rows.unsqueeze(1);
    return wide.expand(wide.shape().with(1, frames)).reshape(-1, rows.dim(1));
  }
}
