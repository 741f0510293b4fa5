package io.perflow.nn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.perflow.fixtures.Devices;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every layer computes what the same layer of PyTorch computes, forwards and backwards. */
class TorchLayersTest {
  private static final Rng RNG = Rng.of(1);

  static Map<String, Supplier<Layer>> layers() {
    Map<String, Supplier<Layer>> all = new LinkedHashMap<>();
    all.put("linear", () -> Linear.of(5, 7).build(RNG));
    all.put("conv", () -> Conv2d.of(8, 12, 3).padding(1).build(RNG));
    all.put("conv_stride", () -> Conv2d.of(8, 12, 3).padding(1).stride(2).build(RNG));
    all.put("conv_pointwise", () -> Conv2d.of(8, 12, 1).build(RNG));
    all.put("conv_groups", () -> Conv2d.of(8, 12, 3).padding(1).groups(4).bias(false).build(RNG));
    all.put("conv_periodic", () -> Conv2d.of(8, 12, 3).padding(1).circular(true, true).build(RNG));
    all.put(
        "conv_periodic_width_stride",
        () -> Conv2d.of(8, 12, 3).padding(1).circular(false, true).stride(2).build(RNG));
    all.put("norm", () -> GroupNorm.of(4, 8));
    all.put("norm_silu", () -> GroupNorm.silu(4, 8));
    all.put("norm_modulated", () -> GroupNorm.silu(4, 8));
    all.put("attention", () -> Attention.of(8, 2, 4, RNG));
    all.put("res_block", () -> ResBlock.of(8, 8, 6).groups(4).build(RNG));
    all.put(
        "res_block_wider", () -> ResBlock.of(8, 12, 6).groups(4).periodic(true, false).build(RNG));
    all.put("time_embedding", () -> TimeEmbedding.of(16, 32, RNG));
    all.put(
        "sequential",
        () ->
            Sequential.of(
                Linear.of(5, 9).build(RNG), Activation.silu(), Linear.of(9, 2).build(RNG)));
    return all;
  }

  static Stream<Arguments> cases() {
    return layers().keySet().stream()
        .flatMap(name -> Devices.all().stream().map(device -> Arguments.of(name, device)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void outputAndGradientsAreThoseOfPyTorch(String name, Device device) throws IOException {
    TorchFixture fixture = TorchFixture.read(name);
    Layer layer = layers().get(name).get();
    var expected = new TreeSet<String>();
    fixture.numbers().keySet().stream()
        .filter(key -> key.startsWith("p."))
        .forEach(key -> expected.add(key.substring(2)));
    assertEquals(expected, new TreeSet<>(layer.parameters().keySet()));
    // 1000 radians in single precision leave 6e-5 of phase
    fixture.check(layer, device, name.equals("time_embedding") ? 2e-4 : 2e-5);
  }
}
