package io.perflow.nn.unet;

import io.perflow.nn.Conv2d;
import io.perflow.nn.GroupNorm;
import io.perflow.nn.Layer;
import io.perflow.nn.Linear;
import io.perflow.nn.unet.SongBlock.Sample;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * DDPM++ (Song et al., 2021) in the form of Karras et al. (2022), the network of DiffusionPDE: from
 * x (n, in, s, s) and a number for the noise level of each image (n) to (n, out, s, s).
 *
 * <p>Level l at resolution s / 2^l has {@code width} times {@code multipliers(l)} channels and
 * {@code blocks} blocks, after one that halves the resolution. On the way up, a level has one block
 * more, and each block also receives the output of one block of the way down. Two blocks, the first
 * with attention, lie between. At the chosen resolutions, other blocks have attention, too; on the
 * way up, only the last of a level. The noise enters every block as sines and cosines at {@code
 * width / 2} frequencies 10000^(-i / (width / 2 - 1)) through {@code map_layer0} and {@code
 * map_layer1}, together with labels of augmentation through {@code map_augment}.
 *
 * <p>First values are Xavier's; the last convolution of each branch and of the network is 1e-5
 * times that. The parts have the names of their resolution, as in {@code enc.128x128_block0}; the
 * network runs at other resolutions too.
 *
 * <pre>{@code
 * SongUNet net = SongUNet.of(128, 2, 2).build(rng);
 * Tensor y = net.apply(x, noise);          // or apply(x, noise, labels)
 * }</pre>
 */
public final class SongUNet extends Layer {
  private final int in;
  private final int augment;
  private final int multiple;
  private final Tensor frequencies;
  private final Linear mapAugment; // null when there are no labels
  private final Linear map0;
  private final Linear map1;
  private final Conv2d stem;
  private final List<Level> levels = new ArrayList<>(); // from the finest
  private final GroupNorm norm;
  private final Conv2d head;

  /**
   * Blocks of one resolution: {@code falling} on the way down, the first of which halves the
   * resolution except on the finest level; {@code turning}, on the coarsest level between the two
   * ways and otherwise the one that doubles the resolution; {@code rising} on the way up.
   */
  private record Level(List<SongBlock> falling, List<SongBlock> turning, List<SongBlock> rising) {}

  private SongUNet(Builder b, Rng rng) {
    in = b.in;
    augment = b.augment;
    multiple = 1 << (b.multipliers.size() - 1);
    frequencies = Scope.detach(frequencies(b.width / 2));
    int features = 4 * b.width;
    mapAugment =
        augment == 0
            ? null
            : child(
                "map_augment", SongBlock.linear(augment, b.width, false, rng.split("map_augment")));
    map0 = child("map_layer0", SongBlock.linear(b.width, features, true, rng.split("map_layer0")));
    map1 = child("map_layer1", SongBlock.linear(features, features, true, rng.split("map_layer1")));
    String first = "enc." + b.place(0) + "_conv";
    stem = child(first, SongBlock.conv(in, b.width, 3, 1, rng.split(first)));
    encode(b, rng);
    decode(b, rng);
    int c = b.channels(0);
    String last = "dec." + b.place(0) + "_aux_";
    norm = child(last + "norm", SongBlock.norm(c, true));
    head = child(last + "conv", SongBlock.conv(c, b.out, 3, 1e-5, rng.split(last + "conv")));
  }

  private static Tensor frequencies(int half) {
    double[] f = new double[half];
    for (int i = 0; i < half; i++) {
      f[i] = Math.pow(10000, -i / (half - 1.0));
    }
    return Tensor.of(f, half);
  }

  private void encode(Builder b, Rng rng) {
    for (int l = 0; l < b.multipliers.size(); l++) {
      String place = "enc." + b.place(l);
      List<SongBlock> falling = new ArrayList<>();
      int c = b.channels(l - 1);
      if (l > 0) {
        falling.add(block(b, place + "_down", c, c, Sample.DOWN, false, rng));
      }
      for (int i = 0; i < b.blocks; i++) {
        int from = i == 0 ? c : b.channels(l);
        String name = place + "_block" + i;
        falling.add(block(b, name, from, b.channels(l), Sample.NONE, b.attends(l), rng));
      }
      levels.add(new Level(falling, new ArrayList<>(), new ArrayList<>()));
    }
  }

