package io.perflow.flow;

import io.perflow.physics.Problem;
import io.perflow.physics.Sensors;
import io.perflow.physics.prior.GaussianPrior;
import io.perflow.physics.prior.Kriging;
import io.perflow.physics.prior.Sensing;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The sensors with which a flow from a Gaussian prior is trained. More than half of the scenarios
 * follow the problem's distribution of sensors, with exact readings. The others have fewer or more
 * sensors, quantities without sensors, or noise, so that one model serves them all.
 *
 * <p>Conditioning the prior on new sensors costs about as much as a training step, so a scenario is
 * used for several steps: every step draws from {@value #WINDOW} current scenarios, and every
 * {@value #PACE} steps one of them is replaced. The current scenarios depend only on the step, so
 * that a run can resume at any step.
 */
final class Scenarios {
  private static final int WINDOW = 32;
  private static final int PACE = 4;
  private static final int KEPT = WINDOW + 16;
  private static final double USUAL = 0.6;
  private static final double NOISY = 0.5; // of the unusual ones
  private static final double DROPPED = 0.1; // planes without sensors, of the unusual ones
  private static final double LEAST_NOISE = 0.003;
  private static final double MOST_NOISE = 0.3;

  private final Problem problem;
  private final GaussianPrior prior;
  private final Map<Long, Scenario> made = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * Some sensors and the prior conditioned on them.
   *
   * @param planes the mask of the sensors, [1, planes, height, width]
   * @param sigma the standard deviation of their noise in normalized units
   * @param kriging the prior conditioned on them
   */
  record Scenario(Tensor planes, double sigma, Kriging kriging) {}

  Scenarios(Problem problem, GaussianPrior prior) {
    this.problem = problem;
    this.prior = prior;
  }

  /**
   * Draws one of the scenarios of a training step; for negative steps (validation), one of a fixed
   * set.
   */
  Scenario draw(Rng rng, long step) {
    int which = rng.nextInt(WINDOW);
    return at(step < 0 ? -1 - which / 2 : step / PACE + which);
  }

  private synchronized Scenario at(long number) {
    Scenario found = made.get(number);
    if (found == null) {
      found = make(Rng.of(2).split("scenario").split(number));
      made.put(number, found);
      if (made.size() > KEPT) {
        made.remove(made.keySet().iterator().next());
      }
    }
    return found;
  }

  private Scenario make(Rng rng) {
    boolean usual = rng.nextDouble() < USUAL;
    boolean noisy = rng.nextDouble() < NOISY;
    double level = LEAST_NOISE * Math.pow(MOST_NOISE / LEAST_NOISE, rng.nextDouble());
    double share = rng.nextDouble();
    float[] mask = (usual ? problem : problem.with(law(share))).masks().draw(rng, 1).toFloats();
    if (!usual) {
      drop(mask, rng, share);
    }
    int height = problem.grid().height();
    int width = problem.grid().width();
    Tensor planes = Tensor.of(mask, 1, problem.planes(), height, width);
    double sigma = usual || !noisy ? 0 : level;
    Sensing sensing = Sensing.of(problem, planes, sigma);
    return new Scenario(Scope.detach(planes), sigma, prior.given(sensing));
  }

  // From a sixteenth to all of the points, or from one to three times the lines, uniform on a
  // logarithmic scale.
  private Sensors law(double share) {
    Sensors usual = problem.sensors();
    boolean lines = usual.pattern() == Sensors.Pattern.LINES;
    if (usual.pattern() == Sensors.Pattern.FIXED) {
      return usual;
    }
    int there = lines ? problem.grid().axis(usual.axis()).points() : problem.grid().cells();
    double fewest = Math.max(1, lines ? 1 : usual.most() / 16.0);
    double most = Math.min(there, lines ? 3.0 * usual.most() : usual.most());
    int count = (int) Math.round(fewest * Math.pow(most / fewest, share));
    return usual.count(count, count);
  }

  // Whole planes lose their sensors; of fixed places, single ones do too.
  private void drop(float[] mask, Rng rng, double share) {
    int cells = problem.grid().cells();
    boolean fixed = problem.sensors().pattern() == Sensors.Pattern.FIXED;
    for (int plane = 0; plane < problem.planes(); plane++) {
      boolean whole = problem.planes() > 1 && rng.nextDouble() < DROPPED;
      for (int i = plane * cells; i < (plane + 1) * cells; i++) {
        if (whole || fixed && mask[i] != 0 && rng.nextDouble() < share) {
          mask[i] = 0;
        }
      }
    }
  }
}
