package io.perflow.tensor.op;

/**
 * Cosine and sine transforms of n numbers, unnormalised (SciPy's {@code norm=None}), and the
 * adjoints of those that are not symmetric.
 */
public enum TrigKind {
  /** y(k) = 2 sum x(j) cos(pi k (2j + 1) / 2n). */
  DCT2,
  /** y(k) = x(0) + 2 sum over j &gt; 0 of x(j) cos(pi j (2k + 1) / 2n). */
  DCT3,
  /** Transpose of {@link #DCT2}. */
  DCT2_ADJOINT,
  /** The transpose of {@link #DCT3}. */
  DCT3_ADJOINT,
  /** y(k) = 2 sum x(j) sin(pi (j + 1)(k + 1) / (n + 1)); its own transpose. */
  DST1;

  /** Returns the transform whose matrix is the transpose of this one's. */
  public TrigKind adjoint() {
    return switch (this) {
      case DCT2 -> DCT2_ADJOINT;
      case DCT3 -> DCT3_ADJOINT;
      case DCT2_ADJOINT -> DCT2;
      case DCT3_ADJOINT -> DCT3;
      case DST1 -> DST1;
    };
  }
}
