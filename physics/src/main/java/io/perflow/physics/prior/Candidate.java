package io.perflow.physics.prior;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A sample covariance that may become that of a prior.
 *
 * @param kind what decides which coefficients are correlated
 * @param blocks which coefficients are
 * @param covariances of each block, row by row
 * @param lost variance outside the basis, for each channel
 */
record Candidate(Blocks.Kind kind, Blocks blocks, List<double[]> covariances, double[] lost) {

  /**
   * Whether coefficients of different wave numbers may be correlated, so that there is a choice.
   */
  boolean shrinks() {
    return kind != Blocks.Kind.WAVES;
  }

  /** The covariances, {@linkplain Blocks#shrunk shrunk} by a. */
  List<double[]> shrunk(double a) {
    return IntStream.range(0, covariances.size())
        .mapToObj(b -> blocks.shrunk(b, covariances.get(b), a))
        .toList();
  }

  /** The covariance of readings, H C Hᵀ, without noise and nugget, with C shrunk by a. */
  Tensor ofReadings(Sensing sensing, double a) {
    int k = sensing.size();
    Tensor sum = Tensor.of(new double[k * k], k, k);
    for (int b = 0; b < covariances.size(); b++) {
      int[] block = blocks.members().get(b);
      try (Scope scope = Scope.open()) {
        Tensor rows = blocks.basis().read(sensing, block);
        double[] shrunk = blocks.shrunk(b, covariances.get(b), a);
        Tensor c = Tensor.of(shrunk, block.length, block.length);
        sum = scope.keep(sum.add(rows.matmul(c).matmul(rows.transpose())), sum);
      }
    }
    return sum;
  }
}
