package io.perflow.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.cuda.emulator.EmulatedDriver;
import io.perflow.cuda.emulator.Emulator;
import io.perflow.fixtures.Samples;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Images;
import io.perflow.tensor.Padding;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Conv2dBackwardInput;
import io.perflow.tensor.op.UnaryKind;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Winograd's convolution and the one on tensor cores, against the direct one and the definition.
 */
class ConvolutionMethodsTest {
  private static final List<Conv2dSpec> SPECS =
      List.of(
          Conv2dSpec.of(1, 1),
          Conv2dSpec.of(1, 0),
          Conv2dSpec.of(1, 2),
          Conv2dSpec.of(1, 1).padding(Padding.CIRCULAR, Padding.ZEROS),
          Conv2dSpec.of(1, 1).padding(Padding.CIRCULAR, Padding.CIRCULAR),
          Conv2dSpec.of(1, 2).padding(Padding.ZEROS, Padding.CIRCULAR),
          Conv2dSpec.of(2, 1),
          Conv2dSpec.of(1, 1).groups(2));

  // Its own: the method belongs to the whole device.
  private final Device device = Emulator.over(EmulatedDriver.create());

  private static Tensor normal(String name, int... shape) {
    return Rng.of(5).split(name).normal(Shape.of(shape));
  }

  private static Tensor whole(String name, int... shape) {
    return normal(name, shape).mul(3).unary(UnaryKind.ROUND);
  }

  /** Forward with bias, then the adjoint in x of the result. */
  private static Tensor[] both(Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec) {
    Tensor y = Images.conv2d(x, weight, bias, spec);
    return new Tensor[] {y, new Conv2dBackwardInput(spec, x.shape()).apply(y, weight)};
  }

  private Tensor[] by(ConvolutionMethod method, Tensor x, Tensor w, Tensor b, Conv2dSpec spec) {
    Emulated.backend(device).convolutions(method);
    return both(x.to(device), w.to(device), b.to(device), spec);
  }

  private static Tensor weight(Conv2dSpec spec, boolean whole) {
    int[] shape = {8, 4 / spec.groups(), 3, 3};
    return whole ? whole("w", shape) : normal("w", shape);
  }

  // Small whole numbers have no rounding in any of the methods.
  @Test
  void allMethodsAreExactOnWholeNumbers() {
    for (Conv2dSpec spec : SPECS) {
      Tensor x = whole("x", 2, 4, 7, 6);
      Tensor w = weight(spec, true);
      Tensor b = whole("b", 8);
      Tensor[] expected = both(x, w, b, spec);
      for (ConvolutionMethod method : ConvolutionMethod.values()) {
        Tensor y = by(method, x, w, b, spec)[0];
        assertArrayEquals(expected[0].toFloats(), y.toFloats(), method + " " + spec);
      }
    }
  }

  @Test
  void winogradIsCloseToTheDefinition() {
    for (Conv2dSpec spec : SPECS) {
      Tensor x = normal("x", 2, 4, 7, 6);
      Tensor w = weight(spec, false);
      Tensor b = normal("b", 8);
      Tensor[] expected = both(x.to(DataType.F64), w.to(DataType.F64), b.to(DataType.F64), spec);
      Tensor[] actual = by(ConvolutionMethod.WINOGRAD, x, w, b, spec);
      for (int i = 0; i < 2; i++) {
        double error = Samples.relativeError(actual[i], expected[i]);
        assertTrue(error < 2e-6, "%s: %.2e".formatted(spec, error));
      }
    }
  }

  @Test
  void tensorCoresRoundToTf32() {
    for (Conv2dSpec spec : SPECS) {
      Tensor x = normal("x", 2, 4, 7, 6);
      Tensor w = weight(spec, false);
      Tensor b = normal("b", 8);
      Tensor expected =
          Images.conv2d(x.to(DataType.F64), w.to(DataType.F64), b.to(DataType.F64), spec);
      double error = Samples.relativeError(by(ConvolutionMethod.TF32, x, w, b, spec)[0], expected);
      // groups of two channels do not come in fours and stay in F32
      boolean rounded = spec.groups() == 1;
      assertTrue(
          rounded ? error > 1e-5 && error < 2e-3 : error < 1e-6, "%s: %.2e".formatted(spec, error));
    }
  }
}
