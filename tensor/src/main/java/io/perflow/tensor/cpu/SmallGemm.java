package io.perflow.tensor.cpu;

/** Matrix products too small for packing. */
final class SmallGemm {
  private SmallGemm() {}

  static boolean suits(Matrix a, Matrix b) {
    return false;
  }

  static void multiply(
      Matrix a, Matrix b, float[] bias, int biasOffset, boolean accumulate, Matrix c) {}
}
