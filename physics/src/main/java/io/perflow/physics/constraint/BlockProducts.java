package io.perflow.physics.constraint;

import io.perflow.tensor.Tensor;
import java.util.Arrays;

/**
 * A solver of many small systems by products with their inverses, for devices on which the host
 * would have to wait for right-hand sides: the inverses are copied to the device once, and nothing
 * is read back.
 *
 * <p>Blocks are padded with zeros to the size of the largest one; the multipliers of the padding
 * are 0.
 */
final class BlockProducts {
  private final int[] places; // the place of each block in the rows of all samples it belongs to
  private final Constant inverses; // [blocks, size, size], transposed
  private final int samples; // samples with their own blocks; 1 when all are alike
  private final int blocks;
  private final int size;

  /**
   * Creates products for blocks of several samples, sample after sample.
   *
   * @param samples the number of samples with their own blocks, or 1 if all have the same
   * @param places the places of each block's rows among those of all these samples
   * @param solvers the solver of each block; null for a block without rows
   */
  BlockProducts(int samples, int[][] places, DenseSolver[] solvers) {
    this.samples = samples;
    this.blocks = places.length;
    this.size = Math.max(1, Arrays.stream(places).mapToInt(at -> at.length).max().orElse(1));
    this.places = new int[blocks * size];
    double[] padded = new double[blocks * size * size];
    for (int b = 0; b < blocks; b++) {
      int n = places[b].length;
      System.arraycopy(places[b], 0, this.places, b * size, n);
      double[] matrix = n == 0 ? new double[0] : solvers[b].matrix();
      for (int i = 0; i < n * n; i++) {
        padded[(b * size + i % n) * size + i / n] = matrix[i];
      }
    }
    this.inverses = Constant.of(Tensor.of(padded, blocks, size, size));
  }

  /** Returns how many numbers the filled up blocks take. */
  static long numbers(int[][] places) {
    long size = Arrays.stream(places).mapToInt(at -> at.length).max().orElse(0);
    return places.length * size * size;
  }

  /** Returns the multipliers for misfits [batch, rows], 0 outside the blocks. */
  Tensor of(Tensor r) {
    int groups = r.dim(0) / samples;
    int rows = r.size() / Math.max(1, groups);
    Tensor flat = r.reshape(groups, rows).gather(1, places);
    Tensor solved = flat.reshape(groups, blocks, 1, size).matmul(inverses.like(r));
    Tensor all = solved.reshape(groups, blocks * size).scatterAdd(1, rows, places);
    return all.reshape(r.shape());
  }
}
