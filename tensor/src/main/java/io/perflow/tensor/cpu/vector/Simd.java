package io.perflow.tensor.cpu.vector;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * The vector width of this process: what the machine prefers, or what {@code -Dperflow.vectorBits}
 * forces (128, 256 or 512). Constants, so that the compiler folds them into every loop.
 */
public final class Simd {
  public static final VectorSpecies<Float> F = floatSpecies();
  public static final VectorSpecies<Double> D = VectorSpecies.of(double.class, F.vectorShape());

  /**
   * The class of the vectors of {@link #F}. {@code V.cast(v).intoArray(…)} tells the compiler what
   * it cannot see of a vector that a loop carries. Without the cast it relies on the profile of the
   * method, and where transpositions have stored narrower vectors it may compile for both widths:
   * the species is then not constant, the store remains a call, and all vectors that lead to it
   * become objects.
   */
  public static final Class<? extends FloatVector> V = F.vectorType().asSubclass(FloatVector.class);

  /** The class of the vectors of {@link #D}, for the same use as {@link #V}. */
  public static final Class<? extends DoubleVector> VD =
      D.vectorType().asSubclass(DoubleVector.class);

  /** The number of floats in a vector. */
  public static final int W = F.length();

  /** The number of doubles in a vector. */
  public static final int WD = D.length();

  private Simd() {}

  private static VectorSpecies<Float> floatSpecies() {
    Integer bits = Integer.getInteger("perflow.vectorBits");
    return bits == null
        ? FloatVector.SPECIES_PREFERRED
        : VectorSpecies.of(float.class, VectorShape.forBitSize(bits));
  }
}
