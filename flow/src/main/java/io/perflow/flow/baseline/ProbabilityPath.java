package io.perflow.flow.baseline;

import io.perflow.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * A path from noise x₀ to a field x₁: x_t = α x₁ + σ x₀, where (α, σ) goes from (0, 1) to (1, 0) as
 * t goes from 0 to 1 (Lipman et al., Flow matching for generative modeling, 2023). The network
 * learns its velocity α' x₁ + σ' x₀.
 */
public sealed interface ProbabilityPath
    permits ProbabilityPath.OptimalTransport, ProbabilityPath.VariancePreserving {

  /**
   * The coefficients at a time.
   *
   * @param alpha the coefficient of the field
   * @param sigma the coefficient of the noise
   * @param alphaRate the derivative of alpha
   * @param sigmaRate the derivative of sigma
   */
  record Mix(double alpha, double sigma, double alphaRate, double sigmaRate) {
    /**
     * Returns the derivative of the velocity at a state with respect to the field: α' - α σ' / σ.
     */
    double gain() {
      return alphaRate - alpha * sigmaRate / sigma;
    }
  }

  /** Returns the coefficients at a time below {@link #last}. */
  Mix at(double t);

  /** Returns the last time that training and samplers use; the velocity is still bounded there. */
  double last();

  /** Returns the states x_t at times [batch]. */
  Tensor state(Tensor x0, Tensor x1, Tensor t);

  /** Returns the velocities of {@link #state}. */
  Tensor velocity(Tensor x0, Tensor x1, Tensor t);

  /** Returns the path's settings for files. */
  Map<String, Object> toJson();

  /**
   * A path of straight lines: α = t, σ = 1 - (1 - σ_min) t. With σ_min = 0 it is the path of the
   * rectified flow, operation by operation, so that training has the same bits.
   *
   * @param sigmaMin the standard deviation of the noise that remains at t = 1
   */
  record OptimalTransport(double sigmaMin) implements ProbabilityPath {
    /** Checks that the standard deviation is in [0, 1). */
    public OptimalTransport {
      if (!(sigmaMin >= 0 && sigmaMin < 1)) {
        throw new IllegalArgumentException(
            "[path] sigma_min %s must be in [0, 1)".formatted(sigmaMin));
      }
    }

    @Override
    public Mix at(double t) {
      return new Mix(t, 1 - (1 - sigmaMin) * t, 1, sigmaMin - 1);
    }

    @Override
    public double last() {
      return 1;
    }

    @Override
    public Tensor state(Tensor x0, Tensor x1, Tensor t) {
      return x0.add(velocity(x0, x1, t).mul(t.reshape(t.dim(0), 1, 1, 1)));
    }

    @Override
    public Tensor velocity(Tensor x0, Tensor x1, Tensor t) {
      return x1.sub(sigmaMin == 0 ? x0 : x0.mul(1 - sigmaMin));
    }

    @Override
    public Map<String, Object> toJson() {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("path", "ot");
      json.put("sigma_min", sigmaMin);
      return json;
    }
  }

  /**
   * The path of a variance-preserving diffusion run backwards: with s = 1 - t and T(s) = ½ s² (β₁ -
   * β₀) + s β₀, α = e^(-T/2) and σ = √(1 - e^(-T)). Most of the path lies in the last part of the
   * time, and σ' has a pole at the end; times therefore stay below 0.999.
   *
   * @param betaMin the rate of the noise at the field, 0.1 in the literature
   * @param betaMax the rate at the noise, 20 in the literature
   */
  record VariancePreserving(double betaMin, double betaMax) implements ProbabilityPath {
    /** Creates a path with the usual rates. */
    public VariancePreserving() {
      this(0.1, 20);
    }

    @Override
    public Mix at(double t) {
      double s = 1 - t;
      double total = 0.5 * s * s * (betaMax - betaMin) + s * betaMin;
      double rate = s * (betaMax - betaMin) + betaMin;
      double alpha = Math.exp(-total / 2);
      double sigma = Math.sqrt(-Math.expm1(-total));
      return new Mix(alpha, sigma, 0.5 * alpha * rate, -0.5 * alpha * alpha * rate / sigma);
    }

    @Override
    public double last() {
      return 0.999;
    }

    @Override
    public Tensor state(Tensor x0, Tensor x1, Tensor t) {
      return x1.mul(each(t, Mix::alpha)).add(x0.mul(each(t, Mix::sigma)));
    }

    @Override
    public Tensor velocity(Tensor x0, Tensor x1, Tensor t) {
      return x1.mul(each(t, Mix::alphaRate)).add(x0.mul(each(t, Mix::sigmaRate)));
    }

    @Override
    public Map<String, Object> toJson() {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("path", "vp");
      json.put("beta_min", betaMin);
      json.put("beta_max", betaMax);
      return json;
    }
  }

  /** Returns a coefficient at times [batch], as [batch, 1, 1, 1]. */
  default Tensor each(Tensor t, ToDoubleFunction<Mix> number) {
    double[] times = t.toDoubles();
    double[] values = new double[times.length];
    for (int i = 0; i < times.length; i++) {
      values[i] = number.applyAsDouble(at(times[i]));
    }
    return Tensor.of(values, values.length, 1, 1, 1).to(t.type()).to(t.device());
  }
}
