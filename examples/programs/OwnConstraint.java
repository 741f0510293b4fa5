// A constraint of your own: the standard deviation of the temperature over a plate is known.
// The condition is not linear, so all it states is g(x) = 0; the tape finds the derivative.

import io.perflow.flow.*;
import io.perflow.physics.*;
import io.perflow.physics.constraint.*;
import io.perflow.physics.solver.Heat;
import io.perflow.tensor.*;
import java.util.List;
import java.util.Map;

/** The mean square of T - 300 K over the plate. */
record Spread(double deviation) implements Constraint {
  public String name() {
    return "deviation of " + deviation + " K";
  }

  public Tensor residual(Tensor x) { // (batch, 1, h, w) in kelvin to (batch, 1, 1, 1)
    return x.sub(300).square().mean(true, 1, 2, 3).sub(deviation * deviation);
  }
}

void main() {
  Heat plate = Heat.standard().size(24);
  Dataset data = Dataset.of(plate.problem(), plate.samples(200, Rng.of(1)), Scaling.UNIT, Map.of());
  PriorModel model = PriorModel.learn(data);
  KrigingSampler free = model.kriging();
  KrigingSampler bound = model.kriging().constrain(List.of(new Spread(15)));

  Readings readings = Readings.of(plate.problem()).at("T", 310, 0.3, 0.4).build();
  for (KrigingSampler sampler : List.of(free, bound)) {
    Tensor samples = Reconstruction.of(sampler, readings, 3, Rng.of(2)).fields().samples();
    for (int i = 0; i < 3; i++) {
      Tensor one = samples.slice(0, i, i + 1);
      double mean = one.mean().item();
      double deviation = Math.sqrt(one.sub(300).square().mean().item());
      IO.println("mean %.1f K, deviation %.1f K".formatted(mean, deviation));
    }
  }
}

// Output:
// mean 300.0 K, deviation 24.9 K
// mean 300.0 K, deviation 13.6 K
// mean 300.0 K, deviation 12.4 K
// mean 300.0 K, deviation 15.0 K
// mean 300.0 K, deviation 15.0 K
// mean 300.0 K, deviation 15.0 K
