package io.perflow.nn;

import io.perflow.tensor.Check;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;
import io.perflow.tensor.op.BinaryKind;
import io.perflow.tensor.op.Conv2d;
import io.perflow.tensor.op.Fused;
import io.perflow.tensor.op.Op;
import io.perflow.tensor.op.Saved;
import io.perflow.tensor.op.Vjp;
import java.util.Arrays;

/**
 * A convolution with an image added to its result, the end of a residual branch. The inputs are
 * addend (n, out, oh, ow) and then those of {@link Conv2d}.
 *
 * <p>It is not a composition, because the sum is formed while the result is in cache: that saves
 * reading it from memory and writing it again.
 */
record AddingConv2d(Conv2dSpec spec) implements Fused {
  @Override
  public String name() {
    return "adding_conv2d";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape shape = convolution().outputShape(rest(inputs));
    Check.sameShape(name(), "addend", inputs[0], shape);
    return shape;
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... in) {
    Tensor bias = in.length > 3 ? in[3] : null;
    return Op.only(
        backend
            .conv()
            .conv2dAdding(in[0], in[1], in[2], bias, spec)
            .orElseGet(
                () -> {
                  Tensor y = backend.conv().conv2d(in[1], in[2], bias, spec);
                  return backend.elementwise().binary(BinaryKind.ADD, y, in[0]);
                }));
  }

  @Override
  public Tensor composed(Tensor... inputs) {
    return convolution().apply(rest(inputs)).add(inputs[0]);
  }

  @Override
  public Saved saved() {
    return Saved.inputs(1, 2);
  }

  @Override
  public Saved saved(int needed) {
    Saved of = convolution().saved(needed >> 1);
    return new Saved(of.inputs() << 1, of.outputs());
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    Tensor[] own = convolution().vjp(new Rest(v));
    Tensor[] grads = new Tensor[own.length + 1];
    grads[0] = v.grad();
    System.arraycopy(own, 0, grads, 1, own.length);
    return grads;
  }

  private Conv2d convolution() {
    return new Conv2d(spec);
  }

  private static Tensor[] rest(Tensor... inputs) {
    return Arrays.copyOfRange(inputs, 1, inputs.length);
  }

  /** The gradient rule's inputs without the addend. */
  private record Rest(Vjp all) implements Vjp {
    @Override
    public Tensor grad() {
      return all.grad();
    }

    @Override
    public Tensor input(int i) {
      return all.input(i + 1);
    }

    @Override
    public Tensor output(int i) {
      return all.output(i);
    }

    @Override
    public Shape shape(int i) {
      return all.shape(i + 1);
    }

    @Override
    public int count() {
      return all.count() - 1;
    }

    @Override
    public boolean needs(int i) {
      return all.needs(i + 1);
    }
  }
}
