package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * The transform of the half spectrum of {@link Rfft} to real data of the given sizes, times {@code
 * scale} (the inverse for 1 / product of sizes). A spectrum that is not Hermitian is read as NumPy
 * reads it: after the complex inverse over the leading axes, the imaginary parts of the first
 * frequency and, for even sizes, of the last one are ignored. With {@code adjoint} it is instead
 * the transpose of {@link Rfft}.
 */
public record Irfft(double scale, boolean adjoint, int... sizes) implements Op {
  @Override
  public String name() {
    return adjoint ? "rfft_adjoint" : "irfft";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Fft.checkComplex(name(), inputs[0]);
    Shape s = inputs[0].shape();
    Fft.checkAxes(name(), s, sizes.length, 1);
    Shape out = s.remove(-1);
    for (int a = 0; a < sizes.length; a++) {
      int axis = out.rank() - sizes.length + a;
      int expected = a == sizes.length - 1 ? sizes[a] / 2 + 1 : sizes[a];
      Check.that(
          sizes[a] > 0 && out.dim(axis) == expected,
          name(),
          "axis %d of spectrum %s has %d frequencies, size %d needs %d",
          axis,
          s,
          out.dim(axis),
          sizes[a],
          expected);
    }
    return out.with(-1, sizes[sizes.length - 1]);
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(
        adjoint
            ? backend.fft().rfftAdjoint(inputs[0], sizes, scale)
            : backend.fft().irfft(inputs[0], sizes, scale));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(new Rfft(sizes.length, scale, !adjoint).apply(v.grad()));
  }
}
