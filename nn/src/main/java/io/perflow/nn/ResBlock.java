package io.perflow.nn;

import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.function.BinaryOperator;

/**
 * A residual block that is modulated by the time: from x (n, in, h, w) and the features of the time
 * e (n, features) to (n, out, h, w). On the way up a U-Net, x is two images joined along their
 * channels.
 *
 * <pre>
 * h = conv1(silu(norm1(x)))
 * scale, shift = time(e)
 * y = shortcut(x) + conv2(silu(norm2(h) (1 + scale) + shift))
 * </pre>
 *
 * <p>conv1 and conv2 are 3x3 with padding 1, which wraps around on periodic axes; shortcut is a 1x1
 * convolution if the widths differ, otherwise the identity. conv2 is zero at first, so that the
 * block starts as its shortcut.
 */
public final class ResBlock extends Layer implements BinaryOperator<Tensor> {
  private final GroupNorm norm1;
  private final Conv2d conv1;
  private final Linear time;
  private final GroupNorm norm2;
  private final Conv2d conv2;
  private final Conv2d shortcut; // null when the widths agree

  private ResBlock(Builder b, Rng rng) {
    int out = b.out;
    norm1 = child("norm1", GroupNorm.silu(b.groups, b.in));
    conv1 = child("conv1", b.conv3x3(b.in).build(rng.split("conv1")));
    time = child("time", Linear.of(b.features, 2 * out).build(rng.split("time")));
    norm2 = child("norm2", GroupNorm.silu(b.groups, out));
    conv2 = child("conv2", b.conv3x3(out).zero().build(rng.split("conv2")));
    shortcut =
        b.in == out
            ? null
            : child("shortcut", Conv2d.of(b.in, out, 1).build(rng.split("shortcut")));
  }

  /** Returns a block between two widths, with {@code features} time features. */
  public static Builder of(int in, int out, int features) {
    return new Builder(in, out, features);
  }

  /** Returns the block of x (n, in, h, w) and e (n, features). */
  @Override
  public Tensor apply(Tensor x, Tensor e) {
    return run(x, e);
  }

  /** Returns the block of h (n, c, h, w) and skip (n, in - c, h, w) joined, and e (n, features). */
  public Tensor apply(Tensor h, Tensor skip, Tensor e) {
    return run(h, skip, e);
  }

  /** Takes the inputs of one of the two {@code apply} methods. */
  @Override
  protected Tensor forward(Tensor... inputs) {
    takes(2, 3, inputs);
    Tensor e = inputs[inputs.length - 1];
    try (Scope scope = Scope.open()) {
      Tensor[] x = Arrays.copyOf(inputs, inputs.length - 1);
      if (x.length > 1 && (shortcut == null || !conv1.norms(x))) {
        x = new Tensor[] {Tensor.concat(1, x)}; // computed once for both that read it
      }
      Tensor past = shortcut == null ? x[0] : shortcut.joined(x);
      Tensor h = conv1.normed(norm1, null, null, x);
      return scope.keep(conv2.normed(norm2, time.apply(e), past, h));
    }
  }

  /** The options of a block. */
  public static final class Builder {
    private final int in;
    private final int out;
    private final int features;
    private int groups = 8;
    private boolean periodicHeight;
    private boolean periodicWidth;

    private Builder(int in, int out, int features) {
      this.in = in;
      this.out = out;
      this.features = features;
    }

    /** Sets the number of groups of channels in the norms, 8 by default. */
    public Builder groups(int groups) {
      this.groups = groups;
      return this;
    }

    /** Sets which axes of the image are periodic. */
    public Builder periodic(boolean height, boolean width) {
      periodicHeight = height;
      periodicWidth = width;
      return this;
    }

    /** Returns the block with its initial values. */
    public ResBlock build(Rng rng) {
      return new ResBlock(this, rng);
    }

    private Conv2d.Builder conv3x3(int from) {
      return Conv2d.of(from, out, 3).padding(1).circular(periodicHeight, periodicWidth);
    }
  }
}
