package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * A primitive operation: its name, its shape rule, its forward computation through a backend and
 * its gradient, in one small class. It has no state except its attributes (axes, strides, kinds).
 *
 * <p>Everything that a network computes is an {@code Op} or a composition of several. To add your
 * own operation, implement this interface and run it with {@link #apply}.
 */
public interface Op {
  /** Returns the name in messages and listings, in the words of the field. */
  String name();

  /**
   * Checks the inputs and returns the shape of the first output. This happens before any memory is
   * allocated.
   *
   * @throws io.perflow.tensor.ShapeException when the inputs do not fit
   */
  Shape outputShape(Tensor... inputs);

  /**
   * Computes the outputs from inputs that have been checked. The first output is the result; any
   * others are by-products for the gradient, such as the statistics of a normalisation.
   */
  Tensor[] forward(Backend backend, Tensor... inputs);

  /**
   * Returns the vector-Jacobian product: for the gradient of some scalar with respect to the
   * result, the gradients with respect to each input, or null where {@link Vjp#needs} is false. It
   * is written with tensor operations, so that it works on every backend and can be differentiated
   * again.
   */
  Tensor[] vjp(Vjp v);

  /** Returns the tensors that {@link #vjp} uses; all others may be recycled before it runs. */
  default Saved saved() {
    return Saved.INPUTS;
  }

  /**
   * Returns the tensors that {@link #vjp} uses when only some inputs need a gradient, where bit i
   * of {@code needed} stands for input i. A product whose second factor is a constant need not keep
   * the first. By default all tensors of {@link #saved()}.
   */
  default Saved saved(int needed) {
    return saved();
  }

  /** Checks the inputs, computes, notifies the thread's recorder, and returns the result. */
  default Tensor apply(Tensor... inputs) {
    Check.compatible(name(), inputs);
    outputShape(inputs);
    Tensor[] outputs = forward(inputs[0].device().backend(), inputs);
    Recorder recorder = Recorder.current();
    if (recorder != null) {
      recorder.record(this, inputs, outputs);
    }
    return outputs[0];
  }

  /** Returns one output as an array, for {@link #forward}, or one gradient, for {@link #vjp}. */
  static Tensor[] only(Tensor tensor) {
    return new Tensor[] {tensor};
  }
}
