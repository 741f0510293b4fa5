package io.perflow.cli.reproduce;

import io.perflow.cli.FieldFigures;
import io.perflow.cli.figure.BarChart;
import io.perflow.cli.figure.Figure;
import io.perflow.cli.figure.LineChart;
import io.perflow.cli.figure.Panel;
import io.perflow.cli.figure.Png;
import io.perflow.cli.figure.ReconstructionFigure;
import io.perflow.physics.Problem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.DoubleStream;

/**
 * The figure of a study. When a number is varied, it shows the first metric over this number, a
 * line for each system; otherwise a bar for each row. The paper's numbers stand beside ours where
 * it has them. A row that failed leaves a gap.
 */
final class StudyFigure {
  /** The name of its file. */
  static final String FILE = "figure.png";

  // Relative errors above this belong to methods that nearly diverged, and would hide the others.
  private static final double LOST = 10;

  private final ResultTable table;
  private final Metric metric;

  private StudyFigure(ResultTable table) {
    this.table = table;
    metric = table.study().metrics().getFirst();
  }

  static Png of(ResultTable table) {
    StudyFigure figure = new StudyFigure(table);
    boolean varied = table.rows().stream().anyMatch(row -> Double.isFinite(row.trial().x()));
    List<Panel> panels = new ArrayList<>();
    for (Benchmark benchmark : Benchmark.values()) {
      List<ResultTable.Row> rows =
          table.rows().stream().filter(row -> row.trial().benchmark() == benchmark).toList();
      if (!rows.isEmpty()) {
        panels.add(varied ? figure.lines(benchmark, rows) : figure.bars(benchmark, rows));
      }
    }
    // Two plots side by side.
    Figure all = Figure.of().heading(table.study().title());
    for (int i = 0; i < panels.size(); i += 2) {
      all.row("", panels.subList(i, Math.min(panels.size(), i + 2)).toArray(Panel[]::new));
    }
    return all.png();
  }

  private Panel lines(Benchmark benchmark, List<ResultTable.Row> rows) {
    Map<String, List<ResultTable.Row>> series = new LinkedHashMap<>();
    for (ResultTable.Row row : rows) {
      series.computeIfAbsent(row.trial().method().label(0), _ -> new ArrayList<>()).add(row);
    }
    boolean zero = rows.stream().anyMatch(row -> row.trial().x() == 0);
    LineChart chart = LineChart.of(benchmark.title()).axes(axis(), metric.label()).fromZero();
    if (!zero) {
      chart.logX();
    }
    if (wide(rows)) {
      chart.logY();
    }
    series.forEach(
        (name, points) -> {
          double[] x = points.stream().mapToDouble(row -> row.trial().x()).toArray();
          double[] y = points.stream().mapToDouble(this::shown).toArray();
          if (Double.isNaN(x[0])) {
            chart.level(name, y[0]);
          } else if (Arrays.stream(y).anyMatch(Double::isFinite)) {
            chart.markedLine(name, x, y);
          }
          double[] paper = points.stream().mapToDouble(this::paper).toArray();
          if (Arrays.stream(paper).anyMatch(Double::isFinite)) {
            chart.markedLine("paper's " + name, x, paper);
          }
        });
    return chart;
  }

  // A logarithmic axis of less than a decade has hardly any numbers on it.
  private boolean wide(List<ResultTable.Row> rows) {
    double[] values =
        rows.stream()
            .flatMapToDouble(row -> DoubleStream.of(shown(row), paper(row)))
            .filter(value -> Double.isFinite(value) && value > 0)
            .toArray();
    return values.length > 0
        && Arrays.stream(values).max().getAsDouble()
            > 10 * Arrays.stream(values).min().getAsDouble();
  }

  private String axis() {
    return switch (table.study()) {
      case STEPS -> "steps";
      case NOISE -> "noise, %";
      case OBSERVATIONS -> "sensors";
      case DATA -> "training fields";
      case WEIGHT -> "factor of the weights";
      default -> "";
    };
  }

  private Panel bars(Benchmark benchmark, List<ResultTable.Row> rows) {
    boolean settings = rows.stream().map(row -> row.trial().setting()).distinct().count() > 1;
    List<String> names =
        rows.stream().map(row -> settings ? row.trial().setting() : row.trial().label()).toList();
    double[] ours = rows.stream().mapToDouble(this::shown).toArray();
    double[] paper = rows.stream().mapToDouble(this::paper).toArray();
    BarChart chart =
        BarChart.of(benchmark.title(), names).axis(metric.label()).numbers(StudyFigure::number);
    if (wide(rows)) {
      chart.log();
    }
    chart.bars("ours", ours);
    return Arrays.stream(paper).anyMatch(Double::isFinite) ? chart.bars("paper", paper) : chart;
  }

  private double shown(ResultTable.Row row) {
    return unlessLost(row.value(metric));
  }

  private double unlessLost(double value) {
    boolean error = metric == Metric.REL_L2 || metric == Metric.REL_L1;
    return error && value > LOST ? Double.NaN : value;
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.3g", value);
  }

  private double paper(ResultTable.Row row) {
    try {
      return unlessLost(Double.parseDouble(PaperValues.of(table.study(), row.trial(), metric)));
    } catch (NumberFormatException e) {
      return Double.NaN; // none
    }
  }

  /** Draws sensors, truth, mean, error and standard deviation of a field. */
  static Png of(Trial trial, Laboratory.Sight sight) {
    Benchmark benchmark = trial.benchmark();
    Problem problem = trial.training().problem();
    ReconstructionFigure figure = FieldFigures.of(problem);
    FieldFigures.add(
        figure,
        problem,
        sight.readings(),
        sight.mask(),
        sight.truth(),
        sight.drawn().mean(),
        sight.drawn().deviation());
    return figure
        .heading(
            "%s on %s, %d sensors, %d samples"
                .formatted(trial.label(), benchmark.title(), trial.sensors(), trial.members()))
        .figure()
        .png();
  }
}
