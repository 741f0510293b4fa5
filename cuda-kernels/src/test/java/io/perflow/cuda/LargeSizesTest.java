package io.perflow.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.perflow.autograd.Tape;
import io.perflow.fixtures.Close;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Images;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Attention;
import io.perflow.tensor.op.Conv2dBackwardWeight;
import io.perflow.tensor.op.GroupNorm;
import io.perflow.tensor.op.GroupNormSpec;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Sizes at which launches are cut up: large tiles, several parts, several passes. */
class LargeSizesTest {
  private static Tensor normal(String name, int... shape) {
    return Rng.of(11).split(name).normal(Shape.of(shape));
  }

  // The CPU in double against the emulated device in a type.
  private static void agree(
      String what, DataType type, Function<Tensor[], Tensor> op, Tensor... inputs) {
    try (Scope _ = Scope.open()) {
      Tensor[] exact = map(inputs, x -> x.to(DataType.F64));
      Tensor[] there = map(inputs, x -> x.to(type).to(Emulated.device()));
      Close.assertClose(
          what + " in " + type, op.apply(exact), op.apply(there), Close.tolerance(type));
    }
  }

  private static Tensor[] map(Tensor[] inputs, Function<Tensor, Tensor> change) {
    return Arrays.stream(inputs).map(change).toArray(Tensor[]::new);
  }

  private static Tensor transposed(Tensor x) {
    return x.device().backend().memory().copy(x, Layout.ordered(x.shape(), 0, 2, 1));
  }

  @Test
  void productsInLargeTiles() {
    Tensor a = normal("a", 128, 100, 12);
    Tensor b = normal("b", 128, 12, 68);
    DataType f32 = DataType.F32;
    agree("k n", f32, t -> t[0].matmul(t[1]), a, b);
    agree("m n", f32, t -> transposed(t[0]).matmul(t[1]), a, b);
    agree("k k", f32, t -> t[0].matmul(transposed(t[1])), a, b);
    agree("m k", f32, t -> transposed(t[0]).matmul(transposed(t[1])), a, b);
  }

  @Test
  void convolutionsInLargeTiles() {
    Tensor w = normal("w", 68, 4, 1, 1);
    Conv2dSpec plain = Conv2dSpec.of(1, 0);
    DataType f32 = DataType.F32;
    agree("conv", f32, t -> Images.conv2d(t[0], t[1], null, plain), normal("x", 1, 4, 128, 127), w);
    Tensor odd = normal("o", 68, 3, 1, 1);
    agree(
        "conv of 3 channels",
        f32,
        t -> Images.conv2d(t[0], t[1], null, plain),
        normal("x", 1, 3, 128, 127),
        odd);
    Shape weight = Shape.of(128, 1824, 3, 3);
    agree(
        "weight gradient",
        f32,
        new Conv2dBackwardWeight(plain, weight)::apply,
        normal("x", 1, 1824, 3, 3),
        normal("dy", 1, 128, 1, 1));
  }

  @Test
  void weightGradientsInSeveralSplits() {
    Conv2dSpec same = Conv2dSpec.of(1, 1);
    agree(
        "weight gradient",
        DataType.F32,
        new Conv2dBackwardWeight(same, Shape.of(5, 4, 3, 3))::apply,
        normal("x", 2, 4, 24, 25),
        normal("dy", 2, 5, 24, 25));
  }

  @Test
  void reductionsInSeveralParts() {
    for (DataType type : DataType.values()) {
      Tensor x = normal("x", 3, 2500).add(1);
      agree("sum of rows", type, t -> t[0].sum(1), x);
      agree("sum of columns", type, t -> t[0].sum(0), normal("x", 700, 5).add(1));
      agree("max", type, t -> t[0].max(false, 1), x);
      agree("argmax of rows", type, t -> t[0].argmax(1), x);
      agree("argmax of columns", type, t -> t[0].argmax(0), normal("x", 700, 5));
    }
  }

  @Test
  void normsInSeveralParts() {
    GroupNormSpec spec = new GroupNormSpec(1, 1e-5, true, true, true);
    for (boolean channelsLast : new boolean[] {false, true}) {
      agree(
          "norm",
          DataType.F32,
          t -> {
            Tensor x = t[0];
            if (channelsLast) {
              x = x.device().backend().memory().copy(x, Layout.channelsLast(x.shape()));
            }
            try (Tape tape = Tape.watching(x, t[1])) {
              Tensor y = new GroupNorm(spec).apply(x, t[1], t[2], t[3], t[4]);
              var g = tape.gradients(y, t[0]);
              Tensor sums = y.sum(0, 2, 3).add(g.of(t[1]).mul(0.01));
              return Tensor.concat(0, y.reshape(y.size()), g.of(x).reshape(y.size()), sums);
            }
          },
          normal("x", 1, 3, 96, 90).add(2),
          normal("w", 3),
          normal("b", 3),
          normal("s", 1, 3),
          normal("t", 1, 3));
    }
  }

  @Test
  void transformsLongerThanSharedMemory() {
    for (DataType type : DataType.values()) {
      for (int n : new int[] {2048, 4096, 8192, 1100}) {
        Tensor x = normal("x", 2, n);
        agree("rfft of " + n, type, t -> Fourier.rfft(t[0], 1), x);
        agree("dct2 of " + n, type, t -> Fourier.dct2(t[0], 1), x);
      }
      agree("fft", type, t -> Fourier.fft(t[0], 2), normal("z", 1500, 2, 2));
    }
  }

  @Test
  void wideHeads() {
    agree(
        "attention",
        DataType.F32,
        t -> Attention.of(t[0], t[1], t[2]),
        normal("q", 1, 2, 20, 80),
        normal("k", 1, 2, 30, 80),
        normal("v", 1, 2, 30, 70));
  }

  @Test
  void moreAxesThanKernelsKnow() {
    int[] twos = IntStream.generate(() -> 2).limit(11).toArray();
    int[] reverse = IntStream.range(0, 11).map(i -> 10 - i).toArray();
    Tensor x = normal("x", twos);
    Tensor y = normal("y", twos);
    agree("add", DataType.F32, t -> t[0].add(t[1].permute(reverse)), x, y);
    agree("sum", DataType.F32, t -> t[0].add(t[1].permute(reverse)).sum(0, 3, 9), x, y);
    agree("gather", DataType.F32, t -> t[0].permute(reverse).gather(4, 1, 1, 0), x);
    agree("cumsum", DataType.F32, t -> t[0].permute(reverse).cumsum(2), x);
    Tensor there = x.to(Emulated.device()).permute(reverse).contiguous();
    assertArrayEquals(x.permute(reverse).toFloats(), there.toFloats());
  }

  @Test
  void manyHeads() {
    // more heads than a grid's second axis has blocks
    Tensor q = normal("q", 70000, 1, 1, 2);
    try (Scope _ = Scope.open()) {
      Tensor there = q.to(Emulated.device());
      // one key: the result is its value
      assertArrayEquals(q.toFloats(), Attention.of(there, there, there).toFloats(), 1e-6f);
    }
  }

  @Test
  void deviceIsTheOneAskedFor() {
    Tensor x = normal("x", 4).to(Emulated.device());
    Close.assertClose("copy", normal("x", 4), x.to(Device.cpu()), 0);
  }
}
