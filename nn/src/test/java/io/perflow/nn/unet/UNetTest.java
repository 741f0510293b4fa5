package io.perflow.nn.unet;

import static io.perflow.fixtures.Close.assertClose;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.autograd.Gradients;
import io.perflow.autograd.Tape;
import io.perflow.fixtures.Devices;
import io.perflow.nn.Initializer;
import io.perflow.nn.Parameter;
import io.perflow.nn.Summary;
import io.perflow.nn.TorchFixture;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class UNetTest {
  static Stream<Arguments> networks() {
    return Stream.of("tiny", "periodic")
        .flatMap(name -> Devices.all().stream().map(device -> Arguments.of(name, device)));
  }

  @ParameterizedTest
  @MethodSource("networks")
  void outputAndGradientsAreThoseOfPyTorch(String preset, Device device) throws IOException {
    TorchFixture fixture = TorchFixture.read("unet_" + preset);
    UNet net = UNet.of(UNetConfig.preset(preset), Rng.of(1));
    net.to(device);
    fill(net);
    List<Tensor> inputs = fixture.inputs(device);
    List<Tensor> watched = new ArrayList<>(net.values());
    watched.add(inputs.getFirst());
    try (Tape tape = Tape.watching(watched)) {
      Tensor y = net.apply(inputs.get(0), inputs.get(1));
      assertClose("output", fixture.get("y"), y, 5e-5);
      Gradients gradients = tape.gradients(y.square().mean());
      assertClose("gradient of x", fixture.get("gx.0"), gradients.of(inputs.get(0)), 5e-5);
      var expected = new TreeSet<String>();
      for (Map.Entry<String, Parameter> entry : net.parameters().entrySet()) {
        expected.add("s." + entry.getKey());
        double[] golden = fixture.get("s." + entry.getKey()).toDoubles();
        double[] found = signature(gradients.of(entry.getValue().value()));
        assertEquals(golden[0], found[0], 1e-4 * golden[0], entry.getKey());
        assertEquals(golden[1], found[1], 1e-4 * golden[0], entry.getKey());
      }
      var known = new TreeSet<>(fixture.numbers().keySet());
      known.removeIf(key -> !key.startsWith("s."));
      assertEquals(known, expected);
    }
  }

  @ParameterizedTest
  @MethodSource("networks")
  void fixedChannelsGiveWhatJoinedOnesGive(String preset, Device device) {
    UNet net = UNet.of(UNetConfig.preset(preset).channels(5, 2), Rng.of(1));
    net.to(device);
    fill(net);
    int size = 2 * net.config().multiple();
    Tensor states = Rng.of(2).normal(Shape.of(3, 2, size, size)).to(device);
    Tensor fixed = Rng.of(3).normal(Shape.of(1, 3, size, size)).to(device);
    Tensor times = Tensor.of(new float[] {0, 0.3f, 1}, 3).to(device);
    Tensor joined = Tensor.concat(1, states, fixed.expand(Shape.of(3, 3, size, size)));
    Tensor found = net.given(fixed).apply(states, times);
    assertClose("output", net.apply(joined, times), found, 2e-5);
  }

  @Test
  void atLeastOneChannelIsNotFixed() {
    UNet net = UNet.of(UNetConfig.tiny().channels(3, 1), Rng.of(1));
    ShapeException e =
        assertThrows(ShapeException.class, () -> net.given(Tensor.zeros(1, 3, 32, 32)));
    assertTrue(e.getMessage().contains("cannot be fixed (layer stem)"), e.getMessage());
    var given = net.given(Tensor.zeros(1, 2, 32, 32));
    ShapeException wrong =
        assertThrows(
            ShapeException.class, () -> given.apply(Tensor.zeros(1, 3, 32, 32), Tensor.zeros(1)));
    assertTrue(wrong.getMessage().contains("must be (n, 1, h, w)"), wrong.getMessage());
  }

  // the formula of the script that made the fixture
  private static void fill(UNet net) {
    int n = 0;
    for (Map.Entry<String, Parameter> entry : new TreeMap<>(net.parameters()).entrySet()) {
      Parameter p = entry.getValue();
      boolean vector = p.shape().rank() == 1;
      double scale = vector ? 0.1 : 1.5 / Math.sqrt((double) p.size() / p.shape().dim(0));
      double shift = vector && entry.getKey().endsWith("weight") ? 1 : 0;
      float[] values = new float[p.size()];
      for (int i = 0; i < values.length; i++) {
        double u = 43758.5453 * Math.sin(12.9898 * (i + 1) + n);
        values[i] = (float) (shift + scale * (2 * (u - Math.floor(u)) - 1));
      }
      p.assign(Tensor.of(values, p.shape().toArray()));
      n++;
    }
  }

  private static double[] signature(Tensor gradient) {
    double squares = 0;
    double projection = 0;
    int i = 0;
    for (double g : gradient.toDoubles()) {
      squares += g * g;
      projection += g * Math.cos(0.37 * i++);
    }
    return new double[] {Math.sqrt(squares), projection};
  }

  @ParameterizedTest
  @CsvSource({"tiny,173697", "periodic,285880", "small,4120932", "base,7167585", "paper,63330754"})
  void parameterCounts(String preset, long count) {
    assertEquals(count, UNet.of(UNetConfig.preset(preset), Rng.of(1)).parameterCount());
  }

  @Test
  void startsAsZeroAndRandomizeLeavesNoZero() {
    UNet net = UNet.of(UNetConfig.tiny(), Rng.of(2));
    Tensor x = Rng.of(3).normal(Shape.of(1, 3, 8, 8));
    Tensor t = Tensor.of(new float[] {0.3f}, 1);
    assertEquals(0, net.apply(x, t).abs().max(false).item());
    Initializer.nonZero(net, Rng.of(4));
    net.parameters().forEach((name, p) -> assertEquals(0, p.value().eq(0).sum().item(), name));
    assertTrue(net.apply(x, t).abs().max(false).item() > 1e-3);
  }

  @Test
  void periodicAxesShiftWithTheInput() {
    UNet net = UNet.of(UNetConfig.tiny().periodic(true, true), Rng.of(2));
    Initializer.nonZero(net, Rng.of(4));
    Tensor x = Rng.of(3).normal(Shape.of(1, 3, 16, 16));
    Tensor t = Tensor.of(new float[] {0.7f}, 1);
    // by a multiple of the coarsest pixel, so that the sampling grids agree
    Tensor shifted = roll(roll(x, 2, 4), 3, 6);
    assertClose("shift", roll(roll(net.apply(x, t), 2, 4), 3, 6), net.apply(shifted, t), 1e-4);
  }

  private static Tensor roll(Tensor x, int axis, int by) {
    int n = x.dim(axis);
    return Tensor.concat(axis, x.slice(axis, n - by, n), x.slice(axis, 0, n - by));
  }

  @Test
  void theSummaryHasEveryParameter() {
    UNet net = UNet.of(UNetConfig.tiny(), Rng.of(1));
    Summary summary = Summary.of(net, Tensor.zeros(1, 3, 16, 16), Tensor.zeros(1));
    assertEquals(net.parameterCount(), summary.parameters());
    assertTrue(summary.toString().contains("down.1.attn.0.qkv"), summary.toString());
  }

  @Test
  void shapeErrorsSayWhatToDo() {
    UNet net = UNet.of(UNetConfig.periodic(), Rng.of(1));
    Tensor t = Tensor.zeros(1);
    var e = assertThrows(ShapeException.class, () -> net.apply(Tensor.zeros(1, 3, 16, 18), t));
    assertEquals(
        "[unet] height and width of x [1, 3, 16, 18] must be multiples of 4 (patch 2, 2 levels);"
            + " pad or crop it",
        e.getMessage());
    assertThrows(ShapeException.class, () -> net.apply(Tensor.zeros(1, 2, 16, 16), t));
    assertThrows(ShapeException.class, () -> net.apply(Tensor.zeros(2, 3, 16, 16), t));
    assertThrows(ShapeException.class, () -> net.run(Tensor.zeros(1, 3, 16, 16)));
  }
}
