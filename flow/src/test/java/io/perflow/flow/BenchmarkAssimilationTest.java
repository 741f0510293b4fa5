package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Dataset;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.Scaling;
import io.perflow.physics.Sensors;
import io.perflow.physics.solver.FieldGenerator;
import io.perflow.physics.solver.NavierStokes;
import io.perflow.physics.solver.Poisson;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Samples of small benchmarks that solve their equations, beside those of kriging. */
class BenchmarkAssimilationTest {
  private static final int TRIALS = 3;

  private static double error(Reconstruction found, Tensor truth) {
    double missed = found.fields().mean().to(DataType.F64).sub(truth).square().mean().item();
    return Math.sqrt(missed / truth.square().mean().item());
  }

  // errors of the mean: of kriging, then of assimilation, whose samples solve the equation
  private static double[] errors(FieldGenerator generator, Problem problem, int samples) {
    Dataset data = Dataset.of(problem, generator.samples(300, Rng.of(1)), Scaling.UNIT, Map.of());
    PriorModel model = PriorModel.learn(data);
    double[] errors = new double[2];
    for (int i = 0; i < TRIALS; i++) {
      double[] sample = generator.sample(Rng.of(2).split(i));
      Tensor truth = Tensor.of(sample, problem.batch(1).toArray());
      Tensor masks = problem.masks().draw(Rng.of(3).split(i), 1);
      Readings readings = Readings.observe(problem, truth, masks);
      Reconstruction simple = Reconstruction.of(model.kriging(), readings, samples, Rng.of(4));
      Reconstruction found = Reconstruction.of(model.assimilation(), readings, samples, Rng.of(4));
      assertEquals(List.of(), found.warnings());
      var certified = found.certificate().worst().getLast();
      assertEquals("equation", certified.constraint());
      assertTrue(certified.physical().max() < 1e-12, certified.toString());
      errors[0] += error(simple, truth) / TRIALS;
      errors[1] += error(found, truth) / TRIALS;
    }
    return errors;
  }

  private static void requireWithin(double factor, double[] errors) {
    assertTrue(
        errors[1] < factor * errors[0],
        "assimilation %.4f, kriging %.4f".formatted(errors[1], errors[0]));
  }

  @Test
  void flowsFromAFewSensorsOfEachFrame() {
    NavierStokes flow = NavierStokes.advective().grid(16, 16).times(5, 5).step(0.1).sensors(4);
    requireWithin(0.7, errors(flow, flow.problem().with(flow.equation()), 4));
  }

  /** For a linear equation both draw from one law, and differ by chance only. */
  @Test
  void sourcesAndSolutions() {
    Poisson poisson = Poisson.standard().size(20);
    requireWithin(1.05, errors(poisson, poisson.problem().with(Sensors.points(12)), 40));
  }
}
