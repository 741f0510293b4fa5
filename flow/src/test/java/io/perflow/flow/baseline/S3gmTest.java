package io.perflow.flow.baseline;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.flow.FlowConfig;
import io.perflow.flow.Observations;
import io.perflow.flow.TrainConfig;
import io.perflow.flow.Trainer;
import io.perflow.nn.Initializer;
import io.perflow.nn.unet.UNet;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class S3gmTest {
  @TempDir Path directory;

  /** The score of independent normal numbers of deviation 1 with noise. */
  private static Tensor exact(Tensor x, double t) {
    double sigma = ScoreModel.sigma(t);
    return x.mul(-1 / (1 + sigma * sigma));
  }

  private static S3gm system(double strength, int steps) {
    return new S3gm(S3gmTest::exact, Problems.problem("burgers"), strength, steps).batch(4);
  }

  @Test
  void levelsGoFromATenthToTwenty() {
    assertEquals(0.1, ScoreModel.sigma(0), 1e-15);
    assertEquals(20, ScoreModel.sigma(1), 1e-12);
    assertEquals(Math.sqrt(2), ScoreModel.sigma(0.5), 1e-12);
  }

  @Test
  void anExactScoreGivesNormalFields() {
    Observations seen = Problems.observations("burgers");
    Tensor drawn = system(0, 400).reconstruct(seen, 16, Rng.of(3)).samples();
    // the recursion of the variance, which ends near 1
    double variance = 400;
    double mean = 0;
    for (int i = 0; i < 400; i++) {
      double high = ScoreModel.sigma((399 - i) / 399.0);
      double low = i == 399 ? 0 : ScoreModel.sigma((398 - i) / 399.0);
      double jump = high * high - low * low;
      double sigma = ScoreModel.sigma(1 - i / 400.0);
      double kept = 1 - jump / (1 + sigma * sigma);
      mean = kept * kept * variance;
      variance = mean + jump;
    }
    assertEquals(1, Math.sqrt(mean), 0.02);
    assertEquals(Math.sqrt(mean), Math.sqrt(drawn.square().mean().item()), 0.03);
  }

  @Test
  void readingsPullByTheGradientThroughTheScore() {
    // x̂₁ = x / (1 + σ²) here, so a reading moves x by 2 α (x̂₁ - y) / (1 + σ²) and nothing else
    // does
    Observations seen = Problems.observations("burgers");
    Tensor free = system(0, 2).reconstruct(seen, 1, Rng.of(3)).samples();
    Tensor led = system(0.01, 2).reconstruct(seen, 1, Rng.of(3)).samples();
    double sigma = 20;
    float[] start = Rng.of(3).split(0).normal(seen.values().shape()).toFloats();
    float[] y = seen.values().toFloats();
    float[] mask = seen.mask().toFloats();
    float[] a = free.toFloats();
    float[] b = led.toFloats();
    double alpha = 0.01 / Math.sqrt(Problems.SENSORS / 16.0);
    double next = ScoreModel.sigma(0.5);
    // the last level has j = 0: G² = σ_min², and its score is that of t = 1/2
    double kept = 1 - 0.01 / (1 + next * next);
    for (int i = 0; i < a.length; i++) {
      double clean = sigma * start[i] / (1 + sigma * sigma);
      double move = 2 * alpha * (clean - y[i]) / (1 + sigma * sigma) * mask[i];
      assertEquals(a[i] - kept * move, b[i], 1e-5);
    }
    assertTrue(free.sub(led).abs().max(false).item() > 1e-5);
  }

  @Test
  void strongerReadingsAreMissedLess() {
    Observations seen = Problems.observations("burgers");
    double free = misfit(system(0, 60), seen);
    double led = misfit(system(0.1, 60), seen);
    assertTrue(led < 0.5 * free, led + " instead of " + free);
  }

  private static double misfit(S3gm system, Observations seen) {
    Tensor drawn = system.reconstruct(seen, 1, Rng.of(3)).samples();
    return drawn.sub(seen.values()).mul(seen.mask()).square().mean().item();
  }

  @Test
  void aStrengthThatIsTooLargeDivergesWithItsStep() {
    Observations seen = Problems.observations("burgers");
    S3gm wild = system(1e4, 50);
    DivergedException stopped =
        assertThrows(DivergedException.class, () -> wild.reconstruct(seen, 1, Rng.of(3)));
    assertTrue(stopped.step() > 1, stopped.getMessage());
  }

  @Test
  void bothOutputsLearnAndSurviveTheirFiles() throws IOException {
    Tensor fields = Problems.normalized("burgers");
    for (ScoreModel.Output output : ScoreModel.Output.values()) {
      FlowConfig setting = Problems.fast("burgers");
      ScoreModel model = ScoreModel.of(setting, Backbone.UNET, output, Rng.of(1));
      double before = model.loss(fields, Rng.of(3)).item();
      assertEquals(1, before, 0.1); // σ s + z with s = 0, or the field, of variance 1
      TrainConfig settings =
          new TrainConfig(
              40, 8, 4e-3, 1e-3, 5, 1e-4, 1, 0.9, 7, true, 40, 40, 0, TrainConfig.Method.ADAMW, 1);
      Path run = directory.resolve(output.name());
      Problems.trainer(model, "burgers", settings, run).train();
      double after = model.loss(fields, Rng.of(3)).item();
      assertTrue(after < 0.98 * before, output + " from " + before + " to " + after);
      ScoreModel read = ScoreModel.load(run.resolve(Trainer.BEST));
      assertEquals(model.description(), read.description());
      Observations seen = Problems.observations("burgers");
      assertArrayEquals(
          S3gm.of(model, 0.1, 3).reconstruct(seen, 1, Rng.of(5)).samples().toFloats(),
          S3gm.of(read, 0.1, 3).reconstruct(seen, 1, Rng.of(5)).samples().toFloats());
    }
  }

  @Test
  void theFieldGivesTheScore() {
    FlowConfig setting = Problems.paper("burgers");
    ScoreModel field = ScoreModel.of(setting, Backbone.UNET, ScoreModel.Output.FIELD, Rng.of(1));
    ScoreModel score = ScoreModel.of(setting, Backbone.UNET, ScoreModel.Output.SCORE, Rng.of(1));
    Initializer.nonZero((UNet) field.network(), Rng.of(2));
    Initializer.nonZero((UNet) score.network(), Rng.of(2));
    Tensor x = Rng.of(4).normal(Shape.of(2, 1, 16, 16));
    double sigma = ScoreModel.sigma(0.3);
    Tensor given = score.score(x.mul(1 / Math.hypot(1, sigma)), 0.3); // what the network gives
    Tensor expected = given.sub(x).mul(1 / (sigma * sigma));
    assertArrayEquals(expected.toFloats(), field.score(x, 0.3).toFloats(), 1e-4f);
  }

  @Test
  void sequencesKeepTheirChannels() {
    // a network for sequences sees u and v of a frame together and gives them back in their places
    ScoreModel model =
        ScoreModel.of(Problems.paper("ns"), Backbone.VIDEO, ScoreModel.Output.SCORE, Rng.of(1));
    Tensor x = Rng.of(4).normal(Shape.of(1, 20, 16, 16));
    assertEquals(x.shape(), model.score(x, 0.5).shape());
  }
}
