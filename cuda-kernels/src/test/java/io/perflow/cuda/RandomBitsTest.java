package io.perflow.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same seed gives the same bits on the emulated device and on the CPU. */
class RandomBitsTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 31, 513, 2048})
  void drawsHaveTheSameBits(int n) {
    for (DataType type : DataType.values()) {
      for (long seed : new long[] {0, 42, -1, 0x123456789ABCDEFL}) {
        Rng here = Rng.of(seed).split("draw");
        Rng there = Rng.of(seed).split("draw");
        for (int draw = 0; draw < 2; draw++) { // the second from a later counter
          assertArrayEquals(
              here.uniform(Device.cpu(), Shape.of(n), type).toDoubles(),
              there.uniform(Emulated.device(), Shape.of(n), type).toDoubles());
          assertArrayEquals(
              here.normal(Device.cpu(), Shape.of(n), type).toDoubles(),
              there.normal(Emulated.device(), Shape.of(n), type).toDoubles());
        }
      }
    }
  }
}
