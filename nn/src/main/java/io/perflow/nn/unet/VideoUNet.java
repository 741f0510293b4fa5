package io.perflow.nn.unet;

import io.perflow.nn.Attention;
import io.perflow.nn.Conv2d;
import io.perflow.nn.GroupNorm;
import io.perflow.nn.Layer;
import io.perflow.nn.Linear;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/**
 * A U-Net for sequences of images, the network of S3GM (Li et al., 2024) in a reduced form: from x
 * (n, frames, in, h, w), the noise level of each sequence (n) and a mark for each frame (n, frames)
 * to (n, frames, out, h, w).
 *
 * <p>Convolutions process each frame separately. {@link TemporalAttention} connects the frames and
 * is followed by attention over the pixels of each frame. Both come after the blocks of the levels
 * with the chosen down-sampling factors, and in the middle. The mark, 1 for a given frame and 0 for
 * a frame to be found, is an additional input channel. Noise enters the blocks as cosines and sines
 * at {@code width / 2} frequencies 10000^(-i / (width / 2)) through {@code time_embed}.
 *
 * <p>It is reduced in that the position of frames affects only the scores of attention, not keys
 * and values. Names and layout are those of the U-Net of Dhariwal and Nichol (2021): {@code
 * input_blocks.k}, {@code middle_block.k}, {@code output_blocks.k}, with halving by strided
 * convolution and doubling by repetition and convolution.
 *
 * <pre>{@code
 * VideoUNet net = VideoUNet.of(2, 2).build(rng);
 * Tensor score = net.apply(x, sigma, marks);
 * }</pre>
 */
public final class VideoUNet extends Layer {
  private final int in;
  private final int multiple;
  private final Tensor frequencies;
  private final Linear time1;
  private final Linear time2;
  private final Conv2d stem;
  private final List<Stage> down = new ArrayList<>();
  private final List<Stage> middle = new ArrayList<>();
  private final List<Stage> up = new ArrayList<>();
  private final GroupNorm norm;
  private final Conv2d head;

  /** A block, the attention after it and the change of resolution after that, each or null. */
  private record Stage(
      VideoBlock block, TemporalAttention temporal, Attention spatial, Conv2d sample, boolean up) {
    Tensor apply(Tensor x, Tensor e) {
      try (Scope scope = Scope.open()) {
        Tensor h = block == null ? x : block.apply(x, e);
        if (temporal != null) {
          h = spatial.apply(temporal.apply(h, e));
        }
        if (sample != null) {
          h = sample.apply(h);
        }
        return scope.keep(h);
      }
    }
  }

  private VideoUNet(Builder b, Rng rng) {
    in = b.in;
    multiple = 1 << (b.multipliers.size() - 1);
    frequencies = Scope.detach(frequencies(b.width / 2));
    int features = 4 * b.width;
    time1 = child("time_embed.0", Linear.of(b.width, features).build(rng.split("time1")));
    time2 = child("time_embed.2", Linear.of(features, features).build(rng.split("time2")));
    int first = b.channels(0);
    stem = child("input_blocks.0.0", conv(in + 1, first, 1).build(rng.split("stem")));
    Deque<Integer> skips = new ArrayDeque<>(List.of(first));
    encode(b, skips, rng);
    int c = b.channels(b.multipliers.size() - 1);
    middle.add(new Stage(block(b, "middle_block.0", c, c, rng), null, null, null, false));
    middle.add(stage(b, null, "middle_block.1", c, true, null, rng));
    middle.add(new Stage(block(b, "middle_block.2", c, c, rng), null, null, null, false));
    decode(b, c, skips, rng);
    norm = child("out.0", GroupNorm.silu(b.groups, first));
    head = child("out.2", conv(first, b.out, 1).zero().build(rng));
  }

  private static Tensor frequencies(int half) {
    double[] f = new double[half];
    for (int i = 0; i < half; i++) {
      f[i] = Math.exp(-Math.log(10000) * i / half);
    }
    return Tensor.of(f, half);
  }

  private static Conv2d.Builder conv(int from, int to, int stride) {
    return Conv2d.of(from, to, 3).padding(1).stride(stride);
  }

