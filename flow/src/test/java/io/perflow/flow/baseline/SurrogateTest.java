package io.perflow.flow.baseline;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.onnxruntime.OrtException;
import io.perflow.fixtures.Close;
import io.perflow.fixtures.OnnxRun;
import io.perflow.flow.FlowConfig;
import io.perflow.flow.Observations;
import io.perflow.flow.Reconstructor;
import io.perflow.flow.TrainConfig;
import io.perflow.flow.Trainer;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SurrogateTest {
  @TempDir Path directory;

  private static SurrogateConfig small(SurrogateConfig.Kind kind) {
    return kind == SurrogateConfig.Kind.UNET
        ? new SurrogateConfig(kind, 8, 0, 2)
        : new SurrogateConfig(kind, 12, 6, 2);
  }

  private static TrainConfig settings(long steps) {
    return new TrainConfig(
        steps,
        6,
        5e-3,
        1e-3,
        5,
        1e-4,
        1,
        0.9,
        7,
        true,
        steps,
        steps,
        0,
        TrainConfig.Method.ADAMW,
        1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"burgers", "poisson", "darcy", "ns"})
  void causeAndEffectMakeTheField(String benchmark) {
    Tensor fields = Problems.normalized(benchmark);
    ForwardMap map = ForwardMap.of(Problems.problem(benchmark));
    Tensor cause = map.cause(fields);
    assertEquals(map.causes(12), cause.shape());
    assertArrayEquals(
        fields.toFloats(), map.fields(cause, map.effect(fields)).contiguous().toFloats());
    assertEquals(map.inputs(), map.told(cause).dim(1));
    assertEquals(map.outputs(), map.effect(fields).dim(1));
  }

  @Test
  void theFirstFramesCauseTheLast() {
    Tensor fields = Problems.normalized("ns");
    ForwardMap map = ForwardMap.of(Problems.problem("ns"));
    // u1 … u5, v1 … v5 of the channels u1 … u10, v1 … v10
    assertArrayEquals(
        fields.slice(1, 10, 15).contiguous().toFloats(),
        map.cause(fields).slice(1, 5, 10).contiguous().toFloats());
    assertArrayEquals(
        fields.slice(1, 5, 10).contiguous().toFloats(),
        map.effect(fields).slice(1, 0, 5).contiguous().toFloats());
  }

  @ParameterizedTest
  @EnumSource(SurrogateConfig.Kind.class)
  void surrogatesLearnTheSolver(SurrogateConfig.Kind kind) throws IOException {
    FlowConfig setting = Problems.paper("poisson");
    Surrogate surrogate = Surrogate.of(setting, small(kind), Rng.of(1));
    Tensor fields = Problems.normalized("poisson");
    double before = surrogate.loss(fields, Rng.of(3)).item();
    TrainConfig settings = settings(60);
    Problems.trainer(surrogate, "poisson", settings, directory).train();
    double after = surrogate.loss(fields, Rng.of(3)).item();
    assertTrue(after < 0.6 * before, "from " + before + " to " + after);
    Surrogate read = Surrogate.load(directory.resolve(Trainer.BEST));
    assertEquals(surrogate.description(), read.description());
    assertEquals(after, read.loss(fields, Rng.of(3)).item());
  }

  @ParameterizedTest
  @ValueSource(strings = {"burgers", "poisson", "darcy", "ns"})
  void inversionFindsACauseThatFits(String benchmark) {
    // readings that the surrogate itself made from a cause: what is to be found exists
    FlowConfig setting = Problems.paper(benchmark);
    SurrogateConfig config = new SurrogateConfig(SurrogateConfig.Kind.FNO, 8, 4, 2);
    Surrogate surrogate = Surrogate.of(setting, config, Rng.of(1));
    Tensor truth =
        surrogate.fields(
            surrogate.map().cause(Problems.normalized(benchmark).slice(0, 0, 1)).contiguous());
    Tensor planes = Problems.problem(benchmark).masks().draw(Rng.of(4), 1);
    Observations seen = Observations.of(truth, planes);
    double first = misfit(SurrogateInversion.of(surrogate, 1), seen);
    double last = misfit(SurrogateInversion.of(surrogate, 80).rate(0.1), seen);
    assertTrue(last < 0.1 * first, "the misfit goes from " + first + " to " + last);
  }

  private static double misfit(Reconstructor system, Observations seen) {
    Tensor drawn = system.reconstruct(seen, 1, Rng.of(5)).samples();
    return drawn.sub(seen.values()).mul(seen.mask()).square().sum().item();
  }

  @Test
  void inversionNamesItsNetworkAndItsSamplesDiffer() {
    FlowConfig setting = Problems.paper("poisson");
    for (SurrogateConfig.Kind kind : SurrogateConfig.Kind.values()) {
      Surrogate surrogate = Surrogate.of(setting, small(kind), Rng.of(1));
      SurrogateInversion system = SurrogateInversion.of(surrogate, 2).smoothness(0.1);
      assertEquals(List.of("UNet", "FNO", "F-FNO").get(kind.ordinal()), system.name());
      Tensor drawn = system.reconstruct(Problems.observations("poisson"), 2, Rng.of(5)).samples();
      assertTrue(drawn.select(0, 0).sub(drawn.select(0, 1)).abs().max(false).item() > 1e-3);
    }
  }

  @Test
  void smoothnessMakesTheCauseSmoother() {
    FlowConfig setting = Problems.paper("poisson");
    Surrogate surrogate = Surrogate.of(setting, small(SurrogateConfig.Kind.FNO), Rng.of(1));
    Observations seen = Problems.observations("poisson");
    double rough = roughness(SurrogateInversion.of(surrogate, 40), seen);
    double smooth = roughness(SurrogateInversion.of(surrogate, 40).smoothness(1), seen);
    assertTrue(smooth < 0.5 * rough, smooth + " instead of " + rough);
  }

  private static double roughness(Reconstructor system, Observations seen) {
    Tensor cause = system.reconstruct(seen, 1, Rng.of(5)).samples().slice(1, 0, 1);
    Tensor step = cause.slice(3, 1, 16).sub(cause.slice(3, 0, 15));
    return step.square().mean().item();
  }

  @Test
  void regressionLearnsFromReadingsAlone() throws IOException {
    FlowConfig setting = Problems.paper("poisson").problem(Problems.problem("poisson", 40));
    Regression system = Regression.of(setting, small(SurrogateConfig.Kind.FNO), Rng.of(1));
    Tensor fields = Problems.normalized("poisson");
    double before = system.loss(fields, Rng.of(3)).item();
    TrainConfig settings = settings(60);
    Problems.trainer(system, "poisson", settings, directory).train();
    double after = system.loss(fields, Rng.of(3)).item();
    assertTrue(after < 0.8 * before, "from " + before + " to " + after);
    Regression read = Regression.load(directory.resolve(Trainer.BEST));
    Observations seen = Problems.observations("poisson");
    Tensor drawn = read.reconstruct(seen, 3, Rng.of(5)).samples();
    assertArrayEquals(
        system.reconstruct(seen, 3, Rng.of(6)).samples().toFloats(), drawn.toFloats());
    assertEquals(0, drawn.select(0, 0).sub(drawn.select(0, 2)).abs().max(false).item());
    assertThrows(
        IllegalArgumentException.class,
        () -> Regression.of(setting, small(SurrogateConfig.Kind.UNET), Rng.of(1)));
  }

  @ParameterizedTest
  @EnumSource(SurrogateConfig.Kind.class)
  void exportedSurrogatesGiveTheSameFields(SurrogateConfig.Kind kind)
      throws IOException, OrtException {
    Path file = directory.resolve("surrogate.safetensors");
    Surrogate.of(Problems.paper("burgers"), small(kind), Rng.of(1)).save(file);
    assertTrue(Surrogate.isIn(file) && !Regression.isIn(file));
    Surrogate surrogate = Surrogate.load(file);
    Tensor causes = surrogate.map().cause(Problems.normalized("burgers")).slice(0, 0, 4);
    try (OnnxRun run = new OnnxRun(surrogate.onnx().toBytes())) {
      Close.assertClose("fields", surrogate.fields(causes), run.run(causes), 1e-4);
    }
  }

  @Test
  void theExportedRegressionGivesTheSameField() throws OrtException {
    SurrogateConfig config = small(SurrogateConfig.Kind.FNO);
    Regression regression = Regression.of(Problems.paper("darcy"), config, Rng.of(1));
    Observations seen = Problems.observations("darcy");
    Tensor expected = regression.network().run(seen.values(), seen.planes());
    try (OnnxRun run = new OnnxRun(regression.onnx().toBytes())) {
      Close.assertClose("field", expected, run.run(seen.values(), seen.planes()), 1e-4);
    }
  }
}
