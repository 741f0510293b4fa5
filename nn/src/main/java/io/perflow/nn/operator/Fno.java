package io.perflow.nn.operator;

import io.perflow.nn.UnaryLayer;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The Fourier neural operator (Li et al., 2021) on a line or an image: from x (n, in, s) to (n,
 * out, s), or from (n, in, h, w) to (n, out, h, w).
 *
 * <pre>
 * v0 = fc0(x, coordinates)                        to {@code width} channels
 * v(i + 1) = gelu(conv_i(v_i) + w_i(v_i))         i = 0 … layers - 1; no gelu after the last
 * y = fc2(gelu(fc1(v)))                           over 128 channels
 * </pre>
 *
 * <p>{@code conv_i} is a {@link SpectralConv1d} or {@link SpectralConv2d}; {@code fc} and {@code w}
 * map the channels at each point, the former in files as linear layers, the latter as convolutions
 * of one point. The coordinates, 0 to 1 on each axis, are the last channels that enter. For data
 * that is not periodic the channels are extended by {@code padding} zeros at the end of an axis
 * before the first convolution, and cut back after the last.
 *
 * <pre>{@code
 * Fno darcy = Fno.of2d(1, 1).modes(12).width(32).padding(9).build(rng);
 * Fno burgers = Fno.of1d(1, 1).modes(16).width(64).padding(2).build(rng);
 * }</pre>
 */
public final class Fno extends UnaryLayer {
  private final int in;
  private final int axes;
  private final int[] padding; // zeros after the end of each axis
  private final boolean coordinates;
  private final Pointwise lift;
  private final List<UnaryLayer> spectral = new ArrayList<>();
  private final List<Pointwise> bypass = new ArrayList<>();
  private final Pointwise project1;
  private final Pointwise project2;

  private Fno(Builder b, Rng rng) {
    in = b.in;
    axes = b.axes;
    padding = new int[] {b.padding1, b.padding2};
    coordinates = b.coordinates;
    lift = map("fc0", in + (coordinates ? axes : 0), b.width, 0, rng);
    for (int i = 0; i < b.layers; i++) {
      Rng own = rng.split("conv" + i);
      spectral.add(
          child(
              "conv" + i,
              axes == 1
                  ? SpectralConv1d.of(b.width, b.width, b.modes1, own)
                  : SpectralConv2d.of(b.width, b.width, b.modes1, b.modes2, own)));
    }
    for (int i = 0; i < b.layers; i++) {
      bypass.add(map("w" + i, b.width, b.width, axes, rng));
    }
    project1 = map("fc1", b.width, b.projection, 0, rng);
    project2 = map("fc2", b.projection, b.out, 0, rng);
  }

  private Pointwise map(String name, int from, int to, int kernelAxes, Rng rng) {
    return child(name, new Pointwise(from, to, kernelAxes, rng.split(name)));
  }

  /** An operator on lines with 16 modes and 64 channels in 4 layers. */
  public static Builder of1d(int in, int out) {
    return new Builder(1, in, out).modes(16).width(64);
  }

  /** An operator on images with 12 modes on each axis and 32 channels in 4 layers. */
  public static Builder of2d(int in, int out) {
    return new Builder(2, in, out).modes(12).width(32);
  }

  /** Input: x (n, in, s) or (n, in, h, w). */
  @Override
  protected Tensor forward(Tensor x) {
    if (x.rank() != 2 + axes || x.dim(1) != in) {
      throw new ShapeException(
          "fno",
          "input %s must be (n, %d, %s)%s"
              .formatted(x.shape(), in, axes == 1 ? "s" : "h, w", where()));
    }
    try (Scope scope = Scope.open()) {
      Tensor v = padded(lift.apply(coordinates ? Coordinates.append(x) : x));
      for (int i = 0; i < spectral.size(); i++) {
        v = layer(i, v);
      }
      v = project1.apply(cut(v, x.shape())).gelu();
      return scope.keep(project2.apply(v));
    }
  }

  private Tensor layer(int i, Tensor v) {
    try (Scope scope = Scope.open()) {
      Tensor sum = spectral.get(i).apply(v).add(bypass.get(i).apply(v));
      return scope.keep(i < spectral.size() - 1 ? sum.gelu() : sum);
    }
  }

  private Tensor padded(Tensor v) {
    Tensor wide = v;
    for (int a = 0; a < axes; a++) {
      wide = padding[a] > 0 ? wide.pad(2 + a, 0, padding[a]) : wide;
    }
    return wide;
  }

  private Tensor cut(Tensor v, Shape shape) {
    Tensor narrow = v;
    for (int a = 0; a < axes; a++) {
      narrow = padding[a] > 0 ? narrow.slice(2 + a, 0, shape.dim(2 + a)) : narrow;
    }
    return narrow;
  }

  /** Options of an operator. */
  public static final class Builder {
    private final int axes;
    private final int in;
    private final int out;
    private int modes1;
    private int modes2;
    private int width;
    private int layers = 4;
    private int padding1;
    private int padding2;
    private int projection = 128;
    private boolean coordinates = true;

    private Builder(int axes, int in, int out) {
      this.axes = axes;
      this.in = in;
      this.out = out;
    }

    /** Frequencies kept on every axis; down an image, of either sign. */
    public Builder modes(int modes) {
      return modes(modes, modes);
    }

    /** Frequencies kept down an image, of either sign, and across; a line has only the first. */
    public Builder modes(int down, int across) {
      modes1 = down;
      modes2 = across;
      return this;
    }

    /** Channels of the layers. */
    public Builder width(int width) {
      this.width = width;
      return this;
    }

    /** Number of layers, 4 by default. */
    public Builder layers(int layers) {
      this.layers = layers;
      return this;
    }

    /** Zeros after the end of every axis, for data that is not periodic; none by default. */
    public Builder padding(int padding) {
      return padding(padding, padding);
    }

    /**
     * Zeros below an image and to its right, for one that is periodic along one axis only; a line
     * has only the first.
     */
    public Builder padding(int down, int across) {
      padding1 = down;
      padding2 = across;
      return this;
    }

    /** Channels between the two last maps, 128 by default. */
    public Builder projection(int projection) {
      this.projection = projection;
      return this;
    }

    /** Whether coordinates are appended to the input; they are by default. */
    public Builder coordinates(boolean wanted) {
      coordinates = wanted;
      return this;
    }

    /** The operator with its first values. */
    public Fno build(Rng rng) {
      if (Math.min(modes1, modes2) < 1 || Math.min(width, Math.min(layers, projection)) < 1) {
        throw new IllegalArgumentException(
            "[fno] modes %d x %d, width %d, layers %d and projection %d must be at least 1"
                .formatted(modes1, modes2, width, layers, projection));
      }
      if (padding1 < 0 || padding2 < 0) {
        throw new IllegalArgumentException(
            "[fno] padding %d x %d must be at least 0".formatted(padding1, padding2));
      }
      return new Fno(this, rng);
    }
  }
}
