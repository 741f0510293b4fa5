package io.perflow.flow.baseline;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.autograd.Tape;
import io.perflow.flow.FlowConfig;
import io.perflow.flow.Observations;
import io.perflow.flow.TrainConfig;
import io.perflow.flow.Trainer;
import io.perflow.nn.Initializer;
import io.perflow.nn.unet.UNet;
import io.perflow.physics.Normalization;
import io.perflow.physics.metric.SensorMisfit;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DiffusionPdeTest {
  private static final Guidance NONE = Problems.guidance("burgers").scaled(0, 0);

  @TempDir Path directory;

  // fixed numbers that bring the data to about (-1, 1), as published; a deviation of 0.5 for ns
  private static Normalization units(String benchmark) {
    return switch (benchmark) {
      case "burgers" -> new Normalization(List.of(0.0), List.of(1.415));
      case "poisson" -> new Normalization(List.of(0.0, 0.0), List.of(2.15, 1 / 36.5));
      case "darcy" -> new Normalization(List.of(7.5, 0.9 / 115), List.of(5.0, 1 / 115.0));
      default -> scaled(benchmark, 2);
    };
  }

  // those of the setting with other scales
  private static Normalization scaled(String benchmark, double factor) {
    Normalization units = Problems.units(benchmark);
    return new Normalization(
        units.mean(), units.scale().stream().map(scale -> factor * scale).toList());
  }

  private static EdmDenoiser model(String benchmark) {
    return EdmDenoiser.of(
        Problems.paper(benchmark),
        Backbone.UNET,
        units(benchmark),
        EdmDenoiser.Output.MIXED,
        Rng.of(1));
  }

  private static EdmDenoiser random(String benchmark) {
    EdmDenoiser model = model(benchmark);
    Initializer.nonZero((UNet) model.network(), Rng.of(2));
    return model;
  }

  @Test
  void levelsAreThoseOfThePublication() {
    double[] levels = DiffusionPde.levels(2000);
    assertEquals(2001, levels.length);
    assertEquals(80, levels[0], 1e-12);
    assertEquals(0.002, levels[1999], 1e-15);
    assertEquals(0, levels[2000]);
    double root = Math.pow(80, 1 / 7.0) + 0.5 * (Math.pow(0.002, 1 / 7.0) - Math.pow(80, 1 / 7.0));
    assertEquals(Math.pow(root, 7), DiffusionPde.levels(3)[1], 1e-12);
  }

  @Test
  void withoutNoiseTheDenoiserIsTheIdentity() {
    EdmDenoiser model = random("poisson");
    Tensor x = Rng.of(3).normal(Device.cpu(), Shape.of(2, 2, 16, 16), DataType.F64);
    assertArrayEquals(x.toDoubles(), model.denoise(x, 1e-9).toDoubles(), 1e-7);
    assertTrue(model.denoise(x, 1).sub(x).abs().max(false).item() > 0.1);
  }

  @Test
  void anUntrainedDenoiserIsExactForNormalFields() {
    // F = 0 leaves c_skip x, the mean of N(0, σ_d²) given x, whose samples have deviation σ_d
    FlowConfig setting = Problems.paper("burgers");
    EdmDenoiser model =
        EdmDenoiser.of(
            setting, Backbone.UNET, Problems.units("burgers"), EdmDenoiser.Output.MIXED, Rng.of(1));
    Tensor drawn =
        DiffusionPde.of(model, NONE, 40)
            .batch(8)
            .reconstruct(Problems.observations("burgers"), 8, Rng.of(3))
            .samples();
    assertEquals(EdmDenoiser.SIGMA_DATA, Math.sqrt(drawn.square().mean().item()), 0.015);
  }

  @Test
  void theLossHasThePublishedWeights() {
    // F = 0: c_skip (x + σ n) - x, times the weight
    FlowConfig setting = Problems.paper("burgers");
    EdmDenoiser model =
        EdmDenoiser.of(
            setting, Backbone.UNET, scaled("burgers", 2), EdmDenoiser.Output.MIXED, Rng.of(1));
    Tensor fields = Problems.normalized("burgers");
    double[] levels = Rng.of(5).split("level").normal(Shape.of(12)).toDoubles();
    float[] noise = Rng.of(5).split("noise").normal(fields.shape()).toFloats();
    float[] clean = fields.mul(0.5).toFloats();
    double sum = 0;
    int each = clean.length / 12;
    for (int i = 0; i < clean.length; i++) {
      double s = Math.exp(-1.2 + 1.2 * levels[i / each]);
      double skip = 0.25 / (s * s + 0.25);
      double weight = (s * s + 0.25) / (s * 0.5 * s * 0.5);
      double error = skip * (clean[i] + s * noise[i]) - clean[i];
      sum += weight * error * error;
    }
    assertEquals(sum / clean.length, model.loss(fields, Rng.of(5)).item(), 1e-5);
  }

  @ParameterizedTest
  @ValueSource(strings = {"burgers", "poisson", "darcy", "ns"})
  void oneReversePassIsTheSumOfThree(String benchmark) {
    EdmDenoiser model = random(benchmark);
    Guidance all = Problems.guidance(benchmark);
    Observations seen = Problems.observations(benchmark);
    Tensor y = Guidance.readings(seen, model.setting().normalization());
    Tensor mask = seen.mask().to(DataType.F64);
    Tensor x = Rng.of(4).normal(Device.cpu(), seen.values().shape(), DataType.F64);
    double[] together = gradient(model, all, x, y, mask).toDoubles();
    Tensor apart = gradient(model, all.scaled(0, 1), x, y, mask);
    for (int c = 0; c < all.observation().size(); c++) {
      Double[] alone = new Double[all.observation().size()];
      java.util.Arrays.fill(alone, 0.0);
      alone[c] = all.observation().get(c);
      Guidance one = new Guidance(List.of(alone), all.perReading(), 0, all.residual());
      apart = apart.add(gradient(model, one, x, y, mask));
    }
    double size = apart.abs().max(false).item();
    assertTrue(size > 0);
    // the network runs in single precision
    assertArrayEquals(together, apart.toDoubles(), 1e-4 * size);
  }

  @ParameterizedTest
  @ValueSource(strings = {"burgers", "poisson", "darcy", "ns"})
  void separateGradientsGiveTheSameSamples(String benchmark) {
    EdmDenoiser model = random(benchmark);
    Observations seen = Problems.observations(benchmark);
    // gentle, so that rounding is not blown up along the path; 6 steps have both phases
    Guidance guidance = Problems.guidance(benchmark).scaled(0.01, 0.01);
    Tensor joined = DiffusionPde.of(model, guidance, 6).reconstruct(seen, 1, Rng.of(3)).samples();
    Tensor separate =
        DiffusionPde.of(model, guidance, 6)
            .gradients(DiffusionPde.Gradients.SEPARATE)
            .reconstruct(seen, 1, Rng.of(3))
            .samples();
    double size = joined.abs().max(false).item();
    assertArrayEquals(joined.toFloats(), separate.toFloats(), (float) (1e-4 * size));
    Tensor free =
        DiffusionPde.of(model, guidance.scaled(0, 0), 6).reconstruct(seen, 1, Rng.of(3)).samples();
    assertTrue(joined.sub(free).abs().max(false).item() > 1e-3 * size, "guidance does nothing");
  }

  private static Tensor gradient(
      EdmDenoiser model, Guidance guidance, Tensor x, Tensor y, Tensor mask) {
    try (Tape tape = Tape.watching(x)) {
      Tensor once = model.denoise(x, 0.5);
      Tensor twice = model.denoise(x.add(once), 0.3);
      Tensor fields = model.normalization().denormalize(twice);
      return tape.gradients(guidance.loss(fields, y, mask, true)).of(x);
    }
  }

  @Test
  void guidanceIsMeasuredInPhysicalUnits() {
    // one reading missed by 3, on top of an equation that holds: 0.1 · 40 · 3 late, 40 · 3 before
    Guidance guidance = Problems.guidance("poisson");
    double[] u = new double[2 * 16 * 16];
    Tensor x = Tensor.of(u, 1, 2, 16, 16);
    double[] sensor = new double[u.length];
    sensor[16 * 16 + 100] = 1;
    Tensor mask = Tensor.of(sensor, 1, 2, 16, 16);
    Tensor y = mask.mul(3);
    assertEquals(120, guidance.loss(x, y, mask, false).item(), 1e-9);
    assertEquals(12, guidance.loss(x, y, mask, true).item(), 1e-9);
    // f = 1 and u = 0 miss ∇²u = f by 1 at 14 x 14 interior points of 16 x 16
    Tensor wrong = Tensor.concat(1, Tensor.ones(1, 1, 16, 16), Tensor.zeros(1, 1, 16, 16));
    double residual = 14.0 / 256;
    assertEquals(12 + residual, guidance.loss(wrong.to(DataType.F64), y, mask, true).item(), 1e-9);
  }

  @Test
  void guidanceLeadsToTheReadings() {
    String benchmark = "poisson";
    EdmDenoiser model = model(benchmark);
    Observations seen = Problems.observations(benchmark);
    double free =
        misfit(DiffusionPde.of(model, Problems.guidance(benchmark).scaled(0, 0), 30), seen);
    double led = misfit(DiffusionPde.of(model, Problems.guidance(benchmark), 30), seen);
    assertTrue(led < 0.5 * free, "readings are missed by " + led + " instead of " + free);
  }

  private static double misfit(DiffusionPde system, Observations seen) {
    Tensor drawn = system.reconstruct(seen, 1, Rng.of(3)).samples();
    return SensorMisfit.rms(drawn, seen.values(), seen.mask()).item();
  }

  @Test
  void aWeightThatIsTooLargeDivergesWithItsStep() {
    EdmDenoiser model = random("poisson");
    Guidance wild = Problems.guidance("poisson").scaled(1e300, 0);
    DivergedException stopped =
        assertThrows(
            DivergedException.class,
            () ->
                DiffusionPde.of(model, wild, 20)
                    .reconstruct(Problems.observations("poisson"), 1, Rng.of(3)));
    assertTrue(stopped.step() >= 1 && stopped.step() <= 3, stopped.getMessage());
  }

  @Test
  void trainingAndFilesWork() throws IOException {
    EdmDenoiser model = model("burgers");
    Tensor fields = Problems.normalized("burgers");
    double before = model.loss(fields, Rng.of(3)).item();
    TrainConfig settings =
        new TrainConfig(
            40, 8, 4e-3, 1e-3, 5, 1e-4, 1, 0.9, 7, true, 40, 40, 0, TrainConfig.Method.ADAMW, 1);
    Problems.trainer(model, "burgers", settings, directory).train();
    double after = model.loss(fields, Rng.of(3)).item();
    assertTrue(after < 0.8 * before, "from " + before + " to " + after);
    EdmDenoiser read = EdmDenoiser.load(directory.resolve(Trainer.BEST));
    assertEquals(model.description(), read.description());
    assertEquals(after, read.loss(fields, Rng.of(3)).item());
  }

  @Test
  void itsOwnNetworkRunsInItsPlace() {
    FlowConfig setting = Problems.paper("burgers");
    EdmDenoiser model =
        EdmDenoiser.of(
            setting, Backbone.SONG, scaled("burgers", 2), EdmDenoiser.Output.MIXED, Rng.of(1));
    model.network().training(true);
    Tensor one = Problems.normalized("burgers").slice(0, 0, 1).contiguous();
    double loss = model.loss(one, Rng.of(3)).item();
    assertEquals(loss, model.loss(one, Rng.of(3)).item()); // dropout included
    assertTrue(Double.isFinite(loss) && loss > 0);
  }

  @Test
  void aNetworkThatGivesTheFieldIsJudgedByIt() {
    EdmDenoiser model = half(EdmDenoiser.Output.FIELD);
    Tensor fields = Problems.normalized("burgers");
    // an untrained network gives 0, and fields of variance 1 are of variance σ_d² inside
    assertEquals(fields.square().mean().item(), model.loss(fields, Rng.of(3)).item(), 1e-5);
    EdmDenoiser mixed = half(EdmDenoiser.Output.MIXED);
    Initializer.nonZero((UNet) model.network(), Rng.of(2));
    Initializer.nonZero((UNet) mixed.network(), Rng.of(2));
    Tensor x = Rng.of(4).normal(Shape.of(2, 1, 16, 16));
    // with the same weights, EDM's mixture of state and output
    double gain = Math.hypot(0.3, EdmDenoiser.SIGMA_DATA);
    double skip = 0.25 / (gain * gain);
    Tensor expected = x.mul(skip).addScaled(model.denoise(x, 0.3), 0.3 * 0.5 / gain);
    assertArrayEquals(expected.toFloats(), mixed.denoise(x, 0.3).toFloats(), 1e-5f);
  }

  private static EdmDenoiser half(EdmDenoiser.Output output) {
    FlowConfig setting = Problems.paper("burgers");
    return EdmDenoiser.of(setting, Backbone.UNET, scaled("burgers", 2), output, Rng.of(1));
  }
}
