package io.perflow.tensor.cpu.gemm;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.GemmKernels;
import io.perflow.tensor.cpu.loop.Ranges;
import io.perflow.tensor.cpu.loop.Walk;
import io.perflow.tensor.cpu.memory.Doubles;
import io.perflow.tensor.cpu.memory.Fresh;
import java.util.Arrays;

/** Matrix products, and the loops over rows of doubles that they are made of. */
public class ScalarGemm implements GemmKernels {
  /** y += alpha x over n elements. */
  public static void addScaled(double alpha, double[] x, int xAt, double[] y, int yAt, int n) {
    for (int i = 0; i < n; i++) {
      y[yAt + i] += alpha * x[xAt + i];
    }
  }

  /** Sum of x(i) y(i) over n elements. */
  public static double dot(double[] x, int xAt, double[] y, int yAt, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
      sum += x[xAt + i] * y[yAt + i];
    }
    return sum;
  }

  /** y(i, j) = sum over l of a(i, l) b(l, j), l ascending, for every pair of matrices. */
  @Override
  public Tensor matmul(Tensor a, Tensor b) {
    int m = a.dim(-2);
    int k = a.dim(-1);
    int n = b.dim(-1);
    Shape aBatch = a.shape().remove(-1).remove(-1);
    Shape bBatch = b.shape().remove(-1).remove(-1);
    Shape batch = Shape.broadcast("matmul", aBatch, bBatch);
    int[] lefts = sources(aBatch, batch);
    int[] rights = sources(bBatch, batch);
    Tensor y = Fresh.like(a, batch.insert(batch.rank(), m).insert(batch.rank() + 1, n));
    try (Doubles as = Doubles.of(a); // (…, m, k)
        Doubles bs = Doubles.of(b); // (…, k, n)
        Doubles ys = Doubles.into(y)) { // (batch, m, n)
      Ranges.run(
          batch.size() * m,
          (long) k * n,
          (from, to) -> {
            for (int row = from; row < to; row++) {
              int left = (lefts[row / m] * m + row % m) * k;
              int right = rights[row / m] * k * n;
              Arrays.fill(ys.data, row * n, (row + 1) * n, 0);
              for (int l = 0; l < k; l++) {
                addScaled(as.data[left + l], bs.data, right + l * n, ys.data, row * n, n);
              }
            }
          });
    }
    return y;
  }

  /**
   * c(i, j) += scale times the sum over l of a(i, l) b(l, j), l ascending, where c shares no
   * element with a and b.
   */
  void addProduct(double scale, DoubleMatrix a, DoubleMatrix b, DoubleMatrix c) {
    Ranges.run(
        c.rows(),
        (long) a.cols() * c.cols(),
        (from, to) -> {
          for (int i = from; i < to; i++) {
            for (int l = 0; l < a.cols(); l++) {
              double weight = scale * a.data()[a.at(i, l)];
              for (int j = 0; j < c.cols(); j++) {
                c.data()[c.at(i, j)] += weight * b.data()[b.at(l, j)];
              }
            }
          }
        });
  }

  /** For each matrix of a batch, which one of a narrower batch it is broadcast from. */
  private static int[] sources(Shape narrow, Shape batch) {
    int[] sources = new int[batch.size()];
    Layout layout = Layout.contiguous(narrow).expand(batch);
    Walk walk = Walk.of(Layout.contiguous(batch), layout);
    for (int row = 0; row < walk.rows; row++) {
      for (int c = 0; c < walk.cols; c++) {
        sources[walk.start(0, row) + c * walk.step(0)] = walk.start(1, row) + c * walk.step(1);
      }
    }
    return sources;
  }
}
