package io.perflow.cli.reproduce;

import java.util.Locale;
import java.util.Map;

/** A column of a table, a number of an {@link io.perflow.flow.Evaluation}. */
enum Metric {
  REL_L2("Rel-l2", "rel_l2", "%.4f"),
  REL_L1("Rel-l1", "rel_l1", "%.4f"),
  MEAN_L2("Rel-l2 of the mean", "rel_l2_mean", "%.4f"),
  PHYS_ERR("Phys-Err", "phys_err", "%.2e"),
  SECONDS("CPU s", "seconds", "%.3g"),
  RATIO("times as long as PerFlow", "ratio", "%.3g"),
  CRPS("CRPS", "crps", "%.4f"),
  COVERAGE("coverage", "coverage", "%.3f"),
  CALIBRATED("calibrated", "coverage_calibrated", "%.3f"),
  LEVEL("of nominal", "coverage_level", "%.2f"),
  SPREAD_SKILL("spread/skill", "spread_skill", "%.2f"),
  CORRELATION("corr. of spread and error", "spread_error_correlation", "%.2f");

  private final String label;
  private final String key;
  private final String format;

  Metric(String label, String key, String format) {
    this.label = label;
    this.key = key;
    this.format = format;
  }

  String label() {
    return label;
  }

  /** Returns the name in files. */
  String key() {
    return key;
  }

  /** Returns the number of a result; NaN when it has none. */
  double of(Map<String, Object> result) {
    return result.get(key) instanceof Number number ? number.doubleValue() : Double.NaN;
  }

  String text(double value) {
    // The error of a sampler that nearly diverged.
    String chosen = Math.abs(value) >= 1000 ? "%.2e" : format;
    return String.format(Locale.ROOT, chosen, value);
  }
}
