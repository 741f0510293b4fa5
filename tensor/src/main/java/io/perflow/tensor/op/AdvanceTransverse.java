package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;
import io.perflow.tensor.backend.ElementwiseKernels;
import io.perflow.tensor.backend.FftKernels;

/**
 * A step along the part of a vector field whose Fourier modes are at right angles to a direction: x
 * + weight (v - F⁻¹ n (n · F v)).
 *
 * <p>Inputs are x and v [batch, 2 frames, height, width], the first components of all frames before
 * the second ones, and n [2, 1, height, width / 2 + 1, 2], complex. Without x the result is weight
 * times the part alone. n has no gradient.
 *
 * <p>It is not a composition, because on a GPU the forward and inverse transforms along the height
 * and the products between them are one kernel, and so are the last transform and the step: 3
 * kernels instead of 9. {@code sampling-budget.properties} has the counts.
 */
public record AdvanceTransverse(double weight) implements Op {
  @Override
  public String name() {
    return "advance_transverse";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    int last = inputs.length - 1;
    Tensor v = inputs[last - 1];
    Check.rank(name(), "vector field", v, 4);
    Check.that(
        v.dim(1) % 2 == 0,
        name(),
        "field %s has %d channels: two for every frame",
        v.shape(),
        v.dim(1));
    if (last == 2) {
      Check.sameShape(name(), "x", inputs[0], v.shape());
    }
    Shape modes = Shape.of(2, 1, v.dim(2), v.dim(3) / 2 + 1, 2);
    Check.sameShape(name(), "direction", inputs[last], modes);
    return v.shape();
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    int last = inputs.length - 1;
    Tensor x = last == 2 ? inputs[0] : null;
    Tensor v = inputs[last - 1];
    Tensor n = inputs[last];
    try (Scope scope = Scope.open()) {
      Tensor y =
          backend
              .step()
              .advanceTransverse(x, v, n, weight)
              .orElseGet(() -> composed(backend, x, v, n));
      return Op.only(scope.keep(y));
    }
  }

  private Tensor composed(Backend backend, Tensor x, Tensor v, Tensor n) {
    FftKernels fft = backend.fft();
    ElementwiseKernels elementwise = backend.elementwise();
    int h = v.dim(2);
    int w = v.dim(3);
    Shape pairs = Shape.of(v.dim(0), 2, v.dim(1) / 2, h, w);
    Tensor rows =
        v.layout().isContiguous() ? v : backend.memory().copy(v, Layout.contiguous(v.shape()));
    Tensor modes = fft.rfft(rows.view(rows.layout().reshape(pairs)), 2, 1);
    Tensor parts = elementwise.complexMul(modes, n, false);
    Tensor first = parts.view(parts.layout().slice(1, 0, 1, 1));
    Tensor second = parts.view(parts.layout().slice(1, 1, 1, 1));
    Tensor length = elementwise.binary(BinaryKind.ADD, first, second);
    Tensor modesAlong = elementwise.complexMul(length, n, false);
    Tensor along = fft.irfft(modesAlong, new int[] {h, w}, 1.0 / (h * w));
    // Subtracted in physical space, so that a field without such a part passes unchanged.
    Tensor across =
        elementwise.binary(BinaryKind.SUB, v, along.view(along.layout().reshape(v.shape())));
    if (x != null) {
      return elementwise.addScaled(x, across, weight);
    }
    return weight == 1
        ? across
        : elementwise.binary(
            BinaryKind.MUL, across, backend.memory().fill(Shape.of(), v.type(), weight));
  }

  // The direction, which is input 1 or 2.
  @Override
  public Saved saved() {
    return Saved.inputs(1, 2);
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    int last = v.count() - 1;
    Tensor g = v.grad();
    Tensor dv = v.needs(last - 1) ? transposed(g, v.input(last)).mul(weight) : null;
    return last == 2 ? new Tensor[] {g, dv, null} : new Tensor[] {dv, null};
  }

  // v ↦ v - (F⁻¹ n n · F)' v, which is the map itself when n belongs to a real field.
  private static Tensor transposed(Tensor g, Tensor n) {
    int h = g.dim(2);
    int w = g.dim(3);
    Tensor pairs = g.reshape(g.dim(0), 2, g.dim(1) / 2, h, w);
    Tensor modes = new Rfft(2, 1.0 / (h * w), true).apply(pairs);
    Op times = new ComplexMul(true);
    Tensor along = times.apply(times.apply(modes, n).sum(true, 1), n);
    return g.sub(new Irfft(1, true, h, w).apply(along).reshape(g.shape()));
  }
}
