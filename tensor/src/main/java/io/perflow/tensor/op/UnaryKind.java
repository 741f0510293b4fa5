package io.perflow.tensor.op;

import java.util.function.DoubleUnaryOperator;

/**
 * Functions of one number that a backend applies to every element.
 *
 * <p>{@link #apply} defines the result: a backend may compute in float and by other formulas, but
 * must agree to within rounding and in every special case (NaN in gives NaN out, except {@link
 * #IS_NAN} and {@link #NOT}).
 */
public enum UnaryKind {
  /** {@code -x}. */
  NEG(x -> -x),
  /** {@code |x|}. */
  ABS(Math::abs),
  /** -1, 0 or 1; zeros keep their sign. */
  SIGN(Math::signum),
  /** {@code x²}. */
  SQUARE(x -> x * x),
  /** {@code √x}; NaN below 0. */
  SQRT(Math::sqrt),
  /** {@code 1 / √x}. */
  RSQRT(x -> 1 / Math.sqrt(x)),
  /** {@code 1 / x}. */
  RECIPROCAL(x -> 1 / x),
  /** {@code eˣ}. */
  EXP(Math::exp),
  /** The natural logarithm; -infinity at 0, NaN below. */
  LOG(Math::log),
  /** The sine of radians. */
  SIN(Math::sin),
  /** The cosine of radians. */
  COS(Math::cos),
  /** The hyperbolic tangent. */
  TANH(Math::tanh),
  /** {@code 1 / (1 + e⁻ˣ)}. */
  SIGMOID(UnaryKind::sigmoid),
  /** {@code x · sigmoid(x)}. */
  SILU(x -> x * sigmoid(x)),
  /** Derivative of {@link #SILU}: {@code s + x s (1 - s)} with {@code s = sigmoid(x)}. */
  SILU_GRAD(x -> sigmoid(x) + x * sigmoid(x) * sigmoid(-x)),
  /** {@code x} above 0, otherwise 0. */
  RELU(x -> x < 0 ? 0 : x),
  /** {@code x Φ(x)} with the normal distribution function Φ. */
  GELU(x -> x * ErrorFunction.normal(x)),
  /** The derivative of {@link #GELU}: {@code Φ(x) + x φ(x)}. */
  GELU_GRAD(UnaryKind::geluGrad),
  /** The error function {@code (2 / √π) ∫₀ˣ exp(-t²) dt}. */
  ERF(ErrorFunction::erf),
  /** {@code log(1 + eˣ)}. */
  SOFTPLUS(x -> Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)))),
  /** The largest integer not above x. */
  FLOOR(Math::floor),
  /** The nearest integer; halves go to the even one. */
  ROUND(Math::rint),
  /** The smallest integer not below x. */
  CEIL(Math::ceil),
  /** 1 for NaN, otherwise 0. */
  IS_NAN(x -> Double.isNaN(x) ? 1 : 0),
  /** 1 for zero, otherwise 0 (NaN counts as true, so it gives 0). */
  NOT(x -> x == 0 ? 1 : 0);

  private static final double INV_SQRT_TWO_PI = 1 / Math.sqrt(2 * Math.PI);

  private final DoubleUnaryOperator function;

  UnaryKind(DoubleUnaryOperator function) {
    this.function = function;
  }

  /** Returns the function's value at {@code x}. */
  public double apply(double x) {
    return function.applyAsDouble(x);
  }

  private static double sigmoid(double x) {
    double e = Math.exp(-Math.abs(x)); // never overflows, and keeps the lower tail accurate
    return (x < 0 ? e : 1) / (1 + e);
  }

  private static double geluGrad(double x) {
    double density = Math.exp(-0.5 * x * x) * INV_SQRT_TWO_PI;
    return ErrorFunction.normal(x) + (density == 0 ? 0 : x * density);
  }
}
