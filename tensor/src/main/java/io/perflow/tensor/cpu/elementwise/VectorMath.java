package io.perflow.tensor.cpu.elementwise;

import static io.perflow.tensor.cpu.vector.Simd.F;
import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.EQ;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.XOR;

import java.util.function.DoubleUnaryOperator;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;

/**
 * Elementary functions of whole vectors, to within a few units in the last place.
 *
 * <p>All are polynomials after a range reduction, evaluated with fused multiply-add, so that a
 * result does not depend on a mathematics library of the platform, on the position of a value in an
 * array, or on its neighbours in the vector. The coefficients are minimax fits of the relative
 * error, rounded to float one after the other with the rest fitted again.
 *
 * <p>Methods are short because they must be inlined into the loops that call them: a vector that
 * crosses a call is an object on the heap.
 */
public final class VectorMath {
  /** Adding 1.5 · 2²³ rounds to the nearest integer and leaves it in the low bits. */
  static final float ROUNDER = 0x1.8p23f;

  private static final int ROUNDER_BITS = 0x4B40_0000;

  static final int SIGN_BIT = 0x8000_0000;
  static final int ONE_BITS = 0x3F80_0000;
  static final int EXPONENT_SHIFT = 23;

  static final float LOG2_E = 0x1.715476p0f;
  // log 2 in two parts; with fused multiply-add the product with an integer is exact.
  static final float LN2_HIGH = 0x1.62e430p-1f;
  static final float LN2_LOW = -1.9046542e-9f;
  static final float EXP_OVERFLOW = 88.72284f;
  static final float EXP_UNDERFLOW = -103.97208f;

  // pi / 2 in three truncated parts of 24 bits.
  static final float HALF_PI_1 = 0x1.921fb4p0f;
  static final float HALF_PI_2 = 0x1.4442d0p-24f;
  static final float HALF_PI_3 = 0x1.846988p-48f;
  static final float TWO_OVER_PI = 0x1.45f306p-1f;
  static final float TRIG_LIMIT = 1e5f;

  private static final float SQRT_HALF = 0x1.6a09e6p-1f;
  private static final float SQRT_TWO = 0x1.6a09e6p0f;
  private static final float NORMAL_LIMIT = 13.25f; // there exp(-x² / 2) becomes 0
  private static final float INV_SQRT_TWO_PI = 0.3989423f;

  private VectorMath() {}

  private static FloatVector all(float value) {
    return FloatVector.broadcast(F, value);
  }

  /** {@code c + r * p}: one step of Horner's rule. */
  private static FloatVector step(FloatVector p, FloatVector r, float c) {
    return p.fma(r, all(c));
  }

  // ---- exponential -----------------------------------------------------------------------------

  /** eˣ; 0 below the smallest subnormal, infinity above the largest float. */
  public static FloatVector exp(FloatVector x) {
    return expBounded(x).blend(Float.POSITIVE_INFINITY, x.compare(GT, EXP_OVERFLOW));
  }

  /** eˣ for x that cannot overflow (x ≤ 0 in its uses); rounds to 0 where that is due. */
  static FloatVector expBounded(FloatVector x) {
    FloatVector t = x.fma(all(LOG2_E), all(ROUNDER));
    FloatVector n = t.sub(ROUNDER);
    FloatVector r = n.fma(all(-LN2_LOW), n.fma(all(-LN2_HIGH), x));
    FloatVector e = expReduced(r).add(1f);
    return scaleByPowerOfTwo(e, t.reinterpretAsInts()).blend(0f, x.compare(LT, EXP_UNDERFLOW));
  }

  /** eʳ - 1 for |r| ≤ log(2) / 2, accurate relative to itself. */
  private static FloatVector expReduced(FloatVector r) {
    FloatVector p = all(0.0013870657f);
    p = step(p, r, 0.008366262f);
    p = step(p, r, 0.041667435f);
    p = step(p, r, 0.16666546f);
    p = step(p, r, 0.49999997f);
    return p.fma(r.mul(r), r);
  }

  /** {@code e} times 2ⁿ in two factors, so that a subnormal result is rounded once and right. */
  private static FloatVector scaleByPowerOfTwo(FloatVector e, IntVector n) {
    IntVector half = n.lanewise(ASHR, 1);
    return e.mul(powerOfTwo(half)).mul(powerOfTwo(n.sub(half)));
  }

  /** 2ⁿ where n stands in the low nine bits. */
  private static FloatVector powerOfTwo(IntVector n) {
    return n.lanewise(LSHL, EXPONENT_SHIFT).add(ONE_BITS).reinterpretAsFloats();
  }