  private void decode(Builder b, Rng rng) {
    for (int l = levels.size() - 1; l >= 0; l--) {
      String place = "dec." + b.place(l);
      Level level = levels.get(l);
      boolean deepest = l == levels.size() - 1;
      int c = b.channels(deepest ? l : l + 1);
      if (deepest) {
        level.turning().add(block(b, place + "_in0", c, c, Sample.NONE, true, rng));
        level.turning().add(block(b, place + "_in1", c, c, Sample.NONE, false, rng));
      } else {
        level.turning().add(block(b, place + "_up", c, c, Sample.UP, false, rng));
      }
      for (int i = 0; i <= b.blocks; i++) {
        // joined in reverse: the outputs of the level's blocks, then what entered the first
        int from = (i == 0 ? c : b.channels(l)) + b.channels(i < b.blocks ? l : l - 1);
        boolean attends = i == b.blocks && b.attends(l);
        String name = place + "_block" + i;
        level.rising().add(block(b, name, from, b.channels(l), Sample.NONE, attends, rng));
      }
    }
  }

  private SongBlock block(
      Builder b, String name, int from, int to, Sample sample, boolean attends, Rng rng) {
    return child(
        name, new SongBlock(from, to, 4 * b.width, sample, attends, b.dropout, rng.split(name)));
  }

  /** DiffusionPDE's network: 128 channels times (2, 2, 2), 4 blocks, 9 labels, dropout 0.13. */
  public static Builder of(int resolution, int in, int out) {
    return new Builder(resolution, in, out);
  }

  /** Sets the generator of dropout; needed before each training step. */
  public void draw(Rng rng) {
    for (Level level : levels) {
      for (List<SongBlock> way : List.of(level.falling(), level.turning(), level.rising())) {
        way.forEach(block -> block.draw(rng.split(block.path())));
      }
    }
  }

  /** The output for x (n, in, h, w) and noise (n). */
  public Tensor apply(Tensor x, Tensor noise) {
    return run(x, noise);
  }

  /** The output for x (n, in, h, w), noise (n) and labels of augmentation (n, augment). */
  public Tensor apply(Tensor x, Tensor noise, Tensor labels) {
    return run(x, noise, labels);
  }

  /** Inputs: x, noise and optionally labels. */
  @Override
  protected Tensor forward(Tensor... inputs) {
    check(inputs);
    try (Scope scope = Scope.open()) {
      Tensor e = features(inputs);
      Tensor h = level(0, stem.apply(inputs[0]), e);
      return scope.keep(head.apply(norm.apply(h)));
    }
  }

  /** Runs a level and all coarser ones inside it; outputs of its blocks are kept for the way up. */
  private Tensor level(int l, Tensor input, Tensor e) {
    Level level = levels.get(l);
    try (Scope scope = Scope.open()) {
      Deque<Tensor> skips = new ArrayDeque<>();
      Tensor h = input;
      if (l == 0) {
        skips.push(h);
      }
      for (SongBlock block : level.falling()) {
        h = block.apply(h, e);
        skips.push(h);
      }
      if (l < levels.size() - 1) {
        h = level(l + 1, h, e);
      }
      for (SongBlock block : level.turning()) {
        h = block.apply(h, e);
      }
      for (SongBlock block : level.rising()) {
        h = joined(block, h, skips.pop(), e);
      }
      return scope.keep(h);
    }
  }

  private static Tensor joined(SongBlock block, Tensor h, Tensor skip, Tensor e) {
    try (Scope scope = Scope.open()) {
      return scope.keep(block.apply(Tensor.concat(1, h, skip), e));
    }
  }

