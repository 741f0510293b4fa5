package io.perflow.autograd;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.perflow.fixtures.OpCase;
import io.perflow.fixtures.OpCases;
import io.perflow.fixtures.Samples;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Padding;
import io.perflow.tensor.Pool2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Attention;
import io.perflow.tensor.op.AvgPool2d;
import io.perflow.tensor.op.Conv2d;
import io.perflow.tensor.op.Conv2dBackwardInput;
import io.perflow.tensor.op.Conv2dBackwardWeight;
import io.perflow.tensor.op.Fft;
import io.perflow.tensor.op.GroupNorm;
import io.perflow.tensor.op.GroupNormSpec;
import io.perflow.tensor.op.Irfft;
import io.perflow.tensor.op.MatMul;
import io.perflow.tensor.op.Rfft;
import io.perflow.tensor.op.Softmax;
import io.perflow.tensor.op.UpsampleNearest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Gradients in F32 on the fast backend against F64 on the scalar one. */
class SinglePrecisionTest {
  private static final double TOLERANCE = 2e-5; // of the largest number; Winograd costs a digit

  private static List<OpCase> cases() {
    List<OpCase> cases = new ArrayList<>(OpCases.all());
    cases.removeIf(c -> c.op().name().equals("cast"));
    cases.addAll(networkSizes());
    return cases;
  }

  // Sizes that reach the vector and blocked paths of the kernels, with odd ends.
  private static List<OpCase> networkSizes() {
    Tensor image = Samples.of(1, 2, 16, 19, 21);
    Tensor filter = Samples.of(2, 24, 16, 3, 3);
    Tensor out = Samples.of(3, 2, 24, 19, 21);
    Conv2dSpec same = Conv2dSpec.of(1, 1);
    Conv2dSpec periodic = same.padding(Padding.CIRCULAR, Padding.CIRCULAR);
    GroupNormSpec norm = new GroupNormSpec(4, 1e-5, true, true, true);
    return List.of(
        OpCase.of(new Conv2d(same), image, filter, Samples.of(4, 24)),
        OpCase.of(new Conv2d(periodic), image, filter, Samples.of(4, 24)),
        OpCase.of(new Conv2d(Conv2dSpec.of(2, 1)), image, filter),
        OpCase.of(new Conv2d(Conv2dSpec.of(1, 0)), image, Samples.of(5, 24, 16, 1, 1)),
        OpCase.of(new Conv2dBackwardInput(same, image.shape()), out, filter),
        OpCase.of(new Conv2dBackwardWeight(same, filter.shape()), image, out),
        OpCase.of(
            new GroupNorm(norm),
            image,
            Samples.between(6, 0.5, 1.5, 16),
            Samples.of(7, 16),
            Samples.of(8, 2, 16),
            Samples.of(9, 2, 16)),
        OpCase.of(new MatMul(), Samples.of(10, 3, 37, 65), Samples.of(11, 65, 41)),
        OpCase.of(
            new Attention(0.2),
            Samples.of(12, 2, 2, 67, 24),
            Samples.of(13, 2, 2, 71, 24),
            Samples.of(14, 2, 2, 71, 24)),
        OpCase.of(new Softmax(), Samples.of(15, 9, 133)),
        OpCase.linear(new Rfft(2, 1, false), Samples.of(16, 3, 24, 32)),
        OpCase.linear(new Irfft(1, false, 24, 32), Samples.of(17, 3, 24, 17, 2)),
        OpCase.linear(new Fft(2, false, 1), Samples.of(18, 3, 20, 32, 2)),
        OpCase.linear(new AvgPool2d(Pool2dSpec.of(2)), image),
        OpCase.linear(new UpsampleNearest(2), image));
  }

  private static Tensor channelsLast(Tensor x) {
    return x.rank() == 4 ? x.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2) : x;
  }

  @TestFactory
  Stream<DynamicTest> agreesWithTheReferenceInDouble() {
    return cases().stream()
        .flatMap(
            c ->
                Stream.of(
                    dynamicTest("dense: " + name(c), () -> compare(c, x -> x)),
                    dynamicTest("strided: " + name(c), () -> compare(c, Samples::strided)),
                    dynamicTest(
                        "channels last: " + name(c),
                        () -> compare(c, SinglePrecisionTest::channelsLast))));
  }

  private static String name(OpCase test) {
    List<Shape> shapes = Arrays.stream(test.inputs()).map(Tensor::shape).toList();
    return test.op().name() + " of " + shapes;
  }

  private static void compare(OpCase test, UnaryOperator<Tensor> layout) {
    // both start from numbers that F32 can hold
    OpCase single = test.map(x -> layout.apply(x.to(DataType.F32)));
    OpCase exact = single.map(x -> x.to(DataType.F64).to(Device.reference()));
    Tensor[] actual = gradients(single, layout);
    Tensor[] expected = gradients(exact, x -> x);
    for (int i = 0; i < actual.length; i++) {
      double error = Samples.relativeError(actual[i], expected[i]);
      int input = i;
      assertTrue(error <= TOLERANCE, () -> "input " + input + ": relative error " + error);
    }
  }

  private static Tensor[] gradients(OpCase test, UnaryOperator<Tensor> seedLayout) {
    Tensor[] in = test.moving();
    try (Tape tape = Tape.watching(in)) {
      Tensor y = test.function().apply(in);
      Tensor seed = Samples.of(77, y.shape().toArray()).to(DataType.F32).to(y.type());
      Gradients g = tape.gradients(y, seedLayout.apply(seed.to(y.device())));
      return Arrays.stream(in).map(g::of).toArray(Tensor[]::new);
    }
  }
}
