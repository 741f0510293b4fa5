package io.perflow.autograd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.perflow.fixtures.Samples;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Images;
import io.perflow.tensor.Norms;
import io.perflow.tensor.Padding;
import io.perflow.tensor.Pool2dSpec;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Attention;
import io.perflow.tensor.op.GroupNorm;
import io.perflow.tensor.op.GroupNormSpec;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Derivatives of gradients by nested tapes. */
class SecondDerivativeTest {
  private static final Tensor W = Samples.of(1, 3, 4);
  private static final Tensor FILTER = Samples.of(2, 4, 2, 3, 3);
  private static final Tensor KEYS = Samples.of(3, 1, 2, 4, 3);
  private static final Tensor VALUES = Samples.of(4, 1, 2, 4, 2);
  private static final Tensor SCALE = Samples.of(5, 1, 4);

  private record Problem(Function<Tensor, Tensor> function, Tensor x) {}

  private static Map<String, Problem> problems() {
    Map<String, Problem> all = new LinkedHashMap<>();
    Tensor row = Samples.of(6, 2, 3);
    all.put("matmul, silu", new Problem(x -> x.matmul(W).silu(), row));
    all.put("product of itself", new Problem(x -> x.matmul(x.transpose()), row));
    all.put("softmax", new Problem(x -> x.matmul(W).softmax(), row));
    all.put("gelu, tanh", new Problem(x -> x.gelu().mul(x.tanh()), row));
    all.put("exp, log, sqrt", new Problem(x -> x.exp().add(1).log().sqrt(), row));
    all.put("quotient", new Problem(x -> x.div(x.square().add(1)), row));
    all.put("power", new Problem(x -> x.square().add(0.5).pow(1.7), row));
    all.put("maximum", new Problem(x -> x.square().max(false, 1), row));
    all.put("layer norm", new Problem(x -> Norms.layerNorm(x.square(), null, null, 1e-3), row));
    images(all);
    all.put(
        "attention",
        new Problem(q -> Attention.of(q, KEYS, VALUES).square(), Samples.of(7, 1, 2, 3, 3)));
    all.put("self attention", new Problem(q -> Attention.of(q, q, q), Samples.of(8, 1, 2, 3, 2)));
    all.put(
        "spectral filter",
        new Problem(
            x -> Fourier.irfft(Fourier.rfft(x, 2).square(), 4, 6).square(), Samples.of(9, 4, 6)));
    all.put(
        "complex product",
        new Problem(
            x -> Fourier.complexMul(Fourier.fft(x, 1), Fourier.fft(x.square(), 1)),
            Samples.of(10, 3, 2)));
    all.put("cosine transform", new Problem(x -> Fourier.dct2(x, 1).square(), row));
    return all;
  }

  private static void images(Map<String, Problem> all) {
    Tensor image = Samples.of(11, 1, 2, 4, 4);
    Conv2dSpec same = Conv2dSpec.of(1, 1).padding(Padding.CIRCULAR, Padding.ZEROS);
    all.put("conv2d", new Problem(x -> Images.conv2d(x, FILTER, null, same).silu(), image));
    all.put(
        "conv2d with itself as the filter",
        new Problem(x -> Images.conv2d(x, x, null, Conv2dSpec.of(1, 1)), image));
    all.put(
        "transposed conv2d",
        new Problem(
            x ->
                Images.convTranspose2d(
                    x.square(), FILTER.slice(0, 0, 2), null, Conv2dSpec.of(2, 1)),
            image));
    all.put("average pool", new Problem(x -> Images.avgPool2d(x, Pool2dSpec.of(2)).exp(), image));
    all.put("max pool", new Problem(x -> Images.maxPool2d(x, Pool2dSpec.of(2)).exp(), image));
    all.put("upsample", new Problem(x -> Images.upsampleNearest(x, 2).exp(), image));
    Tensor channels = Samples.of(12, 1, 4, 2, 2);
    Tensor weight = Samples.between(13, 0.5, 1.5, 4);
    Tensor bias = Samples.of(14, 4);
    all.put("group norm", new Problem(x -> Norms.groupNorm(x, 2, weight, bias, 1e-3), channels));
    all.put(
        "group norm, modulation, silu",
        new Problem(
            x ->
                new GroupNorm(new GroupNormSpec(2, 1e-3, true, true, true))
                    .apply(x, weight, bias, SCALE, SCALE.square()),
            channels));
    all.put(
        "group norm by its modulation",
        new Problem(
            s ->
                new GroupNorm(new GroupNormSpec(2, 1e-3, false, true, true))
                    .apply(channels, s, s.square()),
            SCALE));
  }

