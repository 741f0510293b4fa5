package io.perflow.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The tables of docs/cluster.md: the measurements between two executors, and a model made from
 * them.
 */
final class ClusterTables {
  private static final int[] NODES = {8, 16, 32, 64, 128, 256, 512, 1024};
  private static final double BUCKET = 1 << 20; // numbers, as in GradientBuckets

  private ClusterTables() {}

  private static Map<?, ?> row(List<Map<?, ?>> rows, String what) {
    return rows.stream().filter(row -> what.equals(row.get("what"))).findFirst().orElseThrow();
  }

  private static double median(List<Map<?, ?>> rows, String what) {
    return SpeedTables.number(row(rows, what), "median");
  }

  private static double least(List<Map<?, ?>> rows, String what) {
    return SpeedTables.number(row(rows, what), "least");
  }

  /**
   * Returns the median, least and most of each measurement, and ratios: the medians of the ratios
   * of single rounds.
   */
  static String measured(List<Map<?, ?>> rows) {
    return "| | median | least | most | |\n|---|---|---|---|---|\n"
        + line(rows, "sum", "40 MB added up directly between two executors", "")
        + line(
            rows,
            "treeReduce and broadcast",
            "the same by Spark's `treeReduce` and a broadcast",
            "%.0f times as long".formatted(median(rows, "treeReduce to sum")))
        + line(rows, "message", "a message to another executor while one comes back", "")
        + line(rows, "step without Spark", "training step, no Spark in the process", "")
        + line(
            rows,
            "step of ranks: 1",
            "the same on one executor",
            "%+.1f %%".formatted(100 / median(rows, "without Spark to ranks: 1") - 100))
        + line(
            rows,
            "step of ranks: 2",
            "the same step shared by two executors",
            "%.2f times as fast as one executor, %.2f for the best of each"
                .formatted(
                    median(rows, "ranks: 1 to ranks: 2"),
                    least(rows, "step of ranks: 1") / least(rows, "step of ranks: 2")))
        + line(
            rows,
            "halves without Spark",
            "two processes without Spark that take half of the fields each and exchange nothing",
            "%.2f times as fast as one process, %.2f for the best of each"
                .formatted(
                    median(rows, "without Spark to halves"),
                    least(rows, "step without Spark") / least(rows, "halves without Spark")))
        + line(
            rows,
            "two steps without Spark",
            "two processes without Spark that take a whole step each",
            "%.2f times the steps of one process"
                .formatted(median(rows, "without Spark to two steps")));
  }

  private static String line(List<Map<?, ?>> rows, String what, String words, String remark) {
    Map<?, ?> row = row(rows, what);
    return "| %s | %s | %s | %s | %s |%n"
        .formatted(
            words,
            time(SpeedTables.number(row, "median")),
            time(SpeedTables.number(row, "least")),
            time(SpeedTables.number(row, "most")),
            remark);
  }

  private static String time(double seconds) {
    return seconds < 1e-3
        ? String.format(Locale.ROOT, "%.0f µs", seconds * 1e6)
        : seconds < 1
            ? String.format(Locale.ROOT, "%.1f ms", seconds * 1e3)
            : String.format(Locale.ROOT, "%.2f s", seconds);
  }

  /**
   * Returns a model of a step on many nodes, each with the fields of one: the step of one rank and
   * then an exchange by halving and doubling, none of which is hidden. A rank sends as fast as it
   * did in the measured sum, and every one of the 2 log₂(n) messages of a bucket costs what one
   * cost there.
   */
  static String model(List<Map<?, ?>> rows) {
    double speed = 4 * count(rows, "numbers of the sum") / median(rows, "sum");
    double message = median(rows, "message");
    double step = median(rows, "step of ranks: 1");
    double numbers = count(rows, "numbers of a gradient");
    StringBuilder text =
        new StringBuilder(
            "| nodes | MB sent by each | exchange | step | times the fields of one node"
                + " | with `--wire bf16`: MB | exchange | times |\n");
    text.append("|---|---|---|---|---|---|---|---|\n");
    for (int nodes : NODES) {
      double latency = 2 * Math.log(nodes) / Math.log(2) * Math.ceil(numbers / BUCKET) * message;
      double bytes = 2.0 * (nodes - 1) / nodes * 4 * numbers;
      double full = bytes / speed + latency;
      double half = bytes / 2 / speed + latency;
      text.append(
          String.format(
              Locale.ROOT,
              "| %d | %.1f | %s | %s | %.0f | %.1f | %s | %.0f |%n",
              nodes,
              bytes / 1e6,
              time(full),
              time(step + full),
              nodes * step / (step + full),
              bytes / 2e6,
              time(half),
              nodes * step / (step + half)));
    }
    return text
        + ("%nA model, not a measurement: %.1f million numbers in a gradient, %s for a step of"
                + " one rank, %.2f GB/s and %s per message from the table above.%n")
            .formatted(numbers / 1e6, time(step), speed / 1e9, time(message));
  }

  private static double count(List<Map<?, ?>> rows, String what) {
    return SpeedTables.number(row(rows, what), "count");
  }
}
