package io.perflow.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.perflow.tensor.op.Attention;
import io.perflow.tensor.op.Conv2dBackwardInput;
import io.perflow.tensor.op.Conv2dBackwardWeight;
import io.perflow.tensor.op.GroupNorm;
import io.perflow.tensor.op.GroupNormSpec;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Results have the same bits for every number of threads. */
@Isolated // it changes the number of threads of the process
class ThreadIndependenceTest {
  private final int before = Settings.threads();

  @AfterEach
  void restore() {
    Settings.threads(before);
  }

  private static Tensor identity(int n) {
    double[] ones = new double[n * n];
    for (int i = 0; i < n; i++) {
      ones[i * n + i] = 1;
    }
    return Tensor.of(ones, n, n);
  }

  private static Map<String, Supplier<Tensor>> cases() {
    Rng rng = Rng.of(5);
    Tensor x = rng.normal(Shape.of(2, 24, 50, 46));
    Tensor w = rng.normal(Shape.of(40, 24, 3, 3));
    Tensor g = rng.normal(Shape.of(2, 40, 50, 46));
    Tensor vector = rng.normal(Shape.of(24));
    Tensor q = rng.normal(Shape.of(1, 3, 300, 20));
    Conv2dSpec same = Conv2dSpec.of(1, 1);
    Map<String, Supplier<Tensor>> cases = new LinkedHashMap<>();
    cases.put("normal", () -> Rng.of(9).normal(Shape.of(100_001)));
    cases.put("silu", x::silu);
    cases.put("sum", x::sum);
    cases.put("sum of columns", () -> x.sum(0, 2, 3));
    cases.put("matmul", () -> x.matmul(x.transpose()));
    Tensor doubles = x.to(DataType.F64).reshape(1200, 92);
    cases.put("matmul in F64", () -> doubles.matmul(doubles.transpose()));
    cases.put("long matmul in F64", () -> doubles.transpose().matmul(doubles));
    Tensor square = doubles.matmul(doubles.transpose()).slice(0, 0, 300).slice(1, 0, 300);
    Cholesky cholesky = Cholesky.of(square.add(identity(300)));
    cases.put("cholesky", () -> Cholesky.of(square.add(identity(300))).factor());
    cases.put("cholesky solve", () -> cholesky.solve(square));
    cases.put("softmax", x::softmax);
    cases.put("attention", () -> Attention.of(q, q, q));
    cases.put("conv", () -> Images.conv2d(x, w, null, same));
    cases.put("conv stride 2", () -> Images.conv2d(x, w, null, Conv2dSpec.of(2, 1)));
    cases.put("conv input", () -> new Conv2dBackwardInput(same, x.shape()).apply(g, w));
    cases.put("conv weight", () -> new Conv2dBackwardWeight(same, w.shape()).apply(x, g));
    Conv2dSpec twice = same.upsampling(2);
    Tensor large = rng.normal(Shape.of(2, 40, 100, 92));
    cases.put("conv of repeated pixels", () -> Images.conv2d(x, w, null, twice));
    cases.put("its input", () -> new Conv2dBackwardInput(twice, x.shape()).apply(large, w));
    cases.put("its weight", () -> new Conv2dBackwardWeight(twice, w.shape()).apply(x, large));
    Tensor narrow = w.slice(0, 0, 3);
    cases.put("conv to few channels", () -> Images.conv2d(x, narrow, null, same));
    cases.put(
        "group norm",
        () ->
            new GroupNorm(new GroupNormSpec(4, 1e-5, true, false, true)).apply(x, vector, vector));
    cases.put("fft", () -> Fourier.rfft(x, 2));
    cases.put("dct", () -> Fourier.dct2(x, 1));
    return cases;
  }

  @Test
  void bitsDoNotDependOnThreads() {
    cases()
        .forEach(
            (name, op) -> {
              Settings.threads(1);
              double[] alone = op.get().toDoubles();
              for (int threads : new int[] {2, 3, 5}) {
                Settings.threads(threads);
                assertArrayEquals(
                    alone, op.get().toDoubles(), name + " on " + threads + " threads");
              }
            });
  }
}