  private static Tensor slope(Problem problem, Tensor x) {
    try (Tape tape = Tape.watching(x)) {
      Tensor y = problem.function().apply(x);
      Tensor weights = Samples.of(20, y.shape().toArray());
      return tape.gradients(y, weights).of(x);
    }
  }

  @TestFactory
  Stream<DynamicTest> gradientsOfGradientsAgreeWithDifferences() {
    return problems().entrySet().stream()
        .map(
            e ->
                dynamicTest(
                    e.getKey(),
                    () -> GradCheck.require(in -> slope(e.getValue(), in[0]), e.getValue().x())));
  }

  @TestFactory
  Stream<DynamicTest> hessiansAreSymmetric() {
    return problems().entrySet().stream()
        .map(e -> dynamicTest(e.getKey(), () -> requireSymmetric(e.getValue())));
  }

  private static void requireSymmetric(Problem problem) {
    Tensor u = Samples.of(21, problem.x().shape().toArray());
    Tensor v = Samples.of(22, problem.x().shape().toArray());
    double left = Samples.dot(u, hessianTimes(problem, v));
    double right = Samples.dot(v, hessianTimes(problem, u));
    assertEquals(left, right, 1e-10 * Math.max(1, Math.abs(left)));
  }

  private static Tensor hessianTimes(Problem problem, Tensor v) {
    Tensor x = problem.x();
    try (Tape outer = Tape.watching(x)) {
      return outer.gradients(slope(problem, x), v).of(x);
    }
  }

  @Test
  void thirdDerivativesOfAPolynomial() {
    Tensor x = Tensor.of(new double[] {2}, 1);
    try (Tape third = Tape.watching(x)) {
      Tensor second;
      try (Tape middle = Tape.watching(x)) {
        Tensor first;
        try (Tape inner = Tape.watching(x)) {
          first = inner.gradients(x.square().square()).of(x); // x^4
        }
        assertArrayEquals(new double[] {32}, first.toDoubles());
        second = middle.gradients(first).of(x);
        assertArrayEquals(new double[] {48}, second.toDoubles());
      }
      assertArrayEquals(new double[] {48}, third.gradients(second).of(x).toDoubles());
    }
  }

  @Test
  void innerGradientsWithRespectToOtherLeavesAreFollowed() {
    // the gradient penalty of guided sampling: d/dw of |df/dx|^2 with f = w x^2
    Tensor x = Tensor.of(new double[] {3}, 1);
    Tensor w = Tensor.of(new double[] {5}, 1);
    try (Tape outer = Tape.watching(w)) {
      Tensor slope;
      try (Tape inner = Tape.watching(x)) {
        slope = inner.gradients(w.mul(x.square())).of(x);
      }
      assertArrayEquals(new double[] {360}, outer.gradients(slope.square()).of(w).toDoubles());
    }
  }

  @Test
  void worksInsideScopes() {
    Problem problem = problems().get("group norm");
    Tensor v = Samples.of(23, problem.x().shape().toArray());
    Tensor expected = hessianTimes(problem, v);
    Tensor actual;
    try (Scope outside = Scope.open()) {
      try (Tape outer = Tape.watching(problem.x())) {
        Tensor slope;
        try (Scope scope = Scope.open()) {
          slope = scope.keep(slope(problem, problem.x()));
        }
        actual = outside.keep(outer.gradients(slope, v).of(problem.x()));
      }
    }
    assertTrue(Samples.relativeError(actual, expected) == 0);
  }
}
