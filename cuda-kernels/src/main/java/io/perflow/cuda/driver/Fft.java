package io.perflow.cuda.driver;

/**
 * Fourier transforms by a library. Forward ones are plain sums with exp(-2 pi i jk / n), inverse
 * ones with exp(+2 pi i jk / n); nothing is scaled. Lines lie row-major without gaps, one transform
 * after another; complex numbers are (re, im).
 */
public interface Fft {
  /** Kinds of transforms. */
  enum Kind {
    /** Complex numbers to the same number of complex numbers. */
    COMPLEX,
    /** Real numbers to frequencies 0 … n / 2 of the last axis; always forward. */
    REAL_TO_HALF,
    /**
     * Frequencies 0 … n / 2 to real numbers, always inverse. Defined for spectra of real numbers
     * alone; what is read may be overwritten.
     */
    HALF_TO_REAL
  }

  /**
   * Prepares transforms for the context that is current. The library allocates the device memory of
   * the plan.
   *
   * @param doubles whether numbers are doubles rather than floats
   * @param sizes of one transform as real or complex numbers, at most three
   * @param count of transforms
   * @return a handle for {@link #transform}
   */
  long plan(Kind kind, boolean doubles, int[] sizes, int count);

  /**
   * Queues the transforms of a plan in a stream.
   *
   * @param from address of what is read, aligned to complex numbers
   * @param to address of what is written, aligned likewise and elsewhere
   * @param inverse the direction of complex ones
   */
  void transform(long plan, long from, long to, boolean inverse, long stream);

  /** Gives back what a plan holds, once its transforms have run. */
  void destroy(long plan);
}
