package io.perflow.nn.unet;

import io.perflow.nn.Attention;
import io.perflow.nn.BinaryLayer;
import io.perflow.nn.Conv2d;
import io.perflow.nn.GroupNorm;
import io.perflow.nn.ResBlock;
import io.perflow.nn.TimeEmbedding;
import io.perflow.tensor.Images;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

/**
 * The network of the flow: from x (n, in, h, w), state and condition joined, and the time t (n) to
 * (n, out, h, w).
 *
 * <p>A U-Net (Ronneberger et al., 2015) as diffusion models have it (Ho et al., 2020; Dhariwal and
 * Nichol, 2021): squares of {@code patch} pixels become channels; levels of residual blocks that
 * are modulated by the time, each level at half the resolution of the one before; a middle with
 * attention; and the same levels upwards, where every block also receives the output of a block of
 * its level from the way down. Convolutions are 3x3, wrapped round on periodic axes. Heights and
 * widths must be multiples of {@link UNetConfig#multiple}.
 *
 * <p>The last convolution of every residual branch and the head are zero at first, so that the
 * network starts as zero and its blocks as the identity.
 *
 * <pre>{@code
 * UNet net = UNet.of(UNetConfig.small(), Rng.of(42));
 * Tensor v = net.apply(x, t);
 * }</pre>
 */
public final class UNet extends BinaryLayer {
  private final UNetConfig config;
  private final TimeEmbedding time;
  private final Conv2d stem;
  private final List<Level> down = new ArrayList<>();
  private final Level middle;
  private final List<Level> up = new ArrayList<>(); // from the coarsest level
  private final GroupNorm norm;
  private final Conv2d head;

  /**
   * Blocks of one level, on the way down or up; attention is empty or one per block; sample may be
   * null.
   */
  private record Level(List<ResBlock> res, List<Attention> attn, Conv2d sample) {
    /** Block i on h, and the attention after it. */
    Tensor block(int i, Tensor h, Tensor e) {
      try (Scope scope = Scope.open()) {
        return scope.keep(attended(i, res.get(i).apply(h, e)));
      }
    }

    /** Block i on h and skip joined, and the attention after it. */
    Tensor block(int i, Tensor h, Tensor skip, Tensor e) {
      try (Scope scope = Scope.open()) {
        return scope.keep(attended(i, res.get(i).apply(h, skip, e)));
      }
    }

    private Tensor attended(int i, Tensor h) {
      return attn.isEmpty() ? h : attn.get(i).apply(h);
    }
  }

  private UNet(UNetConfig config, Rng rng) {
    this.config = config;
    List<Integer> widths = config.widths();
    int levels = widths.size();
    int c = widths.getFirst();
    time = child("", TimeEmbedding.of(c, config.timeWidth(), rng));
    int patch = config.patch() * config.patch();
    stem = child("stem", conv3x3(config.inChannels() * patch, c).build(rng.split("stem")));
    for (int i = 0; i < levels; i++) {
      int w = widths.get(i);
      int[] inputs = new int[config.blocks()];
      for (int j = 0; j < inputs.length; j++) {
        inputs[j] = j == 0 ? c : w;
      }
      Conv2d.Builder halve = i < levels - 1 ? conv3x3(w, w).stride(2) : null;
      down.add(level("down." + i, inputs, w, config.attention().get(i), halve, rng));
      c = w;
    }
    middle = middle(c, rng);
    for (int i = levels - 1; i >= 0; i--) {
      int w = widths.get(i);
      int[] inputs = new int[config.blocks() + 1];
      for (int j = 0; j < inputs.length; j++) {
        // joined in reverse: the outputs of the level's blocks, then what entered the level
        int skip = j < config.blocks() ? w : widths.get(Math.max(0, i - 1));
        inputs[j] = (j == 0 ? c : w) + skip;
      }
      String name = "up." + (levels - 1 - i);
      Conv2d.Builder grow = i > 0 ? conv3x3(w, w).upsampling(2) : null;
      up.add(level(name, inputs, w, config.attention().get(i), grow, rng));
      c = w;
    }
    norm = child("norm", GroupNorm.silu(config.groups(), c));
    head = child("head", conv3x3(c, config.outChannels() * patch).zero().build(rng.split("head")));
  }

  /**
   * The network of a configuration with its initial values.
   *
   * @throws IllegalArgumentException when its weights need more memory than Java may use
   */
  public static UNet of(UNetConfig config, Rng rng) {
    double bytes = (double) config.parameters() * Float.BYTES;
    long most = Runtime.getRuntime().maxMemory();
    if (bytes > most) {
      throw new IllegalArgumentException(
          ("[unet] the network has %d weights, which take %.0f MB, and Java may use %d MB: choose"
                  + " smaller widths or fewer blocks, or give Java more memory (-Xmx)")
              .formatted(config.parameters(), bytes / (1 << 20), most >> 20));
    }
    return new UNet(config, rng);
  }