  private void encode(Builder b, Deque<Integer> skips, Rng rng) {
    int c = b.channels(0);
    for (int l = 0; l < b.multipliers.size(); l++) {
      for (int i = 0; i < b.blocks; i++) {
        String name = "input_blocks." + (down.size() + 1);
        VideoBlock block = block(b, name + ".0", c, b.channels(l), rng);
        c = b.channels(l);
        down.add(stage(b, block, name + ".1", c, b.attends(l), null, rng));
        skips.push(c);
      }
      if (l < b.multipliers.size() - 1) {
        String name = "input_blocks." + (down.size() + 1) + ".0.op";
        Conv2d halve = child(name, conv(c, c, 2).build(rng.split(name)));
        down.add(new Stage(null, null, null, halve, false));
        skips.push(c);
      }
    }
  }

  private void decode(Builder b, int width, Deque<Integer> skips, Rng rng) {
    int c = width;
    for (int l = b.multipliers.size() - 1; l >= 0; l--) {
      for (int i = 0; i <= b.blocks; i++) {
        String name = "output_blocks." + up.size();
        VideoBlock block = block(b, name + ".0", c + skips.pop(), b.channels(l), rng);
        c = b.channels(l);
        Conv2d grow = null;
        if (l > 0 && i == b.blocks) {
          String last = name + (b.attends(l) ? ".2.conv" : ".1.conv");
          grow = child(last, conv(c, c, 1).upsampling(2).build(rng.split(last)));
        }
        up.add(stage(b, block, name + ".1", c, b.attends(l), grow, rng));
      }
    }
  }

  private VideoBlock block(Builder b, String name, int from, int to, Rng rng) {
    Rng own = rng.split(name);
    return child(name, new VideoBlock(from, to, 4 * b.width, b.groups, b.dropout, own));
  }

  /** A block that upsamples if {@code grow} is given, with attention of this name if it attends. */
  private Stage stage(
      Builder b, VideoBlock block, String name, int c, boolean attends, Conv2d grow, Rng rng) {
    if (!attends) {
      return new Stage(block, null, null, grow, true);
    }
    Rng own = rng.split(name);
    TemporalAttention temporal =
        child(
            name + ".temporal_attention",
            new TemporalAttention(c, b.heads, b.groups, 4 * b.width, own.split("temporal")));
    Attention spatial =
        child(
            name + ".spatial_attention", Attention.of(c, b.heads, b.groups, own.split("spatial")));
    return new Stage(block, temporal, spatial, grow, true);
  }

  /** S3GM's sizes: 32 channels times (1, 2, 4, 8), 2 blocks, attention at factors 8 and 16. */
  public static Builder of(int in, int out) {
    return new Builder(in, out);
  }

  /** Sets the generator of dropout; needed before each training step. */
  public void draw(Rng rng) {
    for (List<Stage> way : List.of(down, middle, up)) {
      for (Stage stage : way) {
        if (stage.block() != null) {
          stage.block().draw(rng.split(stage.block().path()));
        }
      }
    }
  }

  /** The output for x (n, frames, in, h, w), noise (n) and marks (n, frames). */
  public Tensor apply(Tensor x, Tensor noise, Tensor marks) {
    return run(x, noise, marks);
  }

  /** Inputs: x, noise and marks. */
  @Override
  protected Tensor forward(Tensor... inputs) {
    check(inputs);
    Shape x = inputs[0].shape();
    int images = x.dim(0) * x.dim(1);
    try (Scope scope = Scope.open()) {
      Tensor e = features(inputs[1]);
      Tensor marks =
          inputs[2].reshape(images, 1, 1, 1).expand(Shape.of(images, 1, x.dim(3), x.dim(4)));
      Tensor folded = inputs[0].reshape(images, in, x.dim(3), x.dim(4));
      Tensor h = stem.apply(Tensor.concat(1, folded, marks));
      Deque<Tensor> skips = new ArrayDeque<>(List.of(h));
      for (Stage stage : down) {
        h = stage.apply(h, e);
        skips.push(h);
      }
      for (Stage stage : middle) {
        h = stage.apply(h, e);
      }
      for (Stage stage : up) {
        h = joined(stage, h, skips.pop(), e);
      }
      h = head.apply(norm.apply(h));
      return scope.keep(h.reshape(x.with(2, h.dim(1))));
    }
  }

