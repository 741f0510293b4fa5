package io.perflow.tensor.cpu.elementwise;

import static io.perflow.tensor.cpu.elementwise.VectorMath.EXPONENT_SHIFT;
import static io.perflow.tensor.cpu.elementwise.VectorMath.EXP_OVERFLOW;
import static io.perflow.tensor.cpu.elementwise.VectorMath.EXP_UNDERFLOW;
import static io.perflow.tensor.cpu.elementwise.VectorMath.HALF_PI_1;
import static io.perflow.tensor.cpu.elementwise.VectorMath.HALF_PI_2;
import static io.perflow.tensor.cpu.elementwise.VectorMath.HALF_PI_3;
import static io.perflow.tensor.cpu.elementwise.VectorMath.LN2_HIGH;
import static io.perflow.tensor.cpu.elementwise.VectorMath.LN2_LOW;
import static io.perflow.tensor.cpu.elementwise.VectorMath.LOG2_E;
import static io.perflow.tensor.cpu.elementwise.VectorMath.ONE_BITS;
import static io.perflow.tensor.cpu.elementwise.VectorMath.ROUNDER;
import static io.perflow.tensor.cpu.elementwise.VectorMath.SIGN_BIT;
import static io.perflow.tensor.cpu.elementwise.VectorMath.TRIG_LIMIT;
import static io.perflow.tensor.cpu.elementwise.VectorMath.TWO_OVER_PI;
import static java.lang.Math.fma;

import io.perflow.tensor.op.UnaryKind;

/**
 * Functions of {@link VectorMath} for one number: the same steps, hence the same bits.
 *
 * <p>For short arrays that are seldom computed, such as the features of a time. Until a loop of
 * vectors is compiled, and ten calls a second never bring that about, each step of each vector is a
 * call that makes two objects: the sines of sixteen numbers cost more than a convolution.
 */
public final class LaneMath {
  /** Elements up to which one at a time is not felt beside the cost of an operation. */
  static final int SHORT = 1024;

  private LaneMath() {}

  /** Whether {@link #run} knows a function. */
  static boolean knows(UnaryKind kind) {
    return switch (kind) {
      case EXP, SIN, COS, TANH, SIGMOID, SILU, SILU_GRAD -> true;
      default -> false;
    };
  }

  /** {@code y[i] = f(x[i])} for {@code n} elements. */
  static void run(UnaryKind kind, float[] x, int xOff, float[] y, int yOff, int n) {
    for (int i = 0; i < n; i++) {
      y[yOff + i] = apply(kind, x[xOff + i]);
    }
  }

  static float apply(UnaryKind kind, float x) {
    return switch (kind) {
      case EXP -> exp(x);
      case SIN -> sin(x);
      case COS -> cos(x);
      case TANH -> tanh(x);
      case SIGMOID -> sigmoid(x);
      case SILU -> silu(x);
      case SILU_GRAD -> siluGrad(x);
      default -> throw new IllegalArgumentException(kind.name());
    };
  }

  public static float exp(float x) {
    float t = fma(x, LOG2_E, ROUNDER);
    float n = t - ROUNDER;
    float r = fma(n, -LN2_LOW, fma(n, -LN2_HIGH, x));
    int bits = Float.floatToRawIntBits(t);
    int half = bits >> 1;
    float y = (expReduced(r) + 1f) * powerOfTwo(half) * powerOfTwo(bits - half);
    return x > EXP_OVERFLOW ? Float.POSITIVE_INFINITY : x < EXP_UNDERFLOW ? 0f : y;
  }

  private static float expReduced(float r) {
    float p = fma(0.0013870657f, r, 0.008366262f);
    p = fma(p, r, 0.041667435f);
    p = fma(p, r, 0.16666546f);
    p = fma(p, r, 0.49999997f);
    return fma(p, r * r, r);
  }

  private static float powerOfTwo(int n) {
    return Float.intBitsToFloat((n << EXPONENT_SHIFT) + ONE_BITS);
  }

  private static float sin(float x) {
    if (Math.abs(x) > TRIG_LIMIT) {
      return (float) Math.sin(x);
    }
    float t = fma(x, TWO_OVER_PI, ROUNDER);
    return x == 0f ? x : sinOfQuadrant(reduceAngle(x, t), Float.floatToRawIntBits(t));
  }

  private static float cos(float x) {
    if (Math.abs(x) > TRIG_LIMIT) {
      return (float) Math.cos(x);
    }
    float t = fma(x, TWO_OVER_PI, ROUNDER);
    return sinOfQuadrant(reduceAngle(x, t), Float.floatToRawIntBits(t) + 1);
  }

  private static float reduceAngle(float x, float t) {
    float n = t - ROUNDER;
    return fma(n, -HALF_PI_3, fma(n, -HALF_PI_2, fma(n, -HALF_PI_1, x)));
  }

  private static float sinOfQuadrant(float r, int quadrant) {
    float z = r * r;
    float y;
    if ((quadrant & 1) == 0) {
      float p = fma(fma(-0.00019517908f, z, 0.008332187f), z, -0.16666655f);
      y = fma(p, z * r, r);
    } else {
      float p = fma(fma(2.4432336e-05f, z, -0.001388731f), z, 0.041666646f);
      y = fma(fma(p, z, -0.5f), z, 1f);
    }
    return Float.intBitsToFloat(Float.floatToRawIntBits(y) ^ (quadrant & 2) << 30);
  }

  private static float expOfMinus(float a) {
    float b = a > 88f ? 88f : a;
    float t = fma(b, -LOG2_E, ROUNDER);
    float n = t - ROUNDER;
    float r = fma(n, LN2_LOW, fma(n, LN2_HIGH, b));
    float rr = r * r;
    float low = fma(-0.16666546f, r, 0.49999997f);
    float high = fma(rr, 0.0013870657f, fma(-0.008366262f, r, 0.041667435f));
    float e = fma(fma(high, rr, low), rr, -r);
    float scale = powerOfTwo(Float.floatToRawIntBits(t));
    return fma(e, scale, scale);
  }

  private static float sigmoid(float x) {
    float e = expOfMinus(Math.abs(x));
    return (x < 0f ? e : 1f) / (e + 1f);
  }

  private static float silu(float x) {
    float e = expOfMinus(Math.abs(x));
    return (x < 0f ? x * e : x) / (e + 1f);
  }

  private static float siluGrad(float x) {
    float e = expOfMinus(Math.abs(x));
    float r = 1f / (e + 1f);
    float other = e * r;
    return fma(x * other, r, x < 0f ? other : r);
  }

  private static float tanh(float x) {
    float a = Math.abs(x);
    float y = a * -2f;
    float t = fma(y, LOG2_E, ROUNDER);
    float n = t - ROUNDER;
    float q = expReduced(fma(n, -LN2_LOW, fma(n, -LN2_HIGH, y)));
    float scale = powerOfTwo(Float.floatToRawIntBits(t));
    float m = fma(q, scale, scale - 1f);
    float h = a > 9.02f ? 1f : Math.abs(m) / (m + 2f);
    return Float.intBitsToFloat(Float.floatToRawIntBits(h) ^ Float.floatToRawIntBits(x) & SIGN_BIT);
  }
}
