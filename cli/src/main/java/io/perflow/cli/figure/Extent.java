package io.perflow.cli.figure;

/**
 * The smallest and the largest of some numbers.
 *
 * @param low the smallest; infinite when there are none
 * @param high the largest; minus infinite when there are none
 */
record Extent(double low, double high) {
  static final Extent NOTHING = new Extent(Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY);

  /** Returns the extent of the finite numbers, or of the positive ones only. */
  static Extent of(double[] values, boolean positive) {
    Extent extent = NOTHING;
    for (double value : values) {
      if (Double.isFinite(value) && (!positive || value > 0)) {
        extent = extent.with(value);
      }
    }
    return extent;
  }

  Extent with(double value) {
    return new Extent(Math.min(low, value), Math.max(high, value));
  }

  Extent and(Extent other) {
    return new Extent(Math.min(low, other.low), Math.max(high, other.high));
  }

  boolean isEmpty() {
    return low > high;
  }
}
