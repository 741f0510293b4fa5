package io.perflow.autograd;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** F64 tensors with fixed random numbers, and the same tensors in other layouts. */
final class Samples {
  private Samples() {}

  /** Between low and high. */
  static Tensor between(long seed, double low, double high, int... shape) {
    int size = Shape.of(shape).size();
    return Tensor.of(new SplittableRandom(seed).doubles(size, low, high).toArray(), shape);
  }

  /** Between -1 and 1. */
  static Tensor of(long seed, int... shape) {
    return between(seed, -1, 1, shape);
  }

  /**
   * Of either sign, of sizes 0.2, 0.3, 0.4 … in random order: no two are equal and none is near 0
   * or, up to ten numbers, near another integer.
   */
  static Tensor distinct(long seed, int... shape) {
    SplittableRandom random = new SplittableRandom(seed);
    int size = Shape.of(shape).size();
    double[] data = new double[size];
    for (int i = 0; i < size; i++) {
      data[i] = (0.2 + 0.1 * i) * (random.nextBoolean() ? 1 : -1) + 0.03;
    }
    for (int i = size - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      double swap = data[i];
      data[i] = data[j];
      data[j] = swap;
    }
    return Tensor.of(data, shape);
  }

  /** The same numbers at every second place of larger memory, axes in reverse order. */
  static Tensor strided(Tensor x) {
    int rank = x.rank();
    int[] reverse = IntStream.range(0, rank).map(i -> rank - 1 - i).toArray();
    Tensor view = rank < 2 ? x : x.permute(reverse).contiguous();
    for (int a = 0; a < rank; a++) {
      int n = view.dim(a);
      Tensor apart = view.unsqueeze(a + 1).pad(a + 1, 1, 1); // (…, n, 3, …)
      int[] merged = view.shape().toArray();
      merged[a] = 3 * n;
      view = apart.reshape(Shape.of(merged));
    }
    for (int a = 0; a < rank; a++) {
      view = view.slice(a, 1, view.dim(a) / 3, 3);
    }
    return rank < 2 ? view : view.permute(reverse);
  }

  /** The same numbers with every axis backwards in memory. */
  static Tensor backwards(Tensor x) {
    Tensor view = x;
    for (int a = 0; a < x.rank(); a++) {
      view = view.flip(a);
    }
    view = view.contiguous();
    for (int a = 0; a < x.rank(); a++) {
      view = view.flip(a);
    }
    return view;
  }

  /** Sum of the products of all elements. */
  static double dot(Tensor a, Tensor b) {
    double[] x = a.toDoubles();
    double[] y = b.toDoubles();
    return IntStream.range(0, x.length).mapToDouble(i -> x[i] * y[i]).sum();
  }

  /** Largest difference, relative to the largest expected number. */
  static double relativeError(Tensor actual, Tensor expected) {
    double[] a = actual.toDoubles();
    double[] e = expected.toDoubles();
    double scale = Arrays.stream(e).map(Math::abs).max().orElse(0);
    double error = 0;
    for (int i = 0; i < e.length; i++) {
      error = Math.max(error, Math.abs(a[i] - e[i]));
      error = Double.isNaN(a[i]) ? Double.POSITIVE_INFINITY : error;
    }
    return error == 0 ? 0 : error / Math.max(scale, 1e-30);
  }
}
