package io.perflow.tensor.cpu.fft;

/**
 * Where rows of complex numbers stand: column c of row p has its real part at {@code data[re + p *
 * stride + c]} and its imaginary part at {@code data[im + p * stride + c]}.
 */
record Planes<A>(A data, int re, int im, int stride) {

  /**
   * The same numbers with real and imaginary part exchanged. A forward transform between swapped
   * planes is the inverse transform: with S(z) = i conj(z) the swap, S F S = conj(F).
   */
  Planes<A> swapped() {
    return new Planes<>(data, im, re, stride);
  }

  /** The planes from the given element on. */
  Planes<A> from(int offset) {
    return new Planes<>(data, re + offset, im + offset, stride);
  }
}
