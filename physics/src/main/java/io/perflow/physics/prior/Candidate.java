package io.perflow.physics.prior;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A sample covariance that may become the covariance of a prior.
 *
 * @param kind the rule that determines correlated coefficients
 * @param blocks the correlated coefficients
 * @param covariances the covariances of each block, row by row
 * @param lost the variance outside the basis, for each channel
 */
record Candidate(Blocks.Kind kind, Blocks blocks, List<double[]> covariances, double[] lost) {
  private static final int TOGETHER =
      256; // coefficients of small blocks that are multiplied at once

  /**
   * Returns whether coefficients of different wave numbers may be correlated, so that there is a
   * choice.
   */
  boolean shrinks() {
    return kind != Blocks.Kind.WAVES;
  }

  /** Returns the covariances, {@linkplain Blocks#shrunk shrunk} by a. */
  List<double[]> shrunk(double a) {
    return IntStream.range(0, covariances.size())
        .mapToObj(b -> blocks.shrunk(b, covariances.get(b), a))
        .toList();
  }

  /** Returns the covariance of readings, H C Hᵀ, without noise and nugget, with C shrunk by a. */
  Tensor ofReadings(Sensing sensing, double a) {
    int k = sensing.size();
    Tensor sum = Tensor.of(new double[k * k], k, k);
    for (int first = 0; first < covariances.size(); ) {
      int end = enough(first);
      try (Scope scope = Scope.open()) {
        Tensor rows = blocks.basis().read(sensing, members(first, end));
        Tensor c = joined(first, end, a);
        sum = scope.keep(sum.add(rows.matmul(c).matmul(rows.transpose())), sum);
      }
      first = end;
    }
    return sum;
  }

  // Blocks may be thousands of single numbers. Several are taken together, which saves more passes
  // over the readings than the products with their zeros cost.
  private int enough(int first) {
    int end = first + 1;
    int size = blocks.members().get(first).length;
    while (end < covariances.size() && size + blocks.members().get(end).length <= TOGETHER) {
      size += blocks.members().get(end++).length;
    }
    return end;
  }

  private int[] members(int first, int end) {
    return blocks.members().subList(first, end).stream().flatMapToInt(Arrays::stream).toArray();
  }

  // Some blocks as one matrix, with 0 between them.
  private Tensor joined(int first, int end, double a) {
    int size = members(first, end).length;
    double[] c = new double[size * size];
    int place = 0;
    for (int b = first; b < end; b++) {
      double[] block = blocks.shrunk(b, covariances.get(b), a);
      int n = blocks.members().get(b).length;
      for (int i = 0; i < n; i++) {
        System.arraycopy(block, i * n, c, (place + i) * size + place, n);
      }
      place += n;
    }
    return Tensor.of(c, size, size);
  }
}
