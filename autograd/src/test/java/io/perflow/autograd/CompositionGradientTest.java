package io.perflow.autograd;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.perflow.fixtures.Samples;
import io.perflow.tensor.Tensor;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Gradients of the tensor calls that are composed of operations, against central differences. */
class CompositionGradientTest {
  private static final Map<String, Function<Tensor[], Tensor>> CALLS =
      Map.of(
          "sub a number", in -> in[0].sub(0.3).square(),
          "div by a number", in -> in[0].div(0.7).square(),
          "stack", in -> Tensor.stack(1, in[0], in[1]).square(),
          "squeeze an axis", in -> in[0].squeeze(1).square(),
          "squeeze", in -> in[0].squeeze().square(),
          "split", in -> parts(in[0].split(-1, 1, 2)));

  // parts used unequally, so that each gradient must find its place
  private static Tensor parts(Tensor... parts) {
    return parts[0].square().add(parts[1].mul(3).sin());
  }

  @TestFactory
  Stream<DynamicTest> gradientsAgreeWithDifferences() {
    return CALLS.entrySet().stream()
        .map(
            call ->
                dynamicTest(
                    call.getKey(),
                    () ->
                        GradCheck.require(
                            call.getValue(), Samples.of(1, 2, 1, 3), Samples.of(2, 2, 1, 3))));
  }
}
