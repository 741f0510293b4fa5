package io.perflow.physics.constraint;

/**
 * A solver of one linear equation within bounds: it finds the number t for which y = clip(z - t w,
 * l, u) has Σ w y = c.
 *
 * <p>That y is the point nearest to z with l ≤ y ≤ u and Σ w y = c, and t is the multiplier of the
 * equation. The sum falls with t, along straight lines between the breakpoints at which values
 * reach or leave a bound. So Newton's method, kept inside a bracket, ends as soon as it meets the
 * piece that holds the root.
 */
final class DualRoot {
  private static final int MOST_STEPS =
      500; // bisection alone takes about 60 for each factor of 1e18
  private static final double ROUND_OFF = 0x1p-52;

  private final double[] z;
  private final double[] w;
  private final double[] lower;
  private final double[] upper;
  private final double wanted;

  // The sum minus c at some t: its value, the size of its terms, and its slope on either side.
  private double excess;
  private double size;
  private double fallAfter;
  private double fallBefore;
  private double nextBreak;
  private double lastBreak;

  private DualRoot(double[] z, double[] w, double[] lower, double[] upper, double wanted) {
    this.z = z;
    this.w = w;
    this.lower = lower;
    this.upper = upper;
    this.wanted = wanted;
  }

  /**
   * Returns the root. It is positive infinity when the sum is too large for every t, or reaches c
   * only where all values are at their bounds; negative infinity when it is too small.
   */
  static double of(double[] z, double[] w, double[] lower, double[] upper, double c) {
    return new DualRoot(z, w, lower, upper, c).solve();
  }

  private double solve() {
    if (limit(true) >= 0) {
      return Double.POSITIVE_INFINITY;
    }
    if (limit(false) <= 0) {
      return Double.NEGATIVE_INFINITY;
    }
    double low = Double.NEGATIVE_INFINITY;
    double high = Double.POSITIVE_INFINITY;
    double t = 0;
    for (int step = 0; step < MOST_STEPS; step++) {
      evaluate(t);
      if (Math.abs(excess) <= ROUND_OFF * size) {
        return t;
      }
      double next = newton(t);
      if (excess > 0) {
        low = t;
      } else {
        high = t;
      }
      // Every third step halves the bracket, because Newton's steps can jump back and forth.
      if (!(next > low && next < high) || step % 3 == 2 && Double.isFinite(high - low)) {
        next = low + (high - low) / 2;
      }
      if (!(next > low && next < high)) {
        return t; // the bracket contains no further number
      }
      t = next;
    }
    return t;
  }

  private double newton(double t) {
    if (excess > 0) {
      return fallAfter > 0 ? t + excess / fallAfter : nextBreak;
    }
    return fallBefore > 0 ? t + excess / fallBefore : lastBreak;
  }

  // The sum minus c for t towards positive or negative infinity.
  private double limit(boolean positive) {
    double sum = -wanted;
    for (int i = 0; i < z.length; i++) {
      if (w[i] != 0) {
        sum += w[i] * (w[i] > 0 == positive ? lower[i] : upper[i]);
      }
    }
    return sum;
  }

  private void evaluate(double t) {
    excess = -wanted;
    size = Math.abs(wanted);
    fallAfter = 0;
    fallBefore = 0;
    nextBreak = Double.POSITIVE_INFINITY;
    lastBreak = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < z.length; i++) {
      double moved = z[i] - t * w[i];
      double value = Math.clamp(moved, lower[i], upper[i]);
      excess += w[i] * value;
      size += Math.abs(w[i] * value);
      if (moved > lower[i] && moved < upper[i]) {
        fallAfter += w[i] * w[i];
        fallBefore += w[i] * w[i];
      } else if (w[i] != 0 && lower[i] < upper[i]) {
        atBound(i, t, moved >= upper[i]);
      }
    }
  }

  // A value at a bound changes again beyond a breakpoint, which may be t itself.
  private void atBound(int i, double t, boolean above) {
    double at = (z[i] - (above ? upper[i] : lower[i])) / w[i];
    boolean ahead = above == w[i] > 0;
    if (ahead && at <= t) {
      fallAfter += w[i] * w[i];
    } else if (ahead) {
      nextBreak = Math.min(nextBreak, at);
    } else if (at >= t) {
      fallBefore += w[i] * w[i];
    } else {
      lastBreak = Math.max(lastBreak, at);
    }
  }
}
