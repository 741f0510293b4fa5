package io.perflow.cli.reproduce;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The table of a study: every trial a row, every metric a column with the paper's number beside it.
 *
 * @param study the study
 * @param rows the trials and their results, in their order
 */
record ResultTable(Study study, List<Row> rows) {
  /** The name of the file that holds the {@link #csv}. */
  static final String FILE = "results.csv";

  /**
   * A trial and its result.
   *
   * @param trial the trial
   * @param outcome the result of the trial
   */
  record Row(Trial trial, Outcome outcome) {
    /** Returns a number; NaN when there is none. */
    double value(Metric metric) {
      return metric.of(outcome.numbers());
    }
  }

  /** Returns all columns with all digits. */
  String csv() {
    List<String> header = new ArrayList<>(List.of("system", "benchmark", "setting"));
    for (Metric metric : study.metrics()) {
      header.add(metric.key());
      header.add(metric.key() + "_paper");
    }
    header.add("failure");
    StringBuilder text = new StringBuilder(String.join(",", header)).append('\n');
    for (Row row : rows) {
      List<String> cells = new ArrayList<>();
      cells.add(quoted(row.trial().label()));
      cells.add(row.trial().benchmark().toString());
      cells.add(quoted(row.trial().setting()));
      for (Metric metric : study.metrics()) {
        double value = row.value(metric);
        cells.add(Double.isNaN(value) ? "" : Double.toString(value));
        cells.add(quoted(PaperValues.of(study, row.trial(), metric)));
      }
      cells.add(quoted(row.outcome().failure()));
      text.append(String.join(",", cells)).append('\n');
    }
    return text.toString();
  }

  private static String quoted(String text) {
    return text.matches("[^,\"\n]*") ? text : "\"" + text.replace("\"", "\"\"") + "\"";
  }

  /** Returns a table for people; columns of the paper appear where the paper has a number. */
  String markdown() {
    boolean settings = rows.stream().anyMatch(row -> !row.trial().setting().isEmpty());
    List<String> header = new ArrayList<>(List.of("benchmark", "system"));
    if (settings) {
      header.add("setting");
    }
    for (Metric metric : study.metrics()) {
      header.add(metric.label());
      if (inPaper(metric)) {
        header.add("paper");
      }
    }
    StringBuilder text = new StringBuilder();
    line(text, header);
    line(text, header.stream().map(_ -> "---").toList());
    for (Row row : rows) {
      List<String> cells = new ArrayList<>();
      cells.add(row.trial().benchmark().toString());
      cells.add(row.trial().label());
      if (settings) {
        cells.add(row.trial().setting());
      }
      for (Metric metric : study.metrics()) {
        boolean first = metric == study.metrics().getFirst();
        cells.add(text(row, metric, first));
        if (inPaper(metric)) {
          cells.add(orDash(PaperValues.of(study, row.trial(), metric)));
        }
      }
      line(text, cells);
    }
    return text.toString();
  }

  private static String text(Row row, Metric metric, boolean first) {
    if (row.outcome().failed() && first) {
      return row.outcome().failure();
    }
    double value = row.value(metric);
    return Double.isNaN(value) ? "–" : metric.text(value);
  }

  private static String orDash(String text) {
    return text.isEmpty() ? "–" : text;
  }

  private boolean inPaper(Metric metric) {
    return rows.stream().anyMatch(row -> !PaperValues.of(study, row.trial(), metric).isEmpty());
  }

  private static void line(StringBuilder text, List<String> cells) {
    text.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }

  /**
   * Returns the times of a sample of each system as multiples of PerFlow's, in words; may be empty.
   */
  static String speed(Collection<Row> timed) {
    Map<Benchmark, List<String>> parts = new LinkedHashMap<>();
    for (Row row : timed) {
      double ratio = row.value(Metric.RATIO);
      if (Double.isFinite(ratio) && row.trial().method() != Method.PERFLOW) {
        parts
            .computeIfAbsent(row.trial().benchmark(), _ -> new ArrayList<>())
            .add("%s %s".formatted(row.trial().label(), Metric.RATIO.text(ratio)));
      }
    }
    StringBuilder text = new StringBuilder();
    parts.forEach(
        (benchmark, list) ->
            text.append(
                "- %s, times as long as PerFlow: %s%n"
                    .formatted(benchmark, String.join(", ", list))));
    return text.toString();
  }
}
