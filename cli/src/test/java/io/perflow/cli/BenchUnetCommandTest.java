package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.nn.unet.UNetConfig;
import io.perflow.tensor.Shape;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchUnetCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(Path config, Path dir, String... more) {
    List<String> args =
        new ArrayList<>(
            List.of(
                "bench",
                "unet",
                "--config",
                config.toString(),
                "--out",
                dir.toString(),
                "--batch",
                "2",
                "--size",
                "8",
                "--warmup",
                "0",
                "--calls",
                "1",
                "--exact"));
    args.addAll(List.of(more));
    return Main.run(
        new PrintWriter(out, true),
        new PrintWriter(err, true),
        Screen.NONE,
        args.toArray(String[]::new));
  }

  @Test
  void writesWeightsNumbersAndTimes(@TempDir Path dir) throws IOException {
    Path config = dir.resolve("config.json");
    Files.writeString(config, UNetConfig.tiny().toJson());
    Path results = dir.resolve("results");
    assertEquals(0, run(config, results), err.toString());
    Map<String, Object> times = Json.object(Json.read(results.resolve("times.json")), "times");
    assertTrue(Json.number(times.get("forward_ms"), "forward_ms") > 0);
    assertTrue(Json.number(times.get("train_ms"), "train_ms") > 0);
    assertEquals("cpu", times.get("device"));
    try (SafeTensors weights = SafeTensors.read(results.resolve("weights.safetensors"));
        SafeTensors numbers = SafeTensors.read(results.resolve("io.safetensors"))) {
      assertEquals(Shape.of(2, 1, 8, 8), numbers.shape("y"));
      assertEquals(Shape.of(2, 3, 8, 8), numbers.shape("grad.x"));
      for (String name : weights.names()) {
        assertEquals(weights.shape(name), numbers.shape("grad." + name));
      }
    }
  }

  @Test
  void aGpuIsAskedForLaunchesAndBytes(@TempDir Path dir) throws IOException {
    Path config = dir.resolve("config.json");
    Files.writeString(config, UNetConfig.tiny().toJson());
    assertEquals(0, run(config, dir, "--device", "emulated"), err.toString());
    List<String> lines = out.toString().lines().toList();
    String count = "%s: [1-9]\\d* launches, [0-9.]+ MB of operands, 0 bytes up, 0 bytes down";
    assertTrue(lines.get(1).matches(count.formatted("forward")), lines.get(1));
    assertTrue(lines.get(2).matches(count.formatted("training step")), lines.get(2));
  }

  @Test
  void aWrongConfigurationIsOneLine(@TempDir Path dir) throws IOException {
    Path config = dir.resolve("config.json");
    Files.writeString(config, "{}");
    assertEquals(1, run(config, dir));
    assertEquals(1, err.toString().lines().count(), err.toString());
    assertTrue(err.toString().contains("missing in_channels"), err.toString());
  }
}
