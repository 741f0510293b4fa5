package io.perflow.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** Sizes that exceed the range of an int are refused and never wrap around. */
class OverflowTest {
  private static void refused(Runnable mistake) {
    assertThrows(IllegalArgumentException.class, mistake::run);
  }

  @Test
  void sizes() {
    refused(() -> Shape.of(1 << 16, 1 << 16));
    refused(() -> Tensor.arange(5).slice(0, 0, 5, 1 << 30));
    refused(() -> Images.upsampleNearest(Tensor.zeros(1, 1, 1 << 16, 1), 1 << 16));
    refused(() -> Images.pixelShuffle(Tensor.zeros(1, 4, 2, 2), 1 << 16));
    refused(() -> Conv2dSpec.of(1, Integer.MAX_VALUE));
    refused(
        () ->
            Images.convTranspose2d(
                Tensor.zeros(1, 1, 1, 1), Tensor.zeros(1, 1, 2, 2), null, Conv2dSpec.of(1, 1)));
  }

  @Test
  void axesCountFromTheEnd() {
    Tensor x = Tensor.zeros(2, 3, 4).permute(0, -1, 1);
    assertArrayEquals(new int[] {2, 4, 3}, x.shape().toArray());
  }
}
