package io.perflow.cli;

import io.perflow.cli.figure.BarChart;
import io.perflow.cli.figure.Figure;
import io.perflow.cli.figure.HtmlReport;
import io.perflow.physics.constraint.Certificate;
import io.perflow.tensor.io.AtomicFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The report of the demonstration: a sentence, a table and a page. */
final class DemoReport {
  private static final String SPLINE = "thin-plate";

  private final List<DemoTrial> trials;
  private final DemoTrial.Size size;

  DemoReport(List<DemoTrial> trials, DemoTrial.Size size) {
    this.trials = trials;
    this.size = size;
  }

  /** Returns a sentence on which method is best where and why, and how the paper compares. */
  String sentence() {
    Map<String, List<DemoTrial>> winners = new LinkedHashMap<>();
    for (DemoTrial trial : trials) {
      winners.computeIfAbsent(winner(trial), _ -> new ArrayList<>()).add(trial);
    }
    List<String> clauses = new ArrayList<>();
    winners.forEach((method, where) -> clauses.add(clause(method, where, clauses.isEmpty())));
    long better = trials.stream().filter(t -> t.shipped().relativeL2() < t.paper()).count();
    clauses.add(
        "one sample of the shipped model has a smaller error than the paper's on %d of the %d benchmarks"
            .formatted(better, trials.size()));
    return capital(String.join("; ", clauses)) + ".";
  }

  private static String winner(DemoTrial trial) {
    return trial.scores().stream()
        .min(Comparator.comparingDouble(DemoTrial.Score::error))
        .orElseThrow()
        .method();
  }

  private static String clause(String method, List<DemoTrial> where, boolean first) {
    String places =
        where.stream().map(t -> t.benchmark().title()).collect(Collectors.joining(" and "));
    return "%s%s on %s, %s"
        .formatted(
            method.equals(SPLINE) ? "the thin-plate spline" : method,
            first ? " has the smallest error" : "",
            places,
            reason(method));
  }

  private static String reason(String method) {
    return switch (method) {
      case "assimilation" ->
          "because it solves the equation, and shocks and jumps are far from Gaussian";
      case "kriging" -> "because the fields are Gaussian or nearly so, and a network adds nothing";
      case SPLINE -> "because the sensors happen to lie well for a smooth surface";
      default -> "because it has learnt what such fields look like";
    };
  }

  private static String capital(String text) {
    return Character.toUpperCase(text.charAt(0)) + text.substring(1);
  }

  // ---- numbers

  private static final List<String> HEADER =
      List.of(
          "benchmark",
          "method",
          "one sample",
          "mean",
          "kriging",
          "thin-plate",
          "paper",
          "covered",
          "Phys-Err");

  private List<List<String>> cells() {
    return trials.stream()
        .map(
            t ->
                List.of(
                    t.benchmark().title(),
                    t.shipped().system(),
                    digits(t.shipped().relativeL2()),
                    digits(t.shipped().meanL2()),
                    digits(t.kriging().meanL2()),
                    digits(t.spline().meanL2()),
                    digits(t.paper()),
                    "%.0f %%".formatted(100 * t.coverage()),
                    "%.1e".formatted(t.shipped().physErr())))
        .toList();
  }

  private static String digits(double error) {
    return "%.4f".formatted(error);
  }

  /** Returns the lines of the table. */
  List<String> lines() {
    String format = "%-20s%-14s%12s%9s%9s%12s%9s%9s%10s";
    List<String> lines = new ArrayList<>();
    lines.add(format.formatted(HEADER.toArray()).stripTrailing());
    cells().forEach(row -> lines.add(format.formatted(row.toArray())));
    return lines;
  }

