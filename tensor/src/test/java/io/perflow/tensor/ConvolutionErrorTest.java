package io.perflow.tensor;

import io.perflow.fixtures.Close;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Winograd's convolution against the double-precision definition at the widths of real networks.
 */
class ConvolutionErrorTest {
  @ParameterizedTest
  @ValueSource(ints = {32, 128, 512})
  void relativeErrorStaysSmall(int channels) {
    Rng rng = Rng.of(channels);
    Tensor x = rng.normal(Shape.of(1, channels, 16, 16));
    Tensor w = rng.normal(Shape.of(32, channels, 3, 3));
    Conv2dSpec same = Conv2dSpec.of(1, 1);
    Tensor exact = Images.conv2d(x.to(DataType.F64), w.to(DataType.F64), null, same);
    Close.assertClose("conv2d", exact, Images.conv2d(x, w, null, same), 2e-5);
  }
}