  // ---- logarithm -------------------------------------------------------------------------------

  /** log x; -infinity at 0, NaN below. */
  static FloatVector log(FloatVector x) {
    VectorMask<Float> subnormal = x.compare(LT, Float.MIN_NORMAL);
    FloatVector y = logNormal(x.blend(x.mul(0x1p23f), subnormal));
    y = y.blend(y.sub(23 * LN2_HIGH), subnormal);
    y = y.blend(Float.NaN, x.compare(LT, 0f));
    y = y.blend(Float.NEGATIVE_INFINITY, x.compare(EQ, 0f));
    return x.blend(y, x.compare(LT, Float.POSITIVE_INFINITY));
  }

  /** log x for positive normal finite x: exponent · log 2 + log of a mantissa in [√½, √2). */
  private static FloatVector logNormal(FloatVector x) {
    IntVector bits = x.reinterpretAsInts();
    IntVector exponent = bits.sub(0x3F35_04F3).lanewise(ASHR, EXPONENT_SHIFT);
    FloatVector n = exponent.add(ROUNDER_BITS).reinterpretAsFloats().sub(ROUNDER); // to float
    FloatVector f = bits.sub(exponent.lanewise(LSHL, EXPONENT_SHIFT)).reinterpretAsFloats().sub(1f);
    FloatVector y = logReduced(f);
    return n.fma(all(LN2_HIGH), n.fma(all(LN2_LOW), y));
  }

  /** log(1 + f) for √½ ≤ 1 + f &lt; √2. */
  private static FloatVector logReduced(FloatVector f) {
    FloatVector p = all(-0.076357506f);
    p = step(p, f, 0.12761861f);
    p = step(p, f, -0.13159683f);
    p = step(p, f, 0.14201628f);
    p = step(p, f, -0.16623408f);
    p = step(p, f, 0.2000124f);
    p = step(p, f, -0.2500082f);
    p = step(p, f, 0.3333333f);
    p = step(p, f, -0.5f);
    return p.fma(f.mul(f), f);
  }

  // ---- trigonometry ----------------------------------------------------------------------------

  /** sin x at full accuracy for every x; arguments beyond 10⁵ take a slow path. */
  static FloatVector sin(FloatVector x) {
    FloatVector t = x.fma(all(TWO_OVER_PI), all(ROUNDER));
    FloatVector y = sinOfQuadrant(reduceAngle(x, t), t.reinterpretAsInts());
    y = y.blend(x, x.compare(EQ, 0f)); // the polynomial gives +0 for -0
    VectorMask<Float> large = x.abs().compare(GT, TRIG_LIMIT);
    return large.anyTrue() ? y.blend(perLane(x, Math::sin), large) : y;
  }

  /** cos x at full accuracy for every x; arguments beyond 10⁵ take a slow path. */
  static FloatVector cos(FloatVector x) {
    FloatVector t = x.fma(all(TWO_OVER_PI), all(ROUNDER));
    FloatVector y = sinOfQuadrant(reduceAngle(x, t), t.reinterpretAsInts().add(1));
    VectorMask<Float> large = x.abs().compare(GT, TRIG_LIMIT);
    return large.anyTrue() ? y.blend(perLane(x, Math::cos), large) : y;
  }

  /** x minus the nearest multiple of pi / 2 (Cody and Waite); the first product cancels exactly. */
  private static FloatVector reduceAngle(FloatVector x, FloatVector t) {
    FloatVector n = t.sub(ROUNDER);
    FloatVector r = n.fma(all(-HALF_PI_1), x);
    r = n.fma(all(-HALF_PI_2), r);
    return n.fma(all(-HALF_PI_3), r);
  }

  /** sin(r + quadrant · pi / 2) for |r| ≤ pi / 4. */
  private static FloatVector sinOfQuadrant(FloatVector r, IntVector quadrant) {
    FloatVector z = r.mul(r);
    FloatVector sine = step(step(all(-0.00019517908f), z, 0.008332187f), z, -0.16666655f);
    sine = sine.fma(z.mul(r), r);
    FloatVector cosine = step(step(all(2.4432336e-05f), z, -0.001388731f), z, 0.041666646f);
    cosine = step(step(cosine, z, -0.5f), z, 1f);
    VectorMask<Float> odd = quadrant.lanewise(LSHL, 31).compare(LT, 0).cast(F);
    IntVector sign = quadrant.and(2).lanewise(LSHL, 30);
    return xor(sine.blend(cosine, odd), sign);
  }