  private Tensor features(Tensor[] inputs) {
    Tensor noise = inputs[1];
    try (Scope scope = Scope.open()) {
      Tensor f = frequencies.to(noise.type()).to(noise.device());
      Tensor phase = noise.reshape(noise.size(), 1).mul(f);
      Tensor waves = Tensor.concat(1, phase.sin(), phase.cos());
      if (inputs.length > 2) {
        waves = waves.add(mapAugment.apply(inputs[2]));
      }
      return scope.keep(map1.apply(map0.apply(waves).silu()).silu());
    }
  }

  private void check(Tensor[] inputs) {
    takes(2, augment > 0 ? 3 : 2, inputs);
    Shape x = inputs[0].shape();
    if (x.rank() != 4 || x.dim(1) != in || x.dim(2) % multiple != 0 || x.dim(3) % multiple != 0) {
      throw new ShapeException(
          "song unet",
          "x %s must be (n, %d, h, w) with multiples of %d as h and w".formatted(x, in, multiple));
    }
    checkShape("noise", inputs[1], Shape.of(x.dim(0)), x);
    if (inputs.length == 3) {
      checkShape("labels", inputs[2], Shape.of(x.dim(0), augment), x);
    }
  }

  private static void checkShape(String what, Tensor tensor, Shape expected, Shape x) {
    if (!tensor.shape().equals(expected)) {
      throw new ShapeException(
          "song unet", "%s %s must be %s for x %s".formatted(what, tensor.shape(), expected, x));
    }
  }

  /** Options of a network. */
  public static final class Builder {
    private final int resolution;
    private final int in;
    private final int out;
    private int width = 128;
    private List<Integer> multipliers = List.of(2, 2, 2);
    private int blocks = 4;
    private Set<Integer> attention = Set.of(16);
    private int augment = 9;
    private double dropout = 0.13;

    private Builder(int resolution, int in, int out) {
      this.resolution = resolution;
      this.in = in;
      this.out = out;
    }

    /** The unit of all widths in channels, a multiple of 4; 128 by default. */
    public Builder width(int width) {
      this.width = width;
      return this;
    }

    /** Width of each level in units of {@link #width(int)}; 2, 2, 2 by default. */
    public Builder multipliers(Integer... multipliers) {
      this.multipliers = List.of(multipliers);
      return this;
    }

    /** Blocks of a level on the way down, 4 by default. */
    public Builder blocks(int blocks) {
      this.blocks = blocks;
      return this;
    }

    /**
     * Resolutions at which blocks have attention; 16 by default, which a network for 128 x 128
     * pixels does not reach.
     */
    public Builder attention(Integer... resolutions) {
      attention = new HashSet<>(List.of(resolutions));
      return this;
    }

    /** Number of augmentation labels, 9 by default, or 0 for none. */
    public Builder augment(int labels) {
      augment = labels;
      return this;
    }

    /** Share of elements dropped in training, 0.13 by default. */
    public Builder dropout(double rate) {
      dropout = rate;
      return this;
    }

    /** The network with its first values. */
    public SongUNet build(Rng rng) {
      boolean counts = width >= 4 && width % 4 == 0 && !multipliers.isEmpty() && blocks >= 1;
      if (!counts || augment < 0 || multipliers.stream().anyMatch(m -> m < 1)) {
        throw new IllegalArgumentException(
            ("[song unet] width %d must be a multiple of 4, multipliers %s and blocks %d at least"
                    + " 1, augment %d at least 0")
                .formatted(width, multipliers, blocks, augment));
      }
      if (resolution < 1 || resolution % (1 << (multipliers.size() - 1)) != 0) {
        throw new IllegalArgumentException(
            "[song unet] resolution %d cannot be halved %d times"
                .formatted(resolution, multipliers.size() - 1));
      }
      return new SongUNet(this, rng);
    }

    /** Channels of a level; of level -1, those that enter the first. */
    private int channels(int level) {
      return level < 0 ? width : width * multipliers.get(level);
    }

    private String place(int level) {
      int s = resolution >> level;
      return s + "x" + s;
    }

    private boolean attends(int level) {
      return attention.contains(resolution >> level);
    }
  }
}
