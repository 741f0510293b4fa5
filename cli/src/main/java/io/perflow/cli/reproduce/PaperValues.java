package io.perflow.cli.reproduce;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * The numbers of the paper, as texts with the digits that it prints. They are in {@code paper.csv}:
 * study, system, benchmark, setting, metric, value. Ratios of times follow from its seconds.
 */
public final class PaperValues {
  private static final Map<String, String> VALUES = read();

  private PaperValues() {}

  /** Returns the paper's number in this place; empty when it has none. */
  static String of(Study study, Trial trial, Metric metric) {
    return VALUES.getOrDefault(
        key(
            study.toString(),
            trial.paper(),
            trial.benchmark().toString(),
            trial.setting(),
            metric.key()),
        "");
  }

  /** Returns the Rel-l2 of a sample of PerFlow on a benchmark, in table 1. */
  public static double perflow(String benchmark) {
    return Double.parseDouble(VALUES.get(key("table1", "PerFlow-50", benchmark, "", "rel_l2")));
  }

  private static String key(String... parts) {
    return String.join(",", parts);
  }

  private static Map<String, String> read() {
    try (InputStream in = PaperValues.class.getResourceAsStream("paper.csv");
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      Map<String, String> values = new HashMap<>();
      lines
          .lines()
          .skip(1)
          .forEach(
              line -> {
                int last = line.lastIndexOf(',');
                values.put(line.substring(0, last), line.substring(last + 1));
              });
      return values;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
