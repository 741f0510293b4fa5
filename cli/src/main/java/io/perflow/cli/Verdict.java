package io.perflow.cli;

import io.perflow.flow.Calibration;
import io.perflow.flow.FieldSampler;
import io.perflow.flow.Reconstruction;
import java.util.Locale;

/**
 * A judgement in a sentence or two on how far a reconstruction can be trusted: whether its readings
 * are like the training data, and how its error bars are calibrated.
 */
final class Verdict {
  private Verdict() {}

  static String of(FieldSampler sampler, Reconstruction made) {
    return readings(sampler, made) + "; " + bars(sampler, made);
  }

  private static String readings(FieldSampler sampler, Reconstruction made) {
    if (!made.warnings().isEmpty()) {
      return "look at the %s above before you use this result"
          .formatted(made.warnings().size() == 1 ? "warning" : "warnings");
    }
    if (!Double.isFinite(made.distance())) {
      return "the layout and the values of the readings are like those of the training data, as far"
          + " as a model without a Gaussian prior can tell";
    }
    return sampler
        .calibration()
        .map(Calibration::usual)
        .filter(Double::isFinite)
        .map(
            usual ->
                String.format(
                    Locale.ROOT,
                    "the readings are like the training data (%.2g standard deviations from"
                        + " the expected readings; 99 %% of validation fields lie within %.2g)",
                    made.distance(),
                    usual))
        .orElseGet(
            () ->
                String.format(
                    Locale.ROOT,
                    "the readings are like the training data (%.2g standard deviations from"
                        + " the expected readings)",
                    made.distance()));
  }

  private static String bars(FieldSampler sampler, Reconstruction made) {
    if (sampler.calibration().isEmpty()) {
      return "the error bars are those of the samples and were not calibrated";
    }
    String held =
        String.format(
            Locale.ROOT,
            "the error bars are calibrated: mean ± %.2f deviations held %.0f %% of the truth on"
                + " validation fields",
            Calibration.width(Calibration.LEVEL),
            100 * Calibration.LEVEL);
    return made.warnings().isEmpty() ? held : held + ", whose readings were usual";
  }
}
