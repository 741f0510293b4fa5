package io.perflow.tensor;

import io.perflow.tensor.cpu.loop.Parallel;

/**
 * The settings of this process for the CPU; they change how results are computed, not what is
 * computed.
 */
public final class Settings {
  private static volatile boolean exactConvolution = Boolean.getBoolean("perflow.exactConvolution");

  private Settings() {}

  /** Returns the number of threads a kernel may use. */
  public static int threads() {
    return Parallel.threads();
  }

  /**
   * Sets the number of threads; {@code -Dperflow.threads} sets it at the start, and the default is
   * the number of cores. Results have the same bits for any number of threads.
   */
  public static void threads(int count) {
    Parallel.threads(count);
  }

  /** Returns whether 3x3 convolutions avoid Winograd's algorithm. */
  public static boolean exactConvolution() {
    return exactConvolution;
  }

  /**
   * Chooses direct convolution (relative error about 1e-6) over Winograd F(4x4, 3x3) (about 1e-5,
   * two to three times as fast); {@code -Dperflow.exactConvolution=true} does so at the start.
   */
  public static void exactConvolution(boolean exact) {
    exactConvolution = exact;
  }
}