  private static FloatVector xor(FloatVector x, IntVector bits) {
    return x.reinterpretAsInts().lanewise(XOR, bits).reinterpretAsFloats();
  }

  private static FloatVector perLane(FloatVector x, DoubleUnaryOperator f) {
    float[] lanes = x.toArray();
    for (int i = 0; i < lanes.length; i++) {
      lanes[i] = (float) f.applyAsDouble(lanes[i]);
    }
    return FloatVector.fromArray(F, lanes, 0);
  }

  // ---- sigmoidal functions ---------------------------------------------------------------------

  /** e⁻ᵃ for a ≥ 0, cheaper than {@link #exp}: what would be subnormal is 0. */
  private static FloatVector expOfMinus(FloatVector a) {
    FloatVector b = a.blend(88f, a.compare(GT, 88f)); // there 2ⁿ below becomes 0
    FloatVector t = b.fma(all(-LOG2_E), all(ROUNDER));
    FloatVector n = t.sub(ROUNDER);
    FloatVector r = n.fma(all(LN2_LOW), n.fma(all(LN2_HIGH), b)); // minus the reduced argument
    FloatVector rr = r.mul(r);
    // Pairs of terms side by side: in a loop this short the depth counts, not the number.
    FloatVector low = step(all(-0.16666546f), r, 0.49999997f);
    FloatVector high = step(all(-0.008366262f), r, 0.041667435f);
    high = rr.fma(all(0.0013870657f), high);
    FloatVector e = high.fma(rr, low).fma(rr, r.neg());
    FloatVector scale = powerOfTwo(t.reinterpretAsInts());
    return e.fma(scale, scale);
  }

  /** 1 / (1 + e⁻ˣ), from e^-|x| so that both tails keep their relative accuracy. */
  static FloatVector sigmoid(FloatVector x) {
    FloatVector e = expOfMinus(x.abs());
    return all(1f).blend(e, x.compare(LT, 0f)).div(e.add(1f));
  }

  /** x · sigmoid(x), also called swish. */
  public static FloatVector silu(FloatVector x) {
    FloatVector e = expOfMinus(x.abs());
    return x.blend(x.mul(e), x.compare(LT, 0f)).div(e.add(1f));
  }

  /** Derivative of {@link #silu}: s + x · s · (1 - s) with s = sigmoid(x). */
  public static FloatVector siluGrad(FloatVector x) {
    FloatVector e = expOfMinus(x.abs());
    FloatVector r = all(1f).div(e.add(1f));
    FloatVector other = e.mul(r); // the smaller of s and 1 - s; r is the larger
    FloatVector s = r.blend(other, x.compare(LT, 0f));
    return x.mul(other).fma(r, s);
  }

  /** Hyperbolic tangent from e^(-2|x|) - 1, which keeps small arguments accurate. */
  static FloatVector tanh(FloatVector x) {
    FloatVector a = x.abs();
    FloatVector y = a.mul(-2f);
    FloatVector t = y.fma(all(LOG2_E), all(ROUNDER));
    FloatVector n = t.sub(ROUNDER);
    FloatVector q = expReduced(n.fma(all(-LN2_LOW), n.fma(all(-LN2_HIGH), y)));
    FloatVector scale = powerOfTwo(t.reinterpretAsInts());
    FloatVector m = q.fma(scale, scale.sub(1f)); // e^(-2|x|) - 1
    FloatVector h = m.abs().div(m.add(2f)).blend(1f, a.compare(GT, 9.02f));
    return xor(h, x.reinterpretAsInts().and(SIGN_BIT));
  }

  /** log(1 + eˣ) = max(x, 0) + log(1 + e^-|x|), where log(1 + e) = 2 artanh(e / (2 + e)). */
  static FloatVector softplus(FloatVector x) {
    FloatVector e = expOfMinus(x.abs());
    FloatVector s = e.div(e.add(2f));
    FloatVector z = s.mul(s);
    FloatVector p = step(all(0.28007364f), z, 0.2800294f);
    p = step(step(p, z, 0.4002144f), z, 0.6666642f);
    FloatVector log1p = p.mul(z).fma(s, s.add(s));
    return x.blend(0f, x.compare(LT, 0f)).add(log1p);
  }

  // ---- error function --------------------------------------------------------------------------

  // Short on purpose: what exceeds the nodes that the compiler is willing to inline is ten times
  // slower.

