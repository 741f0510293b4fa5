package io.perflow.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.perflow.cuda.emulator.EmulatedDriver;
import io.perflow.cuda.emulator.Emulator;
import io.perflow.fixtures.Threads;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Device;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Images;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tensors of one device that many threads use at once. Threads share the device's stream, its
 * kernels, its tables and what it derives from weights, and each has scopes of its own.
 */
class SharedDeviceTest {
  private static float[] work(Tensor x, Tensor weight) {
    try (Scope _ = Scope.open()) {
      Tensor y = Images.conv2d(x, weight, null, Conv2dSpec.of(1, 1)); // derives packed filters
      Tensor z = Fourier.rfft(y.silu(), 2); // uses tables of roots
      return y.reshape(8, 36)
          .matmul(y.reshape(8, 36).transpose())
          .softmax()
          .sum(0)
          .add(z.sum())
          .mul(0.5) // a constant without memory
          .toFloats();
    }
  }

  @ParameterizedTest
  @EnumSource
  void resultsAreThoseOfOneThread(Threads threads) throws Exception {
    // a new device: what threads share is made by them, too
    Device device = Emulator.over(EmulatedDriver.create());
    Tensor x = Rng.of(1).normal(Shape.of(1, 4, 6, 6));
    Tensor weight = Rng.of(2).normal(Shape.of(8, 4, 3, 3));
    Tensor there = x.to(device);
    Tensor shared = weight.to(device);
    List<float[]> found = threads.all(3 * Threads.COUNT, _ -> work(there, shared));
    float[] expected = work(x.to(Emulated.device()), weight.to(Emulated.device()));
    for (float[] one : found) {
      assertArrayEquals(expected, one);
    }
  }
}
