package io.perflow.flow.baseline;

import io.perflow.flow.OdeSolver;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.function.IntFunction;

/**
 * A diffusion run backwards along some of its steps.
 *
 * <p>A move leads from a state x after step i, whose noise is ε, to the state after step j; ᾱ and
 * ᾱ' belong to i and j (Song et al., 2021):
 *
 * <pre>
 * x̂₁ = (x - √(1 - ᾱ) ε) / √ᾱ
 * x' = √ᾱ' x̂₁ + √(1 - ᾱ' - σ²) ε + σ z,      σ² = η² (1 - ᾱ/ᾱ') (1 - ᾱ') / (1 - ᾱ)
 * </pre>
 *
 * <p>η = 0 is DDIM. η = 1 is the posterior of DDPM, with j = i - 1 on all steps and with β
 * recomputed between the steps that are kept otherwise. The naive shortcut uses the posterior of
 * one step, j = i - 1, and then treats the result as the state after the next visited step,
 * although hardly any noise has been removed.
 *
 * @param schedule the noise of the steps
 * @param visited the steps to visit, the last first
 * @param eta the amount of fresh noise
 * @param naive whether each visit undoes only one step, whichever step is visited next
 */
record ReverseDiffusion(NoiseSchedule schedule, int[] visited, double eta, boolean naive) {

  /** A function that predicts the noise in a state after a step. */
  @FunctionalInterface
  interface Predictor {
    Tensor noise(Tensor x, int step);
  }

  /**
   * Runs the diffusion and returns the fields at its end.
   *
   * @param name the name for messages
   * @param start the state of pure noise
   * @param fresh the source of the noise z of visit 0, 1, …; called only when needed
   */
  Tensor run(String name, Predictor predictor, Tensor start, IntFunction<Tensor> fresh) {
    Tensor x = OdeSolver.state(start);
    for (int visit = 0; visit < visited.length; visit++) {
      Cancellation.check();
      try (Scope _ = Scope.open()) {
        int at = visited[visit];
        OdeSolver.move(x, step(x, predictor.noise(x, at), at, next(visit), visit, fresh));
      }
      DivergedException.check(name, x, visit + 1, visited.length);
    }
    return x;
  }

  // Step -1 is the field itself.
  private int next(int visit) {
    if (naive) {
      return visited[visit] - 1;
    }
    return visit + 1 < visited.length ? visited[visit + 1] : -1;
  }

  private Tensor step(Tensor x, Tensor noise, int i, int j, int visit, IntFunction<Tensor> fresh) {
    double before = schedule.kept(i);
    double after = schedule.kept(j);
    double sigma = deviation(i, j);
    double signal = Math.sqrt(after / before);
    double rest = Math.sqrt(Math.max(0, 1 - after - sigma * sigma));
    Tensor next = x.mul(signal).addScaled(noise, rest - signal * Math.sqrt(1 - before));
    return sigma == 0 ? next : next.addScaled(fresh.apply(visit), sigma);
  }

  /** Returns σ of a move from after step i to after step j. */
  double deviation(int i, int j) {
    double before = schedule.kept(i);
    double after = schedule.kept(j);
    return eta * Math.sqrt((1 - before / after) * (1 - after) / (1 - before));
  }
}
