package io.perflow.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.perflow.fixtures.Arrangement;
import io.perflow.tensor.op.Linear;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Matrix products in double precision against a plain loop. */
class DoubleProductTest {
  private static Tensor normal(long seed, int... shape) {
    return Rng.of(seed).normal(Device.cpu(), Shape.of(shape), DataType.F64);
  }

  /** Compares c = a b for matrices, with a tolerance that grows with the length of the sums. */
  private static void check(Tensor a, Tensor b, Tensor c) {
    assertEquals(Shape.of(a.dim(0), b.dim(1)), c.shape());
    int k = a.dim(1);
    int n = b.dim(1);
    double[] left = a.toDoubles();
    double[] right = b.toDoubles();
    double[] actual = c.toDoubles();
    for (int i = 0; i < actual.length; i++) {
      double sum = 0;
      double size = 0; // sum of the absolute values, which bounds the rounding error
      for (int l = 0; l < k; l++) {
        double term = left[i / n * k + l] * right[l * n + i % n];
        sum += term;
        size += Math.abs(term);
      }
      int at = i;
      assertEquals(
          sum,
          actual[i],
          1e-16 * (k + 4) * size,
          () -> "%s times %s, element %d".formatted(a.shape(), b.shape(), at));
    }
  }

  private static void check(Tensor a, Tensor b) {
    check(a, b, a.matmul(b));
  }

  @Property(tries = 300)
  void sizesAndArrangements(
      @ForAll @IntRange(min = 0, max = 70) int m,
      @ForAll @IntRange(min = 0, max = 70) int k,
      @ForAll @IntRange(min = 0, max = 70) int n,
      @ForAll Arrangement left,
      @ForAll Arrangement right,
      @ForAll long seed) {
    check(left.of(normal(seed, m, k)), right.of(normal(seed + 1, k, n)));
  }

  @Test
  void sizesAroundLanesBlocksAndParts() {
    int[] sizes = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33};
    for (int m : sizes) {
      for (int n : sizes) {
        check(normal(1, m, 40), normal(2, 40, n));
      }
    }
    for (int k : new int[] {511, 512, 513, 1025, 1700}) { // depths of one part and of several
      check(normal(1, 23, k), normal(2, k, 37));
      check(normal(1, k, 23).transpose(), normal(2, 37, k).transpose());
    }
    check(normal(1, 250, 300), normal(2, 300, 130)); // several tasks
    check(normal(1, 700, 300), normal(2, 300, 1)); // a column
    check(normal(1, 3, 300), normal(2, 300, 700)); // few rows
    check(normal(1, 40, 256), normal(2, 256, 256)); // rows that share their place in a cache
  }

  @Test
  void batchesAreProductsOfTheirMatrices() {
    for (int size : new int[] {6, 20, 90}) {
      Tensor a = normal(1, 2, 3, size, 17);
      Tensor b = normal(2, 3, 17, size);
      Tensor both = a.matmul(b);
      Tensor shared = a.matmul(b.select(0, 1));
      Tensor turned = a.permute(1, 0, 2, 3).matmul(b.select(0, 1)); // its rows cannot be joined
      for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 3; j++) {
          Tensor left = a.select(0, i).select(0, j);
          check(left, b.select(0, j), both.select(0, i).select(0, j));
          check(left, b.select(0, 1), shared.select(0, i).select(0, j));
          check(left, b.select(0, 1), turned.select(0, j).select(0, i));
        }
      }
    }
  }

  @Test
  void linearAddsTheBias() {
    Tensor x = normal(1, 2, 29, 33);
    Tensor weight = normal(2, 47, 33);
    Tensor bias = normal(3, 47);
    Tensor y = new Linear().apply(x, weight, bias).sub(bias);
    for (int i = 0; i < 2; i++) {
      Tensor plain = x.select(0, i).matmul(weight.transpose());
      check(x.select(0, i), weight.transpose(), plain);
      double error = plain.sub(y.select(0, i)).abs().max(false, 0, 1).item();
      assertEquals(0, error, 1e-13);
    }
  }
}
