package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.constraint.Certificate;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.DivergenceFree;
import io.perflow.physics.constraint.Mass;
import io.perflow.physics.constraint.Measured;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RectifiedFlowTest {
  // mean squares in single precision: a spectral divergence loses most, a mask nothing
  private static double floor(String benchmark) {
    return switch (benchmark) {
      case "burgers" -> 1e-13;
      case "ns" -> 2e-8;
      default -> 0;
    };
  }

  private static void assertHolds(RectifiedFlow flow, Tensor fields, double floor) {
    for (Constraint constraint : flow.projector().constraints()) {
      for (double error : constraint.meanSquare(fields).toDoubles()) {
        assertTrue(error <= floor, constraint.name() + " is off by " + error);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"burgers", "poisson", "darcy", "ns"})
  void everySamplerEndsOnTheManifold(String benchmark) {
    for (FlowConfig.Prediction prediction : FlowConfig.Prediction.values()) {
      if (prediction == FlowConfig.Prediction.CORRECTION && benchmark.equals("ns")) {
        continue; // its head is a stream function
      }
      RectifiedFlow flow = Small.flow(benchmark, prediction);
      Observations seen = Small.observations(flow);
      for (String method : List.of("euler", "midpoint", "heun", "rk4", "multistep", "dopri5")) {
        Ensemble drawn =
            FlowSampler.of(flow)
                .solver(OdeSolver.of(method, 5))
                .batch(2)
                .reconstruct(seen, 3, Rng.of(5));
        double size = drawn.samples().square().mean().item();
        assertTrue(size > 1e-3 && size < 1e4, method + " gave fields of mean square " + size);
        assertHolds(flow, drawn.samples(), floor(benchmark) * Math.max(1, size));
      }
    }
  }

  @Test
  void aStreamFunctionIsProjectedOntoWhatACurlDoesNotGive() {
    FlowConfig config = Small.config("ns", FlowConfig.Prediction.CLEAN);
    float[] place = new float[16 * 16];
    place[5 * 16 + 7] = 1;
    Constraint still = Measured.of(Tensor.of(place, 16, 16), Tensor.zeros(16, 16));
    Problem both = config.problem().with(List.of(DivergenceFree.spectral(), still));
    RectifiedFlow flow = Small.flow(config.problem(both));
    Observations seen = Small.observations(flow);
    Tensor drawn =
        FlowSampler.of(flow).solver(OdeSolver.euler(3)).reconstruct(seen, 1, Rng.of(5)).samples();
    assertHolds(flow, drawn, floor("ns"));
  }

  @Test
  void withoutProjectionTheConstraintIsBroken() {
    FlowConfig config = Small.config("burgers", FlowConfig.Prediction.CLEAN).unprojected();
    RectifiedFlow free = Small.flow(config);
    RectifiedFlow held = Small.flow("burgers", FlowConfig.Prediction.CLEAN);
    Observations seen = Small.observations(held);
    Tensor drawn = FlowSampler.of(free).reconstruct(seen, 1, Rng.of(5)).samples();
    double error = held.projector().constraints().get(0).meanSquare(drawn).item();
    assertTrue(error > 1e-6, "the unprojected twin satisfies the constraint: " + error);
  }

  @ParameterizedTest
  @ValueSource(strings = {"burgers", "poisson", "darcy", "ns"})
  void exactSensorsHoldTogetherWithThePhysics(String benchmark) {
    RectifiedFlow flow = Small.flow(benchmark, FlowConfig.Prediction.CLEAN);
    Observations seen = Small.observations(flow);
    for (String method : List.of("euler", "multistep")) {
      Tensor drawn =
          FlowSampler.of(flow)
              .solver(OdeSolver.of(method, 4))
              .sensors(FlowSampler.Agreement.EXACT)
              .reconstruct(seen, 2, Rng.of(5))
              .samples();
      double misfit = drawn.mul(seen.mask()).sub(seen.values()).abs().max(false).item();
      assertTrue(misfit < 1e-4, method + " misses sensors by " + misfit);
      assertHolds(flow, drawn, Math.max(1e-12, floor(benchmark)));
    }
  }

  private static final Constraint POWER =
      new Constraint() {
        @Override
        public String name() {
          return "power";
        }

        @Override
        public Tensor residual(Tensor x) {
          return x.square().mean(1, 2, 3).add(-0.25);
        }
      };

  @ParameterizedTest
  @ValueSource(strings = {"euler", "multistep"})
  void curvedConstraintsHoldInsideTheFlowAndAtTheEnd(String method) {
    FlowConfig config = Small.config("poisson", FlowConfig.Prediction.CLEAN);
    RectifiedFlow flat = Small.flow(config);
    RectifiedFlow curved = Small.flow(config.problem(config.problem().with(List.of(POWER))));
    OdeSolver solver = OdeSolver.of(method, 4);
    Observations seen = Small.observations(flat);
    FlowSampler inside = FlowSampler.of(curved).solver(solver);
    FlowSampler atTheEnd = FlowSampler.of(flat).solver(solver).constrain(List.of(POWER));
    for (FlowSampler sampler : List.of(inside, atTheEnd)) {
      Tensor drawn = sampler.reconstruct(seen, 1, Rng.of(5)).samples();
      double error = POWER.normalized(config.normalization()).meanSquare(drawn).item();
      assertTrue(error < 1e-10, "the power is off by " + Math.sqrt(error));
    }
  }

  @Test
  void readingsThatBreakThePhysicsAreFittedOrRefused() {
    RectifiedFlow flow = Small.flow("poisson", FlowConfig.Prediction.CLEAN);
    Tensor rim = Tensor.ones(1, 2, 16, 16);
    Observations noisy = Observations.of(rim, rim); // u is 1 on the rim, where it must be 0
    FlowSampler sampler = FlowSampler.of(flow).solver(OdeSolver.euler(2));
    Tensor fitted =
        sampler
            .sensors(FlowSampler.Agreement.LEAST_SQUARES)
            .reconstruct(noisy, 1, Rng.of(5))
            .samples();
    assertHolds(flow, fitted, floor("poisson"));
    double inside = fitted.slice(2, 1, 15).slice(3, 1, 15).add(-1).abs().max(false).item();
    assertTrue(inside < 1e-5, "readings that fit are missed by " + inside);
    sampler.sensors(FlowSampler.Agreement.EXACT);
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class, () -> sampler.reconstruct(noisy, 1, Rng.of(5)));
    assertTrue(refused.getMessage().contains("sensor"), refused.getMessage());
  }

  @Test
  void constraintsInPhysicalUnitsAreAddedAndCertified() {
    RectifiedFlow flow = Small.flow("poisson", FlowConfig.Prediction.CLEAN);
    Problem problem = flow.config().problem();
    Normalization units = flow.config().normalization();
    Readings readings =
        Readings.observe(
            problem, units.denormalize(Small.fields(flow, 1)), problem.masks().draw(Rng.of(4), 1));
    FlowSampler sampler =
        FlowSampler.of(flow)
            .solver(OdeSolver.euler(3))
            .constrain(List.of(Mass.over(2, 3).channels(1).value(0.25)))
            .sensors(FlowSampler.Agreement.EXACT);
    Reconstruction made = Reconstruction.of(sampler, readings, 2, Rng.of(5));
    assertEquals(3, made.certificate().worst().size(), "walls, mass and sensors");
    for (Certificate.Entry entry : made.certificate().worst()) {
      assertEquals(0, entry.physical().meanSquare(), 1e-24, entry.constraint());
    }
    double mean =
        made.fields().samples().slice(1, 1, 2).mean(2, 3).add(-0.25).abs().max(false).item();
    assertEquals(0, mean, 1e-12);
  }

  @Test
  void samplesDependOnTheSeedAndNotOnTheBatch() {
    RectifiedFlow flow = Small.flow("poisson", FlowConfig.Prediction.CLEAN);
    Observations seen = Small.observations(flow);
    FlowSampler sampler = FlowSampler.of(flow).solver(OdeSolver.euler(3));
    float[] once = sampler.batch(4).reconstruct(seen, 4, Rng.of(5)).samples().toFloats();
    float[] again = sampler.batch(4).reconstruct(seen, 4, Rng.of(5)).samples().toFloats();
    float[] singly = sampler.batch(1).reconstruct(seen, 4, Rng.of(5)).samples().toFloats();
    float[] other = sampler.batch(4).reconstruct(seen, 4, Rng.of(6)).samples().toFloats();
    assertArrayEquals(once, again);
    assertArrayEquals(once, singly, 1e-4f);
    assertTrue(Math.abs(once[100] - other[100]) > 1e-6);
  }

  @Test
  void theLossIsTheMeanSquareOfProjectedVelocityMinusDisplacement() {
    RectifiedFlow flow = Small.flow("burgers", FlowConfig.Prediction.VELOCITY);
    Tensor fields = Small.fields(flow, 3);
    Rng rng = Rng.of(9);
    double loss = flow.loss(fields, rng).item();
    Tensor planes = flow.config().problem().masks().draw(Rng.of(9).split("mask"), 3);
    Condition condition = flow.condition(Observations.of(fields, planes));
    Tensor x0 = flow.start(Rng.of(9).split("noise"), 3, Device.cpu());
    Tensor t = TimeSampler.UNIFORM.draw(Rng.of(9).split("time"), 3);
    Tensor x = x0.add(fields.sub(x0).mul(t.reshape(3, 1, 1, 1)));
    Tensor v = flow.velocity(x, t, condition, 1e-3);
    assertEquals(v.sub(fields.sub(x0)).square().mean().item(), loss, 1e-6 * loss);
  }

  @Test
  void anUntrainedCorrectionGivesTheFilledField() {
    FlowConfig config = Small.config("burgers", FlowConfig.Prediction.CORRECTION);
    RectifiedFlow flow = RectifiedFlow.of(config.unprojected(), Rng.of(1));
    Observations seen = Small.observations(flow);
    Tensor filled = config.condition().filled(flow.condition(seen).channels(), config.problem());
    Tensor drawn = FlowSampler.of(flow).reconstruct(seen, 1, Rng.of(5)).samples();
    assertEquals(0, drawn.sub(filled).abs().max(false).item(), 1e-5);
  }

  @Test
  void aFlowSurvivesItsFile(@TempDir Path directory) throws IOException {
    RectifiedFlow flow = Small.flow("ns", FlowConfig.Prediction.CLEAN);
    Path file = directory.resolve("flow.safetensors");
    flow.save(file);
    RectifiedFlow read = RectifiedFlow.load(file);
    assertEquals(flow.config(), read.config());
    Observations seen = Small.observations(flow);
    FlowSampler first = FlowSampler.of(flow).solver(OdeSolver.euler(2));
    FlowSampler second = FlowSampler.of(read).solver(OdeSolver.euler(2));
    assertArrayEquals(
        first.reconstruct(seen, 1, Rng.of(1)).samples().toFloats(),
        second.reconstruct(seen, 1, Rng.of(1)).samples().toFloats());
  }

  @Test
  void basesHaveMeanZeroAndVarianceOne() {
    for (SourceDistribution base : EnumSet.complementOf(EnumSet.of(SourceDistribution.PRIOR))) {
      Tensor drawn = base.draw(Rng.of(1), Device.cpu(), Shape.of(64, 1, 32, 32)).to(DataType.F64);
      assertEquals(0, drawn.mean().item(), 0.02, base + " mean");
      assertEquals(1, drawn.square().mean().item(), 0.08, base + " variance");
    }
  }

  @Test
  void aRandomStreamFunctionGivesUnitVelocities() {
    RectifiedFlow flow = Small.flow("ns", FlowConfig.Prediction.CLEAN);
    Tensor start = flow.start(Rng.of(1), 20, Device.cpu());
    assertEquals(1, start.square().mean().item(), 0.1);
  }

  @Test
  void fieldsOfAnotherShapeAreRefused() {
    RectifiedFlow flow = Small.flow("burgers", FlowConfig.Prediction.CLEAN);
    Tensor fields = Tensor.zeros(1, 1, 8, 8);
    assertThrows(IllegalArgumentException.class, () -> flow.loss(fields, Rng.of(1)));
    Observations wrong = new Observations(fields, Tensor.ones(1, 1, 8, 8));
    assertThrows(
        IllegalArgumentException.class,
        () -> FlowSampler.of(flow).reconstruct(wrong, 1, Rng.of(1)));
  }

  @Test
  void masksOfAnotherNumberAreRefused() {
    RectifiedFlow flow = Small.flow("poisson", FlowConfig.Prediction.CLEAN);
    Observations shared = new Observations(Tensor.zeros(1, 2, 16, 16), Tensor.ones(1, 1, 16, 16));
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> FlowSampler.of(flow).reconstruct(shared, 1, Rng.of(1)));
    assertTrue(refused.getMessage().contains("masks"), refused.getMessage());
  }

  @Test
  void aStreamFunctionNeedsTwoComponents() {
    FlowConfig config = Small.config("burgers", FlowConfig.Prediction.CLEAN);
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class, () -> config.head(FlowConfig.Head.STREAM_FUNCTION));
    assertTrue(refused.getMessage().contains("burgers has 1 quantities"), refused.getMessage());
  }
}
