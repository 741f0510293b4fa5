package io.perflow.nn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.perflow.fixtures.Threads;
import io.perflow.tensor.Device;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Layers that many threads run at once. */
class SharedLayersTest {
  @ParameterizedTest
  @EnumSource
  void everyLayerGivesTheBitsOfOneThread(Threads threads) throws Exception {
    Map<Layer, Tensor[]> layers = new LinkedHashMap<>();
    for (String name : TorchLayersTest.layers().keySet()) {
      Tensor[] inputs = inputs(name);
      layers.put(TorchLayersTest.layers().get(name).get(), inputs);
    }
    for (Map.Entry<Layer, Tensor[]> entry : layers.entrySet()) {
      Layer layer = entry.getKey();
      var found = threads.all(4 * Threads.COUNT, _ -> layer.run(entry.getValue()).toFloats());
      float[] expected = layer.run(entry.getValue()).toFloats();
      for (float[] one : found) {
        assertArrayEquals(expected, one, layer.getClass()::getSimpleName);
      }
    }
  }

  private static Tensor[] inputs(String name) throws IOException {
    return TorchFixture.read(name).inputs(Device.cpu()).toArray(Tensor[]::new);
  }
}