  /** (2 / √π) ∫₀ˣ exp(-t²) dt. */
  static FloatVector erf(FloatVector x) {
    FloatVector a = x.abs();
    FloatVector z = atMost(a, NORMAL_LIMIT * SQRT_HALF);
    FloatVector tail = normalTail(z.mul(SQRT_TWO));
    FloatVector far = tail.fma(all(-2f), all(1f));
    far = far.blend(far.neg(), x.compare(LT, 0f));
    return far.blend(erfNear(x, x.mul(x)), a.compare(LT, 1f));
  }

  /** min(a, limit); NaN stays. */
  private static FloatVector atMost(FloatVector a, float limit) {
    return a.blend(limit, a.compare(GT, limit));
  }

  /** erf(x) for |x| &lt; 1, {@code z} = x². */
  private static FloatVector erfNear(FloatVector x, FloatVector z) {
    FloatVector p = all(7.806981e-05f);
    p = step(p, z, -0.00079978653f);
    p = step(p, z, 0.0051871627f);
    p = step(p, z, -0.026853347f);
    p = step(p, z, 0.11283579f);
    p = step(p, z, -0.37612626f);
    p = step(p, z, 0.12837917f);
    return p.fma(x, x);
  }

  /** Φ(-c), Φ the normal distribution function, for c ≥ 0. */
  private static FloatVector normalTail(FloatVector c) {
    return millsRatio(c).mul(gaussian(c));
  }

  /**
   * Φ(-c) exp(c² / 2) for 0 ≤ c, to 2e-7 of it: a polynomial in 1 / (1 + 0.3 c), the form of
   * Hastings (Approximations for Digital Computers, 1955).
   */
  private static FloatVector millsRatio(FloatVector c) {
    FloatVector s = all(1f).div(c.fma(all(0.3f), all(1f)));
    FloatVector p = all(0.03547357f);
    p = step(p, s, -0.1563655f);
    p = step(p, s, 0.20491226f);
    p = step(p, s, -0.052359655f);
    p = step(p, s, 0.12786302f);
    p = step(p, s, 0.10012445f);
    p = step(p, s, 0.12072031f);
    return step(p, s, 0.119631484f).mul(s);
  }

  /** exp(-c² / 2) for 0 ≤ c ≤ 13.25, without the error of the square being put back. */
  private static FloatVector gaussian(FloatVector c) {
    FloatVector square = c.mul(c);
    FloatVector t = square.fma(all(-0.5f * LOG2_E), all(ROUNDER));
    FloatVector r = square.fma(all(-0.5f * LOG2_E), all(ROUNDER).sub(t));
    FloatVector p = step(all(0.0013264724f), r, 0.009671513f);
    p = step(step(p, r, 0.055507336f), r, 0.24022242f);
    p = step(p, r, 0.693147f).mul(r);
    FloatVector scale = powerOfTwo(t.reinterpretAsInts());
    return p.fma(scale, scale);
  }

  /** x · Φ(x), the exact form (Hendrycks and Gimpel 2016): max(x, 0) - |x| Φ(-|x|). */
  static FloatVector gelu(FloatVector x) {
    FloatVector c = atMost(x.abs(), NORMAL_LIMIT);
    FloatVector positive = x.blend(0f, x.compare(LT, 0f));
    return positive.sub(c.mul(normalTail(c)));
  }

  /** Derivative of {@link #gelu}: Φ(x) + x φ(x), φ the normal density. */
  static FloatVector geluGrad(FloatVector x) {
    FloatVector c = atMost(x.abs(), NORMAL_LIMIT);
    FloatVector ratio = c.fma(all(-INV_SQRT_TWO_PI), millsRatio(c));
    FloatVector below = ratio.mul(gaussian(c)); // the derivative at -|x|
    return all(1f).sub(below).blend(below, x.compare(LT, 0f));
  }

  // ---- rounding --------------------------------------------------------------------------------

  /** Nearest integer, halves to even. */
  static FloatVector round(FloatVector x) {
    FloatVector a = x.abs();
    FloatVector r = a.add(0x1p23f).sub(0x1p23f);
    r = a.blend(r, a.compare(LT, 0x1p23f)); // beyond 2²³ every float is an integer; NaN stays
    return xor(r, x.reinterpretAsInts().and(SIGN_BIT));
  }

  /** Largest integer not above x. */
  static FloatVector floor(FloatVector x) {
    FloatVector r = round(x);
    return r.blend(r.sub(1f), r.compare(GT, x));
  }

  /** Smallest integer not below x. */
  static FloatVector ceil(FloatVector x) {
    return floor(x.neg()).neg();
  }
}