  /** Returns the results for programs. */
  Map<String, Object> toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("seed", size.seed());
    json.put("sentence", sentence());
    for (DemoTrial trial : trials) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("model", trial.model().toString());
      one.put("shipped", trial.shipped().toJson());
      one.put("kriging", trial.kriging().toJson());
      one.put("spline", trial.spline().toJson());
      one.put("paper_rel_l2", trial.paper());
      one.put("trust", trial.trust());
      json.put(trial.benchmark().key(), one);
    }
    return json;
  }

  // ---- the page

  /** Writes report.html, and the readings of each first field as a table beside it. */
  void write(Path directory) throws IOException {
    Files.createDirectories(directory);
    for (DemoTrial trial : trials) {
      String comment = "a simulated field, read by " + trial.made().problem().sensors();
      AtomicFile.write(readings(directory, trial), ReadingsTable.of(trial.readings(), comment));
    }
    HtmlReport page =
        HtmlReport.of("Four fields from a few sensors")
            .lead(sentence())
            .text(
                "perflow simulated %s of each benchmark with seed %d, which no training has seen, and"
                        .formatted(Counted.of(size.fields(), "field"), size.seed())
                    + " reconstructed them from the readings of a few sensors with the models that"
                    + " it ships. Kriging and a thin-plate spline had the same readings. So few"
                    + " fields give a first impression; models/README.md has averages over twenty.")
            .table(HEADER, cells())
            .text(
                "The errors are Rel-l2, the norm of the error divided by that of the field: of one"
                    + " sample, of the mean of %d samples, and of the mean of kriging. The paper's is"
                        .formatted(size.samples())
                    + " one sample of PerFlow on its own test fields. “Covered” is the share of the"
                    + " truth inside the model's calibrated intervals of %.0f %%, and Phys-Err the"
                        .formatted(100 * trials.getFirst().shipped().level())
                    + " mean square residual of the constraints in normalized units.")
            .figure(
                bars(), "Errors of all methods; a shorter bar is better. The axis is logarithmic.");
    trials.forEach(trial -> section(page, trial));
    next(page, directory);
    page.write(directory.resolve("report.html"));
  }

  private static Path readings(Path directory, DemoTrial trial) {
    return directory.resolve(trial.benchmark().key() + ".csv");
  }

  private Figure bars() {
    List<String> names = trials.stream().map(t -> t.benchmark().title()).toList();
    return Figure.of(
        BarChart.of("", names)
            .log()
            .axis("Rel-l2")
            .numbers(DemoReport::digits)
            .bars("shipped model, mean", errors(t -> t.shipped().meanL2()))
            .bars("kriging, mean", errors(t -> t.kriging().meanL2()))
            .bars("thin-plate spline", errors(t -> t.spline().meanL2()))
            .bars("PerFlow in the paper", errors(DemoTrial::paper)));
  }

  private double[] errors(java.util.function.ToDoubleFunction<DemoTrial> of) {
    return trials.stream().mapToDouble(of).toArray();
  }

  private void section(HtmlReport page, DemoTrial trial) {
    page.section(trial.benchmark().title())
        .text(
            "%s Sensors: %s."
                .formatted(trial.benchmark().story(), trial.made().problem().sensors()))
        .figure(
            ReconstructionFiles.figure(trial.made(), trial.readings(), trial.truth()),
            "A field that the model has not seen. Sensors: what was read, each reading a dot of its"
                + " value's colour. Truth and mean share these colours. The last two maps share"
                + " theirs: where the standard deviation is as dark as the error, the model knows"
                + " how wrong it is.")
        .text("%s.".formatted(capital(trial.trust())))
        .text(
            "The certificate of the samples, in double precision. A constraint counts as held when"
                + " its"
                + " largest residual is below %.0e of the field's scale."
                    .formatted(Certificate.TOLERANCE))
        .table(
            List.of("constraint", "largest residual", "mean square, normalized"),
            trial.made().certificate().worst().stream().map(DemoReport::certified).toList());
    trial.made().warnings().forEach(warning -> page.text("Warning: " + warning + "."));
  }

  private static List<String> certified(Certificate.Entry entry) {
    return List.of(
        entry.constraint(),
        "%.1e".formatted(entry.physical().max()),
        "%.1e".formatted(entry.normalized().meanSquare()));
  }

  private void next(HtmlReport page, Path directory) {
    DemoTrial first = trials.getFirst();
    page.section("Next steps")
        .text("Reconstruct one of these fields from its readings, which lie beside this page:")
        .lines(
            "perflow reconstruct --model %s --observations %s --out result"
                .formatted(first.model(), readings(directory, first)))
        .text("Place sensors yourself and watch what the models make of them:")
        .lines("perflow studio --open")
        .text("Bring your own fields, learn their covariance in seconds, and reconstruct:")
        .lines(
            "perflow init fields.npz --out mine",
            "perflow train mine --system kriging",
            "perflow reconstruct --model mine/run --observations readings.csv --out result")
        .text("Train a small flow with its physics inside, in a few minutes:")
        .lines("perflow demo --train")
        .text("Make this page again with the same fields:")
        .lines(
            "perflow demo --fields %d --samples %d --seed %d"
                .formatted(size.fields(), size.samples(), size.seed()));
  }
}