  private static Tensor joined(Stage stage, Tensor h, Tensor skip, Tensor e) {
    try (Scope scope = Scope.open()) {
      return scope.keep(stage.apply(Tensor.concat(1, h, skip), e));
    }
  }

  private Tensor features(Tensor noise) {
    try (Scope scope = Scope.open()) {
      Tensor f = frequencies.to(noise.type()).to(noise.device());
      Tensor phase = noise.reshape(noise.size(), 1).mul(f);
      Tensor waves = Tensor.concat(1, phase.cos(), phase.sin());
      return scope.keep(time2.apply(time1.apply(waves).silu()));
    }
  }

  private void check(Tensor[] inputs) {
    takes(3, 3, inputs);
    Shape x = inputs[0].shape();
    if (x.rank() != 5 || x.dim(2) != in || x.dim(3) % multiple != 0 || x.dim(4) % multiple != 0) {
      throw new ShapeException(
          "video unet",
          "x %s must be (n, frames, %d, h, w) with multiples of %d as h and w"
              .formatted(x, in, multiple));
    }
    Shape noise = Shape.of(x.dim(0));
    Shape marks = Shape.of(x.dim(0), x.dim(1));
    if (!inputs[1].shape().equals(noise) || !inputs[2].shape().equals(marks)) {
      throw new ShapeException(
          "video unet",
          "noise %s must be %s and marks %s must be %s for x %s"
              .formatted(inputs[1].shape(), noise, inputs[2].shape(), marks, x));
    }
  }

  /** Options of a network. */
  public static final class Builder {
    private final int in;
    private final int out;
    private int width = 32;
    private List<Integer> multipliers = List.of(1, 2, 4, 8);
    private int blocks = 2;
    private Set<Integer> attention = Set.of(8, 16);
    private int heads = 1;
    private int groups = 32;
    private double dropout = 0.1;

    private Builder(int in, int out) {
      this.in = in;
      this.out = out;
    }

    /** The unit of all widths in channels, 32 by default. */
    public Builder width(int width) {
      this.width = width;
      return this;
    }

    /** Width of each level in units of {@link #width(int)}; 1, 2, 4, 8 by default. */
    public Builder multipliers(Integer... multipliers) {
      this.multipliers = List.of(multipliers);
      return this;
    }

    /** Blocks of a level on the way down, 2 by default. */
    public Builder blocks(int blocks) {
      this.blocks = blocks;
      return this;
    }

    /** Down-sampling factors of the levels that attend; 8 and 16 by default. */
    public Builder attention(Integer... factors) {
      attention = Set.of(factors);
      return this;
    }

    /** Heads of all attention, 1 by default. */
    public Builder heads(int heads) {
      this.heads = heads;
      return this;
    }

    /** Groups of channels in the norms, 32 by default. */
    public Builder groups(int groups) {
      this.groups = groups;
      return this;
    }

    /** Share of elements dropped in training, 0.1 by default. */
    public Builder dropout(double rate) {
      dropout = rate;
      return this;
    }

    /** The network with its first values. */
    public VideoUNet build(Rng rng) {
      boolean fits = width >= 2 && width % 2 == 0 && !multipliers.isEmpty() && blocks >= 1;
      if (!fits
          || heads < 1
          || multipliers.stream().anyMatch(m -> m < 1 || m * width % heads != 0)) {
        throw new IllegalArgumentException(
            ("[video unet] width %d must be even, multipliers %s and blocks %d at least 1, and the"
                    + " widths multiples of %d heads")
                .formatted(width, multipliers, blocks, heads));
      }
      return new VideoUNet(this, rng);
    }

    private int channels(int level) {
      return width * multipliers.get(level);
    }

    private boolean attends(int level) {
      return attention.contains(1 << level);
    }
  }
}
