package io.perflow.nn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.autograd.Tape;
import io.perflow.nn.optim.Adam;
import io.perflow.nn.optim.AdamW;
import io.perflow.nn.optim.Ema;
import io.perflow.nn.optim.Optimizer;
import io.perflow.nn.optim.Schedule;
import io.perflow.nn.unet.UNet;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Training learns, and continues from a file as if it had not stopped. */
class TrainingTest {
  @Test
  void fitsAKnownFunction() {
    Rng rng = Rng.of(11);
    Sequential net =
        Sequential.of(
            Linear.of(1, 32).build(rng.split("a")),
            Activation.tanh(),
            Linear.of(32, 32).build(rng.split("b")),
            Activation.tanh(),
            Linear.of(32, 1).build(rng.split("c")));
    Tensor x = Tensor.arange(64).mul(2.0 / 63).sub(1).reshape(64, 1);
    Tensor y = x.mul(3).sin();
    Optimizer adam = Adam.of(Schedule.warmupCosine(1e-2, 1e-4, 10, 600)).build(net.parameters());
    double loss = 0;
    for (int i = 0; i < 600; i++) {
      loss = step(net, adam, y, x);
    }
    assertTrue(loss < 1e-4, "loss " + loss);
  }

  @Test
  void overfitsEightSamples() {
    Rng rng = Rng.of(12);
    UNet net = UNet.of(UNetConfig.tiny(), rng.split("net"));
    Tensor x = rng.split("x").normal(Shape.of(8, 3, 16, 16));
    Tensor t = rng.split("t").uniform(Shape.of(8));
    Tensor y = rng.split("y").normal(Shape.of(8, 1, 16, 16));
    Optimizer adam =
        AdamW.of(Schedule.warmupCosine(4e-3, 1e-4, 20, 700)).clip(1).build(net.parameters());
    double loss = 1;
    for (int i = 0; i < 700 && loss >= 1e-3; i++) {
      loss = step(net, adam, y, x, t);
    }
    assertTrue(loss < 1e-3, "loss " + loss);
  }

  private static double step(Layer net, Optimizer optimizer, Tensor y, Tensor... inputs) {
    try (Scope _ = Scope.open();
        Tape tape = Tape.watching(net.values())) {
      Tensor loss = net.run(inputs).sub(y).square().mean();
      double value = loss.item();
      optimizer.step(tape.gradients(loss));
      return value;
    }
  }

  /** A run whose every part is in its checkpoint. */
  private static final class Run {
    final UNet net = UNet.of(UNetConfig.tiny(), Rng.of(1));
    final Optimizer adam =
        AdamW.of(Schedule.warmupCosine(1e-3, 1e-4, 3, 10)).clip(1).build(net.parameters());
    final Ema ema = Ema.of(net.parameters(), 0.9);
    final Checkpoint checkpoint =
        Checkpoint.of(net).optimizer(adam).ema(ema).rng("train", Rng.of(2));

    double step() {
      Rng rng = checkpoint.rng("train");
      Tensor x = rng.normal(Shape.of(2, 3, 8, 8));
      Tensor t = rng.uniform(Shape.of(2));
      double loss = TrainingTest.step(net, adam, x.slice(1, 0, 1), x, t);
      ema.update();
      return loss;
    }
  }

  @Test
  void aResumedRunHasTheSameBits(@TempDir Path dir) throws IOException {
    Path file = dir.resolve("run.safetensors");
    Run whole = new Run();
    for (int i = 0; i < 4; i++) {
      whole.step();
    }
    whole.checkpoint.save(file, Map.of("config", whole.net.config().toJson()));
    List<Double> expected = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      expected.add(whole.step());
    }

    Run resumed = new Run();
    resumed.step(); // a state of its own, which loading must replace
    Map<String, String> notes = resumed.checkpoint.load(file);
    assertEquals(whole.net.config(), UNetConfig.parse(notes.get("config")));
    assertEquals("4", notes.get("steps"));
    assertTrue(notes.containsKey("perflow.version"), notes.toString());
    List<Double> found = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      found.add(resumed.step());
    }
    assertEquals(expected, found);
    assertEquals(bits(whole.ema.averages()), bits(resumed.ema.averages()));
    assertEquals(bits(whole.adam.state()), bits(resumed.adam.state()));

    // weights alone can be read from the same file, and written back
    UNet net = UNet.of(UNetConfig.tiny(), Rng.of(9));
    Weights.load(file, net);
    Weights.save(dir.resolve("weights.safetensors"), net, Map.of());
    try (SafeTensors open = SafeTensors.read(dir.resolve("weights.safetensors"))) {
      assertEquals(net.parameters().keySet(), open.names());
    }
  }

  private static Map<String, List<Float>> bits(Map<String, Tensor> tensors) {
    Map<String, List<Float>> bits = new LinkedHashMap<>();
    tensors.forEach(
        (name, tensor) -> {
          List<Float> values = new ArrayList<>();
          for (float value : tensor.toFloats()) {
            values.add(value);
          }
          bits.put(name, values);
        });
    return bits;
  }

  @Test
  void aFileOfALargeNetworkIsExplainedInALine(@TempDir Path dir) throws IOException {
    Rng rng = Rng.of(3);
    Path file = dir.resolve("weights.safetensors");
    Weights.save(file, Sequential.of(Linear.of(2, 2).build(rng)), Map.of());
    Sequential four =
        Sequential.of(
            Linear.of(2, 2).build(rng),
            Linear.of(2, 2).build(rng),
            Linear.of(2, 2).build(rng),
            Linear.of(2, 2).build(rng));
    var e = assertThrows(IllegalArgumentException.class, () -> Weights.load(file, four));
    String listed = "missing (6): 1.weight, 1.bias, 2.weight, 2.bias, 3.weight, …";
    assertTrue(e.getMessage().endsWith(listed), e.getMessage());
  }

  @Test
  void aFileThatDoesNotFitIsExplained(@TempDir Path dir) throws IOException {
    Rng rng = Rng.of(3);
    Path file = dir.resolve("weights.safetensors");
    Weights.save(
        file,
        Sequential.of(Linear.of(2, 3).build(rng), Linear.of(3, 1).bias(false).build(rng)),
        Map.of());
    Sequential other =
        Sequential.of(
            Linear.of(2, 4).bias(false).build(rng), Activation.relu(), Linear.of(4, 1).build(rng));
    float[] before = other.parameters().get("0.weight").value().toFloats();
    var e = assertThrows(IllegalArgumentException.class, () -> Weights.load(file, other));
    assertEquals(
        "[weights] "
            + file
            + " does not fit the network: missing (2): 2.weight, 2.bias; unknown (2): 0.bias,"
            + " 1.weight; wrong shape (1): 0.weight is [3, 2], expected [4, 2]",
        e.getMessage());
    assertEquals(before[0], other.parameters().get("0.weight").value().toFloats()[0]);
    Checkpoint checkpoint = Checkpoint.of(other).rng("train", rng);
    assertThrows(IllegalArgumentException.class, () -> checkpoint.rng("test"));
    assertThrows(IllegalArgumentException.class, () -> checkpoint.load(file));
    Files.write(file, new byte[] {1, 2, 3});
    assertThrows(IOException.class, () -> checkpoint.load(file));
  }
}
