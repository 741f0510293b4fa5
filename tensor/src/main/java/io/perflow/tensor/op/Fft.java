package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * The complex Fourier transform of the last {@code axes} axes before (re, im), times {@code scale}.
 * The sign of the exponent is minus, or plus for the inverse.
 */
public record Fft(int axes, boolean inverse, double scale) implements Op {
  @Override
  public String name() {
    return inverse ? "ifft" : "fft";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    checkComplex(name(), inputs[0]);
    checkAxes(name(), inputs[0].shape(), axes, 1);
    return inputs[0].shape();
  }

  static void checkComplex(String op, Tensor x) {
    Check.that(
        x.rank() >= 1 && x.shape().dim(-1) == 2,
        op,
        "a complex tensor has a last axis of 2 (re, im), shape is %s",
        x.shape());
  }

  static void checkAxes(String op, Shape shape, int axes, int trailing) {
    Check.that(axes >= 1 && axes <= 3, op, "transforms 1 to 3 axes, not %d", axes);
    Check.that(
        shape.rank() >= axes + trailing, op, "shape %s has too few axes for %d", shape, axes);
    for (int a = 1; a <= axes; a++) {
      int axis = shape.rank() - trailing - a;
      Check.that(shape.dim(axis) > 0, op, "axis %d of shape %s is empty", axis, shape);
    }
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.fft().fft(inputs[0], axes, inverse, scale));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(new Fft(axes, !inverse, scale).apply(v.grad()));
  }
}
