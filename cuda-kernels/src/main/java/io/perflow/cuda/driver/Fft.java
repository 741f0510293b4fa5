package io.perflow.cuda.driver;

/**
 * A library of Fourier transforms. Forward transforms are plain sums with exp(-2 pi i jk / n),
 * inverse ones with exp(+2 pi i jk / n); nothing is scaled. Lines lie row-major without gaps, one
 * transform after another; complex numbers are (re, im).
 */
public interface Fft {
  /** The kinds of transforms. */
  enum Kind {
    /** From complex numbers to the same number of complex numbers. */
    COMPLEX,
    /** From real numbers to frequencies 0 … n / 2 of the last axis; always forward. */
    REAL_TO_HALF,
    /**
     * From frequencies 0 … n / 2 to real numbers; always inverse. It is defined for spectra of real
     * numbers alone, and may overwrite its input.
     */
    HALF_TO_REAL
  }

  /**
   * Prepares transforms for the context that is current. The library allocates the device memory of
   * the plan.
   *
   * @param doubles whether numbers are doubles rather than floats
   * @param sizes the sizes of one transform as real or complex numbers, at most three
   * @param count the number of transforms
   * @return a handle for {@link #transform}
   */
  long plan(Kind kind, boolean doubles, int[] sizes, int count);

  /**
   * Queues the transforms of a plan in a stream.
   *
   * @param from the address of the input, aligned to complex numbers
   * @param to the address of the output, aligned likewise and elsewhere
   * @param inverse the direction of complex transforms
   */
  void transform(long plan, long from, long to, boolean inverse, long stream);

  /** Releases what a plan holds, once its transforms have run. */
  void destroy(long plan);
}
