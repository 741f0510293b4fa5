package io.perflow.physics;

import io.perflow.tensor.DataType;
import java.util.List;
import java.util.Locale;

/** A check whether a network in single precision can learn the variation of data. */
final class Variation {
  /**
   * The largest values with which networks compute: they square numbers of this size in single
   * precision, whose range ends at 3.4e38.
   */
  private static final double LARGEST = 1e30;

  private static final double SMALLEST = 1e-30;

  /**
   * The smallest standard deviation in steps of single precision; below it the data are mostly
   * rounding.
   */
  private static final int STEPS = 4;

  private Variation() {}

  /**
   * Refuses data that vary too little or are too large.
   *
   * @param type the type of the file; values that differ by less than its steps become equal
   */
  static void check(Problem problem, Moments moments, DataType type) {
    for (ChannelGroup group : problem.groups()) {
      List<Integer> channels = group.channels();
      String names = problem.names(channels.stream().mapToInt(c -> c).toArray());
      double mean = moments.mean(channels);
      double deviation = moments.deviation(channels, mean);
      double largest = 0;
      for (int c : channels) {
        largest = Math.max(largest, Math.abs(moments.least(c)));
        largest = Math.max(largest, Math.abs(moments.greatest(c)));
      }
      if (deviation == 0) {
        throw refusal(
            "%s is %s everywhere in all samples: there is nothing to learn; leave it out or check"
                + " how the data were made",
            names, mean);
      }
      if (!(largest <= LARGEST) || !(deviation >= SMALLEST)) {
        throw refusal(
            "%s reaches %.3g with a deviation of %.3g: networks compute in single precision, with"
                + " values up to %.0e and deviations from %.0e on; choose another unit",
            names, largest, deviation, LARGEST, SMALLEST);
      }
      if (type == DataType.F32 && deviation < STEPS * Math.ulp((float) largest)) {
        throw refusal(
            "%s varies by %.3g about %.6g, where numbers of single precision are %.3g apart;"
                + " subtract a constant, or write the data in double precision",
            names, deviation, mean, (double) Math.ulp((float) largest));
      }
    }
  }

  private static IllegalArgumentException refusal(String message, Object... numbers) {
    return new IllegalArgumentException(String.format(Locale.ROOT, "[data] " + message, numbers));
  }
}
