package io.perflow.flow.baseline;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.flow.Condition;
import io.perflow.flow.FlowConfig;
import io.perflow.flow.Observations;
import io.perflow.flow.TrainConfig;
import io.perflow.nn.Initializer;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiffusionTest {
  private static final NoiseSchedule LINEAR = NoiseSchedule.linear(1000);

  @TempDir Path directory;

  /** The noise in a state, known exactly when fields are normal numbers of this deviation. */
  private static ReverseDiffusion.Predictor exact(double deviation) {
    return (x, step) -> {
      double kept = LINEAR.kept(step);
      double variance = kept * deviation * deviation + 1 - kept;
      return x.mul(Math.sqrt(1 - kept) / variance);
    };
  }

  private static double deviation(ReverseDiffusion process) {
    Shape many = Shape.of(40000);
    Rng rng = Rng.of(6);
    Tensor end =
        process.run("test", exact(0.14), rng.normal(many), visit -> rng.split(visit).normal(many));
    return Math.sqrt(end.square().mean().item());
  }

  @Test
  void anExactDenoiserShowsWhatEachSamplerLeaves() {
    // to three digits, from the recursion of the variance; 40,000 numbers give 0.4 per cent
    int[] all = LINEAR.spaced(1000);
    int[] some = LINEAR.spaced(50);
    assertEquals(0.1363, deviation(new ReverseDiffusion(LINEAR, all, 1, false)), 0.002);
    assertEquals(0.1036, deviation(new ReverseDiffusion(LINEAR, some, 1, false)), 0.002);
    assertEquals(0.827, deviation(new ReverseDiffusion(LINEAR, some, 1, true)), 0.012);
  }

  @Test
  void ddimWithAllStepsAndAllNoiseIsDdpm() {
    ReverseDiffusion process = new ReverseDiffusion(LINEAR, LINEAR.strided(1000), 1, false);
    assertArrayEquals(IntStream.range(0, 1000).map(i -> 999 - i).toArray(), process.visited());
    double product = 1;
    for (int i = 0; i < 1000; i++) {
      double beta = 1e-4 + (0.02 - 1e-4) * i / 999;
      double before = product;
      product *= 1 - beta;
      // the posterior of Ho et al.: variance β (1 - ᾱ') / (1 - ᾱ), and its mean in x̂₁ and x
      double variance = beta * (1 - before) / (1 - product);
      double sigma = process.deviation(i, i - 1);
      assertEquals(variance, sigma * sigma, 1e-12 * Math.max(variance, 1e-6));
      double ofField = beta * Math.sqrt(before) / (1 - product);
      double ofState = (1 - before) * Math.sqrt(1 - beta) / (1 - product);
      // the same mean by its noise: x = √ᾱ x̂₁ + √(1 - ᾱ) ε
      double noise = Math.sqrt(Math.max(0, 1 - before - sigma * sigma));
      assertEquals(ofField + ofState * Math.sqrt(product), Math.sqrt(before), 1e-9);
      assertEquals(ofState * Math.sqrt(1 - product), noise, 1e-7);
    }
  }

  @Test
  void fewerStepsAreSpreadOverAll() {
    int[] spaced = LINEAR.spaced(50);
    assertEquals(999, spaced[0]);
    assertEquals(0, spaced[49]);
    int[] strided = LINEAR.strided(50);
    assertArrayEquals(IntStream.range(0, 50).map(i -> 999 - 20 * i).toArray(), strided);
    assertThrows(IllegalArgumentException.class, () -> LINEAR.spaced(1001));
  }

  @Test
  void schedulesDrownTheField() {
    assertEquals(1, LINEAR.kept(-1));
    assertEquals(1 - 1e-4, LINEAR.kept(0), 1e-15);
    assertEquals(4.036e-5, LINEAR.kept(999), 1e-8); // of Ho et al.
    NoiseSchedule cosine = NoiseSchedule.of("cosine", 1000);
    assertTrue(cosine.kept(999) < 1e-8 && cosine.kept(500) > 0.4);
    assertThrows(IllegalArgumentException.class, () -> NoiseSchedule.of("sine", 10));
  }

  private static Diffusion model(FlowConfig setting) {
    return Diffusion.of(setting, LINEAR, Rng.of(1));
  }

  @Test
  void theLossIsThatOfTheNoise() {
    // a network that says 0 has the variance of the noise as its loss
    Diffusion model = model(Problems.paper("burgers"));
    double loss = model.loss(Problems.normalized("burgers"), Rng.of(3)).item();
    assertEquals(1, loss, 0.05);
    Tensor expected =
        Rng.of(3).split("noise").normal(Shape.of(12, 1, Problems.SIZE, Problems.SIZE));
    assertEquals(expected.square().mean().item(), loss, 1e-6);
  }

  @Test
  void aNetworkOfFieldsTellsTheNoiseThatLeadsToThem() {
    // an untrained correction is 0, so that the field is the one filled in from the sensors
    Diffusion model = model(Problems.fast("burgers"));
    Observations seen = Problems.observations("burgers");
    Condition given = model.given(seen);
    Tensor filled = given.channels().slice(1, 2, 3).contiguous(); // after readings and mask
    Tensor noise = model.draw(Rng.of(4), seen.values().device());
    for (int step : new int[] {0, 400, 999}) {
      double kept = LINEAR.kept(step);
      Tensor x = filled.mul(Math.sqrt(kept)).add(noise.mul(Math.sqrt(1 - kept)));
      Tensor miss = model.noise(x, step, given).sub(noise);
      assertEquals(0, Math.sqrt(miss.square().mean().item()), 1e-4);
    }
    // and so a sampler without fresh noise ends there
    Tensor end = DiffusionSampler.ddim(model, 10).reconstruct(seen, 1, Rng.of(5)).samples();
    assertEquals(0, end.sub(filled).square().mean().item(), 1e-8);
  }

  @Test
  void trainingMakesTheLossSmaller() throws IOException {
    Diffusion model = model(Problems.fast("burgers"));
    Tensor fields = Problems.normalized("burgers");
    double before = model.loss(fields, Rng.of(3)).item();
    TrainConfig settings =
        new TrainConfig(
            60, 8, 4e-3, 1e-3, 5, 1e-4, 1, 0.9, 7, true, 60, 60, 0, TrainConfig.Method.ADAMW, 1);
    Problems.trainer(model, "burgers", settings, directory).train();
    double after = model.loss(fields, Rng.of(3)).item();
    assertTrue(after < 0.7 * before, "from " + before + " to " + after);
  }

  @Test
  void everySamplerSurvivesItsFileAndItsBatch() throws IOException {
    Diffusion model = model(Problems.fast("burgers"));
    Initializer.nonZero(model.network(), Rng.of(2));
    Path file = directory.resolve("diffusion.safetensors");
    model.save(file);
    Diffusion read = Diffusion.load(file);
    assertEquals(model.description(), read.description());
    Observations seen = Problems.observations("burgers");
    List<DiffusionSampler> written =
        List.of(
            DiffusionSampler.ddpm(model, 4),
            DiffusionSampler.naive(model, 4),
            DiffusionSampler.ddim(model, 4));
    List<DiffusionSampler> loaded =
        List.of(
            DiffusionSampler.ddpm(read, 4),
            DiffusionSampler.naive(read, 4),
            DiffusionSampler.ddim(read, 4));
    for (int i = 0; i < written.size(); i++) {
      float[] expected =
          written.get(i).batch(3).reconstruct(seen, 3, Rng.of(5)).samples().toFloats();
      float[] found = loaded.get(i).batch(3).reconstruct(seen, 3, Rng.of(5)).samples().toFloats();
      float[] singly = loaded.get(i).batch(1).reconstruct(seen, 3, Rng.of(5)).samples().toFloats();
      assertArrayEquals(expected, found);
      for (int j = 0; j < expected.length; j++) {
        assertEquals(expected[j], singly[j], 1e-3 * Math.max(1, Math.abs(expected[j])));
      }
    }
  }

  @Test
  void aSamplerThatDivergesSaysWhen() {
    ReverseDiffusion process = new ReverseDiffusion(LINEAR, LINEAR.spaced(10), 1, false);
    ReverseDiffusion.Predictor wild =
        (x, step) -> step > 500 ? x.mul(0) : x.mul(Double.POSITIVE_INFINITY);
    DivergedException stopped =
        assertThrows(
            DivergedException.class,
            () -> process.run("wild", wild, Tensor.ones(4), visit -> Tensor.zeros(4)));
    assertEquals(6, stopped.step());
    assertEquals(10, stopped.steps());
    assertTrue(stopped.getMessage().contains("[wild] diverged at step 6 of 10"));
  }
}
