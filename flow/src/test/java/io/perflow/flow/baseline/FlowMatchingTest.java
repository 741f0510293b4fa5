package io.perflow.flow.baseline;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.flow.FlowConfig;
import io.perflow.flow.FlowSampler;
import io.perflow.flow.Objective;
import io.perflow.flow.Observations;
import io.perflow.flow.OdeSolver;
import io.perflow.flow.RectifiedFlow;
import io.perflow.flow.TrainConfig;
import io.perflow.flow.TrainingListener;
import io.perflow.nn.Initializer;
import io.perflow.physics.metric.SensorMisfit;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlowMatchingTest {
  private static final ProbabilityPath STRAIGHT = new ProbabilityPath.OptimalTransport(0);
  private static final ProbabilityPath NEARLY = new ProbabilityPath.OptimalTransport(0.1);
  private static final ProbabilityPath CURVED = new ProbabilityPath.VariancePreserving();

  @TempDir Path directory;

  private List<Double> train(Objective objective, String name) throws IOException {
    List<Double> losses = new ArrayList<>();
    TrainConfig settings =
        new TrainConfig(
            8, 4, 1e-3, 1e-4, 2, 1e-4, 1, 0.9, 7, true, 8, 8, 0, TrainConfig.Method.ADAMW, 1);
    Problems.trainer(objective, "burgers", settings, directory.resolve(name))
        .listener(
            new TrainingListener() {
              @Override
              public void step(long step, double loss, double rate) {
                losses.add(loss);
              }
            })
        .train();
    return losses;
  }

  @Test
  void theStraightPathIsTheRectifiedFlowBitForBit() throws IOException {
    FlowConfig setting = Problems.paper("burgers").unprojected();
    RectifiedFlow flow = RectifiedFlow.of(setting, Rng.of(1));
    FlowMatching system = FlowMatching.of(setting, STRAIGHT, Rng.of(1));
    List<Double> expected = train(flow, "rf");
    assertEquals(expected, train(system, "fm"));
    assertNotEquals(expected.getFirst(), expected.getLast());
    Observations seen = Problems.observations("burgers");
    OdeSolver solver = OdeSolver.euler(5);
    assertArrayEquals(
        FlowSampler.of(flow)
            .solver(solver)
            .batch(2)
            .reconstruct(seen, 3, Rng.of(2))
            .samples()
            .toFloats(),
        system.sampler(solver, 2).reconstruct(seen, 3, Rng.of(2)).samples().toFloats());
  }

  @Test
  void aPathThatLeavesNoiseIsAnotherOne() {
    FlowConfig setting = Problems.paper("burgers");
    Tensor fields = Problems.normalized("burgers");
    double straight = FlowMatching.of(setting, STRAIGHT, Rng.of(1)).loss(fields, Rng.of(3)).item();
    double nearly = FlowMatching.of(setting, NEARLY, Rng.of(1)).loss(fields, Rng.of(3)).item();
    assertTrue(Math.abs(straight - nearly) > 1e-3, straight + " and " + nearly);
  }

  @Test
  void velocitiesAreDerivativesOfStates() {
    Tensor x0 = Rng.of(1).normal(Shape.of(3, 1, 2, 2)).to(DataType.F64);
    Tensor x1 = Rng.of(2).normal(Shape.of(3, 1, 2, 2)).to(DataType.F64);
    double h = 1e-6;
    for (ProbabilityPath path : List.of(STRAIGHT, NEARLY, CURVED)) {
      double[] times = {0.1, 0.6, 0.97};
      Tensor later = path.state(x0, x1, shifted(times, h));
      Tensor earlier = path.state(x0, x1, shifted(times, -h));
      Tensor slope = later.sub(earlier).mul(1 / (2 * h));
      Tensor velocity = path.velocity(x0, x1, shifted(times, 0));
      assertArrayEquals(slope.toDoubles(), velocity.toDoubles(), 1e-6, path.toString());
    }
  }

  private static Tensor shifted(double[] times, double by) {
    return Tensor.of(times, times.length).add(by);
  }

  @Test
  void pathsRunFromNoiseToTheField() {
    assertEquals(0.00657, CURVED.at(0).alpha(), 1e-5); // e^(-10.05 / 2)
    assertEquals(1, CURVED.at(0).sigma(), 1e-4);
    assertEquals(1, CURVED.at(1).alpha(), 0);
    assertEquals(0, CURVED.at(1).sigma(), 0);
    assertEquals(0.1, NEARLY.at(1).sigma(), 1e-15);
    double t = 0.7;
    ProbabilityPath.Mix mix = CURVED.at(t);
    // α² + σ² = 1, and so α α' + σ σ' = 0
    assertEquals(1, mix.alpha() * mix.alpha() + mix.sigma() * mix.sigma(), 1e-14);
    assertEquals(0, mix.alpha() * mix.alphaRate() + mix.sigma() * mix.sigmaRate(), 1e-14);
  }

  @Test
  void theCleanFieldGivesTheVelocity() {
    // a network that knows the field: velocity (σ'/σ) x + g x₁ must be α' x₁ + σ' x₀
    for (ProbabilityPath path : List.of(STRAIGHT, NEARLY, CURVED)) {
      ProbabilityPath.Mix mix = path.at(0.8);
      double x0 = -0.3;
      double x1 = 1.7;
      double x = mix.alpha() * x1 + mix.sigma() * x0;
      double velocity = mix.sigmaRate() / mix.sigma() * x + mix.gain() * x1;
      assertEquals(mix.alphaRate() * x1 + mix.sigmaRate() * x0, velocity, 1e-12);
    }
    assertEquals(5, STRAIGHT.at(0.8).gain(), 1e-12); // 1 / (1 - t)
  }

  @Test
  void aFieldThatIsPredictedIsWhereThePathEnds() {
    // a fresh network predicts the field filled in from the sensors, and every path must end there
    for (ProbabilityPath path : List.of(STRAIGHT, CURVED)) {
      FlowMatching system = FlowMatching.of(Problems.fast("burgers"), path, Rng.of(1));
      Observations seen = Problems.observations("burgers");
      Tensor drawn =
          system.sampler(OdeSolver.euler(50), 4).reconstruct(seen, 2, Rng.of(5)).samples();
      double misfit =
          SensorMisfit.rms(drawn, seen.values().expand(drawn.shape()), seen.mask()).mean().item();
      assertTrue(misfit < 0.05, path + " misses the readings by " + misfit);
      double apart = drawn.select(0, 0).sub(drawn.select(0, 1)).square().mean().item();
      assertTrue(apart < 0.01, path + " leaves noise of variance " + apart);
    }
  }

  @Test
  void aSystemSurvivesItsFile() throws IOException {
    for (ProbabilityPath path : List.of(NEARLY, CURVED)) {
      FlowMatching system = FlowMatching.of(Problems.fast("poisson"), path, Rng.of(1));
      Initializer.nonZero(system.network(), Rng.of(2));
      Path file = directory.resolve("fm.safetensors");
      system.save(file);
      FlowMatching read = FlowMatching.load(file);
      assertEquals(system.description(), read.description());
      Observations seen = Problems.observations("poisson");
      OdeSolver solver = OdeSolver.euler(3);
      assertArrayEquals(
          system.sampler(solver, 1).reconstruct(seen, 1, Rng.of(5)).samples().toFloats(),
          read.sampler(solver, 1).reconstruct(seen, 1, Rng.of(5)).samples().toFloats());
      assertThrows(IllegalArgumentException.class, () -> Diffusion.load(file));
      assertThrows(IllegalArgumentException.class, () -> RectifiedFlow.load(file));
    }
  }
}
