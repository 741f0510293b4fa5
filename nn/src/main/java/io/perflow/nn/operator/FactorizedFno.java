package io.perflow.nn.operator;

import io.perflow.nn.UnaryLayer;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The factorized Fourier neural operator, F-FNO (Tran et al., 2023), on periodic images: from x (n,
 * in, h, w) to (n, out, h, w).
 *
 * <pre>
 * v = in_proj(x, coordinates)                     to {@code width} channels
 * b_i = feed-forward(spectral(v))                 i = 0 … layers - 1
 * v = v + b_i
 * y = out.1(out.0(b))                             of the last b, not of v
 * </pre>
 *
 * <p>{@code spectral} convolves along each axis apart and adds the two; with {@code shared} weights
 * all layers have the same, {@code fourier_weight.0} and {@code .1}, and a gain of 0.1 in their
 * first values keeps the sum of many layers small. The feed-forward, {@code backcast_ff.layers.0.0}
 * and {@code .1.0}, is a map to {@code factor} times the width, ReLU and a map back. All maps of
 * channels have normalised weights. Between the two last maps, over 128 channels, there is no
 * activation.
 *
 * <pre>{@code
 * FactorizedFno step = FactorizedFno.of(1, 1).layers(24).build(rng);
 * }</pre>
 */
public final class FactorizedFno extends UnaryLayer {
  private final int in;
  private final boolean coordinates;
  private final NormalizedPointwise lift;
  private final List<Block> blocks = new ArrayList<>();
  private final NormalizedPointwise project1;
  private final NormalizedPointwise project2;

  /** The parts of one layer; all layers may share the convolution. */
  private record Block(
      FactorizedConv2d spectral, NormalizedPointwise widen, NormalizedPointwise narrow) {
    Tensor apply(Tensor v) {
      try (Scope scope = Scope.open()) {
        return scope.keep(narrow.apply(widen.apply(spectral.apply(v)).relu()));
      }
    }
  }

  private FactorizedFno(Builder b, Rng rng) {
    in = b.in;
    coordinates = b.coordinates;
    lift = map("in_proj", in + (coordinates ? 2 : 0), b.width, rng);
    FactorizedConv2d shared = b.shared ? spectral("fourier_weight", b, 0.1, rng) : null;
    for (int i = 0; i < b.layers; i++) {
      String name = "spectral_layers." + i;
      FactorizedConv2d spectral =
          shared == null ? spectral(name + ".fourier_weight", b, 1, rng) : shared;
      String forward = name + ".backcast_ff.layers.";
      blocks.add(
          new Block(
              spectral,
              map(forward + "0.0", b.width, b.factor * b.width, rng),
              map(forward + "1.0", b.factor * b.width, b.width, rng)));
    }
    project1 = map("out.0", b.width, b.projection, rng);
    project2 = map("out.1", b.projection, b.out, rng);
  }

  private FactorizedConv2d spectral(String name, Builder b, double gain, Rng rng) {
    return child(name, new FactorizedConv2d(b.width, b.modes, gain, rng.split(name)));
  }

  private NormalizedPointwise map(String name, int from, int to, Rng rng) {
    return child(name, new NormalizedPointwise(from, to, rng.split(name)));
  }

  /** An operator with 16 modes and 64 channels in 24 layers of shared weights. */
  public static Builder of(int in, int out) {
    return new Builder(in, out);
  }

  /** Input: x (n, in, h, w). */
  @Override
  protected Tensor forward(Tensor x) {
    if (x.rank() != 4 || x.dim(1) != in) {
      throw new ShapeException(
          "factorized fno", "input %s must be (n, %d, h, w)%s".formatted(x.shape(), in, where()));
    }
    try (Scope scope = Scope.open()) {
      Tensor v = lift.apply(coordinates ? Coordinates.append(x) : x);
      Tensor b = blocks.getFirst().apply(v);
      for (Block block : blocks.subList(1, blocks.size())) {
        v = v.add(b);
        b = block.apply(v);
      }
      return scope.keep(project2.apply(project1.apply(b)));
    }
  }

  /** Options of an operator. */
  public static final class Builder {
    private final int in;
    private final int out;
    private int modes = 16;
    private int width = 64;
    private int layers = 24;
    private int factor = 4;
    private int projection = 128;
    private boolean shared = true;
    private boolean coordinates = true;

    private Builder(int in, int out) {
      this.in = in;
      this.out = out;
    }

    /** Frequencies kept on each axis, 16 by default. */
    public Builder modes(int modes) {
      this.modes = modes;
      return this;
    }

    /** Channels of the layers, 64 by default. */
    public Builder width(int width) {
      this.width = width;
      return this;
    }

    /** Number of layers, 24 by default. */
    public Builder layers(int layers) {
      this.layers = layers;
      return this;
    }

    /** How much wider the feed-forward maps are inside, 4 times by default. */
    public Builder factor(int factor) {
      this.factor = factor;
      return this;
    }

    /** Channels between the two last maps, 128 by default. */
    public Builder projection(int projection) {
      this.projection = projection;
      return this;
    }

    /** Whether all layers have the same Fourier weights; they do by default. */
    public Builder shared(boolean shared) {
      this.shared = shared;
      return this;
    }

    /** Whether coordinates are appended to the input; they are by default. */
    public Builder coordinates(boolean wanted) {
      coordinates = wanted;
      return this;
    }

    /** The operator with its initial values. */
    public FactorizedFno build(Rng rng) {
      if (modes < 1 || width < 1 || layers < 1 || factor < 1 || projection < 1) {
        throw new IllegalArgumentException(
            ("[factorized fno] modes %d, width %d, layers %d, factor %d and projection %d must be"
                    + " at least 1")
                .formatted(modes, width, layers, factor, projection));
      }
      return new FactorizedFno(this, rng);
    }
  }
}
