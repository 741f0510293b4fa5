package io.perflow.flow;

import io.perflow.physics.Readings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A judgement, according to the prior, whether readings resemble those of the training data.
 *
 * @param distance the distance of the readings from the prior's expectation, in standard
 *     deviations; NaN for a system without a prior
 * @param widening the factor of the error bars; 1 for usual readings
 * @param warnings the warnings for the user, one line each
 */
record Trust(double distance, double widening, List<String> warnings) {
  // The distance without a calibration: for a Gaussian the average is 1, for distributions with
  // heavier tails a little more.
  private static final double USUAL = 1.5;
  private static final double FARTHEST = 8;
  private static final double LEAST_FARTHEST = 4;
  // Applies beyond the distances that were seen on validation fields.
  private static final double MARGIN = 1.5;

  /** Judges readings. */
  static Trust of(FieldSampler sampler, Readings readings) {
    if (sampler.prior().isEmpty() || readings.size() == 0) {
      return new Trust(Double.NaN, 1, List.of());
    }
    Known known = sampler.prior().get().tolerant(readings);
    // By chance, a few validation fields may lie closer than a Gaussian suggests.
    double usual = Math.max(1, sampler.calibration().map(Calibration::usual).orElse(USUAL));
    double farthest =
        Math.max(LEAST_FARTHEST, sampler.calibration().map(Calibration::farthest).orElse(FARTHEST));
    double distance = known.distance();
    List<String> warnings = new ArrayList<>();
    Known.Worst worst = known.worst();
    boolean outlier = worst.distance() > MARGIN * farthest && readings.size() > 2;
    if (outlier && known.without(worst.reading()).distance() <= MARGIN * usual) {
      warnings.add(outlier(readings.all().get(worst.reading()), worst.distance()));
    } else if (distance > MARGIN * usual) {
      warnings.add(
          String.format(
              Locale.ROOT,
              "the readings lie %.3g deviations outside the training data (usually up to %.2g):"
                  + " check units and problem; error bars are %.3g times as wide",
              distance,
              usual,
              distance / usual));
    }
    return new Trust(distance, Math.max(1, distance / usual), warnings);
  }

  private static String outlier(Readings.Reading reading, double distance) {
    return String.format(
        Locale.ROOT,
        "%s, value %s, lies %.3g deviations from what all other readings predict: check it or"
            + " leave it out",
        reading.source(),
        reading.value(),
        distance);
  }
}
