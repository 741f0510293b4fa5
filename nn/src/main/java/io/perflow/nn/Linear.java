package io.perflow.nn;

import io.perflow.tensor.Check;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/**
 * The linear map y = x W' + b along the last axis: input (…, in), output (…, out), parameters
 * {@code weight} (out, in) and {@code bias} (out).
 */
public final class Linear extends UnaryLayer {
  private static final io.perflow.tensor.op.Linear OP = new io.perflow.tensor.op.Linear();

  private final int in;
  private final Parameter weight;
  private final Parameter bias; // null without a bias

  private Linear(Builder b, Rng rng) {
    in = b.in;
    weight = parameter("weight", b.weight.make(Shape.of(b.out, b.in), rng.split("weight")));
    bias =
        b.bias == null ? null : parameter("bias", b.bias.make(Shape.of(b.out), rng.split("bias")));
  }

  /** Returns a layer from {@code in} to {@code out} numbers. */
  public static Builder of(int in, int out) {
    return new Builder(in, out);
  }

  /** Takes x (…, in). */
  @Override
  protected Tensor forward(Tensor x) {
    Check.that(
        x.rank() >= 2 && x.dim(-1) == in,
        "linear",
        "input %s must be (…, %d)%s",
        x.shape(),
        in,
        x.rank() >= 2 && x.dim(-1) == in ? "" : where());
    return bias == null ? OP.apply(x, weight.value()) : OP.apply(x, weight.value(), bias.value());
  }

  @Override
  protected long multiplyAdds(Tensor[] inputs, Tensor output) {
    return (long) output.size() * in;
  }

  /** The options of a linear layer. */
  public static final class Builder {
    private final int in;
    private final int out;
    private Initializer weight;
    private Initializer bias;

    private Builder(int in, int out) {
      this.in = in;
      this.out = out;
      weight = Initializer.kaiming(in);
      bias = weight;
    }

    /** Sets whether there is a bias; by default there is one. */
    public Builder bias(boolean wanted) {
      bias = wanted ? Initializer.kaiming(in) : null;
      return this;
    }

    /** Sets the initial values of weight and bias, instead of {@link Initializer#kaiming}. */
    public Builder init(Initializer weight, Initializer bias) {
      this.weight = weight;
      this.bias = bias;
      return this;
    }

    /** Returns the layer with its initial values. */
    public Linear build(Rng rng) {
      return new Linear(this, rng);
    }
  }
}