  private Conv2d.Builder conv3x3(int in, int out) {
    return Conv2d.of(in, out, 3)
        .padding(1)
        .circular(config.periodicHeight(), config.periodicWidth());
  }

  private ResBlock block(String name, int in, int out, Rng rng) {
    return child(
        name,
        ResBlock.of(in, out, config.timeWidth())
            .groups(config.groups())
            .periodic(config.periodicHeight(), config.periodicWidth())
            .build(rng.split(name)));
  }

  private Attention attention(String name, int width, Rng rng) {
    return child(name, Attention.of(width, config.heads(), config.groups(), rng.split(name)));
  }

  // inputs: channels that enter each block; sampling: null when no level follows
  private Level level(
      String name, int[] inputs, int width, boolean attends, Conv2d.Builder sampling, Rng rng) {
    List<ResBlock> res = new ArrayList<>();
    List<Attention> attn = new ArrayList<>();
    for (int i = 0; i < inputs.length; i++) {
      res.add(block(name + ".res." + i, inputs[i], width, rng));
    }
    for (int i = 0; attends && i < inputs.length; i++) {
      attn.add(attention(name + ".attn." + i, width, rng));
    }
    String last = name + ".sample";
    Conv2d sample = sampling == null ? null : child(last, sampling.build(rng.split(last)));
    return new Level(res, attn, sample);
  }

  private Level middle(int width, Rng rng) {
    ResBlock first = block("middle.res.0", width, width, rng);
    ResBlock second = block("middle.res.1", width, width, rng);
    return new Level(List.of(first, second), List.of(attention("middle.attn", width, rng)), null);
  }

  /** The configuration of the network. */
  public UNetConfig config() {
    return config;
  }

  /** Inputs: x (n, in, h, w) and t (n). */
  @Override
  protected Tensor forward(Tensor x, Tensor t) {
    return output(x, t, config.inChannels(), stem);
  }

  /**
   * This network for inputs whose channels behind the state do not change, as in a sampler: the
   * part of {@code fixed} (n or 1, in - states, h, w) in the first convolution is computed here,
   * once. The returned function takes states (n, states, h, w) and times (n) and returns the same
   * as {@link #apply} for states and fixed channels joined.
   */
  public BinaryOperator<Tensor> given(Tensor fixed) {
    int states = config.inChannels() - fixed.dim(1);
    UnaryOperator<Tensor> told = stem.given(patches(fixed));
    return (x, t) -> output(x, t, states, told);
  }

  private Tensor output(Tensor x, Tensor t, int channels, UnaryOperator<Tensor> first) {
    check(x, t, channels);
    try (Scope scope = Scope.open()) {
      Tensor e = time.apply(t);
      Tensor h = first.apply(patches(x));
      h = head.apply(norm.apply(level(0, h, e)));
      return scope.keep(Images.pixelShuffle(h, config.patch()));
    }
  }

  private Tensor patches(Tensor x) {
    return Images.pixelUnshuffle(x, config.patch());
  }

  // A level, with all coarser ones inside it. What enters it and what its blocks put out is kept
  // for the way up and recycled when the level is done.
  private Tensor level(int i, Tensor input, Tensor e) {
    boolean deepest = i == down.size() - 1;
    Level falling = down.get(i);
    Level rising = up.get(up.size() - 1 - i);
    try (Scope scope = Scope.open()) {
      int blocks = falling.res().size();
      Tensor[] skips = new Tensor[blocks + 1];
      skips[0] = input;
      for (int j = 0; j < blocks; j++) {
        skips[j + 1] = falling.block(j, skips[j], e);
      }
      Tensor h = skips[blocks];
      h = deepest ? middle(h, e) : level(i + 1, falling.sample().apply(h), e);
      for (int j = 0; j <= blocks; j++) {
        h = rising.block(j, h, skips[blocks - j], e);
      }
      if (rising.sample() != null) {
        h = rising.sample().apply(h);
      }
      return scope.keep(h);
    }
  }

  private Tensor middle(Tensor h, Tensor e) {
    try (Scope scope = Scope.open()) {
      Tensor y = middle.attn().getFirst().apply(middle.res().get(0).apply(h, e));
      return scope.keep(middle.res().get(1).apply(y, e));
    }
  }

  private void check(Tensor input, Tensor t, int channels) {
    Shape x = input.shape();
    if (x.rank() != 4 || x.dim(1) != channels) {
      throw new ShapeException("unet", "x %s must be (n, %d, h, w)".formatted(x, channels));
    }
    int multiple = config.multiple();
    if (x.dim(2) % multiple != 0 || x.dim(3) % multiple != 0) {
      throw new ShapeException(
          "unet",
          "height and width of x %s must be multiples of %d (patch %d, %d levels); pad or crop it"
              .formatted(x, multiple, config.patch(), config.widths().size()));
    }
    if (!t.shape().equals(Shape.of(x.dim(0)))) {
      throw new ShapeException(
          "unet", "t %s must be [%d], the batch of x %s".formatted(t.shape(), x.dim(0), x));
    }
  }
}
