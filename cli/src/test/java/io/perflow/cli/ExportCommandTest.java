package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.onnxruntime.OrtException;
import io.perflow.fixtures.Close;
import io.perflow.fixtures.OnnxRun;
import io.perflow.flow.RectifiedFlow;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The models that are shipped, in ONNX Runtime. */
class ExportCommandTest {
  private static final Path MODELS = Path.of("..", "models");
  private static final double TOLERANCE = 1e-4;

  @TempDir Path directory;

  private Path exported(String model) {
    Path out = directory.resolve(model + ".onnx");
    Path file = MODELS.resolve(model + ".safetensors");
    Shell.good("export", "--format", "onnx", "--model", file, "--out", out);
    return out;
  }

  private static RectifiedFlow flow(String model) throws IOException {
    return RectifiedFlow.load(MODELS.resolve(model + ".safetensors"));
  }

  @Test
  void burgersAddsToTheFilledField() throws IOException, OrtException {
    RectifiedFlow flow = flow("burgers-flow");
    try (OnnxRun run = new OnnxRun(Files.readAllBytes(exported("burgers-flow")))) {
      Tensor x = Rng.of(1).normal(Shape.of(2, 1, 128, 128));
      Tensor t = Tensor.of(new float[] {0.25f, 0.875f}, 2);
      Tensor told = Rng.of(2).normal(Shape.of(2, 5, 128, 128)); // reading, mask, filled field …
      Tensor out = flow.network().apply(Tensor.concat(1, x, told), t);
      Tensor expected = out.add(told.slice(1, 2, 3));
      Close.assertClose("field", expected, run.run(x, t, told), TOLERANCE);
    }
  }

  @Test
  void darcyAddsToTheGuessOfItsPrior() throws IOException, OrtException {
    RectifiedFlow flow = flow("darcy-flow");
    try (OnnxRun run = new OnnxRun(Files.readAllBytes(exported("darcy-flow")))) {
      Tensor x = Rng.of(1).normal(Shape.of(1, 2, 128, 128));
      Tensor t = Tensor.of(new float[] {0.75f}, 1);
      Tensor told = Rng.of(2).normal(Shape.of(1, 11, 128, 128)); // readings, masks, means …
      Tensor mean = told.slice(1, 4, 6);
      Tensor guess = mean.add(x.sub(mean).mul(0.75 / (0.25 * 0.25 + 0.75 * 0.75)));
      Tensor expected = flow.network().apply(Tensor.concat(1, x, told), t).add(guess);
      Close.assertClose("field", expected, run.run(x, t, told), TOLERANCE);
    }
  }

  @Test
  void mistakes() {
    Path prior = MODELS.resolve("ns.safetensors");
    Path out = directory.resolve("no.onnx");
    assertEquals(
        "perflow: %s holds a Gaussian prior for kriging and no network: --format onnx has nothing to write"
            .formatted(prior),
        Shell.bad("export", "--format", "onnx", "--model", prior, "--out", out));
    assertEquals(
        "perflow: --format 'torch' is unknown: choose one of safetensors, onnx",
        Shell.bad("export", "--format", "torch", "--model", prior, "--out", out));
    assertTrue(
        Shell.bad("export", "--format", "onnx", "--model", "a.json", "--out", out)
            .contains("a.json is not a model"));
    assertFalse(Files.exists(out));
  }
}
