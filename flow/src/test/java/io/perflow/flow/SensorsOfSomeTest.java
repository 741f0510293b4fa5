package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.Sensors;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Readings of one quantity of two, and of none. */
class SensorsOfSomeTest {
  private static RectifiedFlow flow(Conditioning.Fill fill, Sensors sensors) {
    Problem poisson = Small.problem("poisson").with(sensors);
    FlowConfig config = Small.config(poisson, 0).prediction(FlowConfig.Prediction.CLEAN);
    return Small.flow(config.condition(Conditioning.rich(fill)));
  }

  @ParameterizedTest
  @EnumSource(names = {"NONE", "NEAREST", "ROWS"})
  void fieldsAreFiniteWhateverIsRead(Conditioning.Fill fill) {
    for (Sensors.Sharing sharing : Sensors.Sharing.values()) {
      RectifiedFlow flow = flow(fill, Sensors.points(3).sharing(sharing));
      Problem problem = flow.config().problem();
      Readings none = Readings.of(problem).build();
      Readings some = Readings.of(problem).at("u", 0.3, 0.4, 0.4).at("u", -0.1, 0.6, 0.8).build();
      for (Readings readings : new Readings[] {none, some}) {
        for (FlowSampler.Agreement agreement : FlowSampler.Agreement.values()) {
          Reconstruction found =
              PerFlow.of(flow)
                  .reconstruct(readings)
                  .samples(2)
                  .solver(OdeSolver.euler(2))
                  .sensors(agreement)
                  .draw(Rng.of(1));
          double size = found.fields().samples().square().mean().item();
          assertTrue(size > 1e-3 && size < 1e3, "fields of mean square " + size);
          if (agreement == FlowSampler.Agreement.EXACT && readings == some) {
            assertEquals(0.3, found.at("u", 0.4, 0.4).mean(), 1e-9);
            assertEquals(0, found.at("u", 0.4, 0.4).deviation(), 1e-9);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NONE", "NEAREST", "ROWS"})
  void aPlaneWithoutSensorsIsFilledWithItsMean(Conditioning.Fill fill) {
    RectifiedFlow flow = flow(fill, Sensors.points(3));
    Problem problem = flow.config().problem();
    Readings some = Readings.of(problem).at("u", 0.3, 0.4, 0.4).build();
    Observations seen = Observations.of(some, flow.config().normalization());
    Tensor channels = flow.config().condition().channels(seen, problem);
    assertEquals(flow.config().condition().count(problem), channels.dim(1));
    if (fill == Conditioning.Fill.NONE) {
      return;
    }
    Tensor filled = flow.config().condition().filled(channels, problem);
    // one reading fills u, with 0.3 / 0.5 in normalized units, and nothing fills f
    assertEquals(0, filled.slice(1, 0, 1).abs().max(false).item());
    assertEquals(0, filled.slice(1, 1, 2).add(-0.6).abs().max(false).item(), 1e-6);
  }
}
