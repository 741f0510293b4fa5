package io.perflow.tensor.op;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * The Fourier transform of real data over the last {@code axes} axes, times {@code scale}. The last
 * axis keeps the n / 2 + 1 frequencies that determine the rest; an axis (re, im) is added. With
 * {@code adjoint} it is instead the transpose of {@link Irfft}, which has the same shapes.
 */
public record Rfft(int axes, double scale, boolean adjoint) implements Op {
  @Override
  public String name() {
    return adjoint ? "irfft_adjoint" : "rfft";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape s = inputs[0].shape();
    Fft.checkAxes(name(), s, axes, 0);
    return s.with(-1, s.dim(-1) / 2 + 1).insert(s.rank(), 2);
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(
        adjoint
            ? backend.fft().irfftAdjoint(inputs[0], axes, scale)
            : backend.fft().rfft(inputs[0], axes, scale));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    int[] sizes = new int[axes];
    for (int a = 0; a < axes; a++) {
      sizes[a] = v.shape(0).dim(v.shape(0).rank() - axes + a);
    }
    return Op.only(new Irfft(scale, !adjoint, sizes).apply(v.grad()));
  }
}
