package io.perflow.cli;

import io.perflow.cli.figure.FieldPanel;
import io.perflow.cli.figure.Figure;
import io.perflow.cli.figure.LineChart;
import io.perflow.physics.Axis;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Quantity;
import io.perflow.physics.Sensors;
import io.perflow.physics.prior.GaussianPrior;
import io.perflow.physics.prior.Placement;
import io.perflow.physics.prior.Sensing;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.AtomicFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A placement of sensors as a file of places, a table, a figure and JSON.
 *
 * @param prior the prior by which the places were chosen
 * @param placement the places
 * @param units the units of the prior
 * @param rows the errors of the sensors on real fields
 */
record PlacementReport(
    GaussianPrior prior, Placement placement, Normalization units, List<PlacementTrial.Row> rows) {

  private Problem problem() {
    return placement.candidates().problem();
  }

  /** Returns whether sensors differ in what they read. */
  boolean several() {
    return problem().planes() > 1;
  }

  // ---- places

  /**
   * Writes the places, the most important one first, in the form that {@link Sensors#read} reads.
   */
  void writePlaces(Path file) throws IOException {
    Axis first = problem().grid().rows();
    Axis second = problem().grid().columns();
    StringBuilder table =
        new StringBuilder(
            "# places of sensors for %s, the most important one first; relative_error"
                .formatted(problem().name()));
    table.append(" is the expected error that remains with the sensors so far\n");
    table.append(ReadingsTable.quoted(first.label())).append(',');
    table.append(ReadingsTable.quoted(second.label()));
    table.append(several() ? ",sensor,reads,relative_error\n" : ",sensor,relative_error\n");
    double[] errors = placement.relativeErrors();
    for (int i = 0; i < placement.size(); i++) {
      for (List<Double> place : placement.candidates().places(placement.chosen()[i])) {
        table.append(ReadingsTable.number(first, place.get(0))).append(',');
        table.append(ReadingsTable.number(second, place.get(1))).append(',').append(i + 1);
        table.append(several() ? ",\"" + reads(i) + "\"" : "");
        table.append(",%.4g%n".formatted(errors[i + 1]));
      }
    }
    AtomicFile.write(file, table.toString());
  }

  private String reads(int sensor) {
    return problem().names(placement.candidates().channels(placement.chosen()[sensor]));
  }

  // ---- for people

  void print(PrintWriter out) {
    for (int q = 0; q < problem().quantities().size(); q++) {
      Quantity quantity = problem().quantities().get(q);
      double[] expected = placement.errors(q, units);
      out.printf("%nrms error of %s, expected and on fields held out%n", quantity.label());
      out.printf("  sensors   expected     placed     spread     random%n");
      out.printf("  %7d %10.4g%n", 0, expected[0]);
      for (PlacementTrial.Row row : rows) {
        out.printf(
            "  %7d %10.4g %10.4g %10.4g %10.4g%n",
            row.sensors(),
            expected[row.sensors()],
            row.placed()[q],
            row.even()[q],
            row.random()[q]);
      }
    }
    out.println();
  }

  /** Draws the places of the sensors, the remaining uncertainty, and the decrease of the error. */
  void draw(Path file) throws IOException {
    Figure figure =
        Figure.of()
            .heading(
                "%s for %s".formatted(Counted.of(placement.size(), "sensor"), problem().name()));
    for (int q = 0; q < problem().quantities().size(); q++) {
      figure.row("", map(q), chart(q));
    }
    figure.png().write(file);
  }

  private FieldPanel map(int q) {
    Quantity quantity = problem().quantities().get(q);
    int first = problem().channel(q, 0);
    int end = first + problem().frameCount();
    Tensor left = prior.given(placement.sensing(placement.size())).deviation().square();
    double scale = units.scale().get(first);
    Tensor deviation = left.slice(1, first, end).mean(0, 1).sqrt().mul(scale);
    return FieldFigures.map(problem(), "remaining uncertainty", deviation)
        .range(0, largest(deviation))
        .sensors(mask(first, end))
        .colorBar("deviation of " + quantity.label());
  }

  private static double largest(Tensor deviation) {
    double most = 0;
    for (double value : deviation.toDoubles()) {
      most = Math.max(most, value);
    }
    return most > 0 ? most : 1;
  }

  // Marks where any of the channels is read, [height, width].
  private Tensor mask(int first, int end) {
    Sensing read = placement.sensing(placement.size());
    double[] once = new double[read.size()];
    Arrays.fill(once, 1);
    Tensor counts = read.spread(Tensor.of(once, 1, once.length)).slice(1, first, end).sum(0, 1);
    double[] mask = Arrays.stream(counts.toDoubles()).map(Math::signum).toArray();
    return Tensor.of(mask, counts.shape().toArray());
  }

  private LineChart chart(int q) {
    Quantity quantity = problem().quantities().get(q);
    double[] expected = placement.errors(q, units);
    double[] numbers = new double[placement.size()];
    double[] curve = new double[placement.size()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = i + 1;
      curve[i] = expected[i + 1];
    }
    double[] x = rows.stream().mapToDouble(PlacementTrial.Row::sensors).toArray();
    LineChart chart =
        LineChart.of("")
            .axes("sensors", "rms error of " + quantity.label())
            .logX()
            .line("placed, expected", numbers, curve)
            .markedLine("placed", x, column(row -> row.placed()[q]))
            .markedLine("spread evenly", x, column(row -> row.even()[q]))
            .markedLine("random", x, column(row -> row.random()[q]));
    // A logarithmic axis of less than a decade has hardly any numbers on it.
    return curve[0] > 10 * curve[curve.length - 1] ? chart.logY() : chart.fromZero();
  }

  private double[] column(Function<PlacementTrial.Row, Double> number) {
    return rows.stream().mapToDouble(number::apply).toArray();
  }

  // ---- for programs

  Map<String, Object> toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("sensors", placement.size());
    json.put("candidates", placement.candidates().size());
    json.put("modes", prior.rank());
    json.put("places", placement.places());
    json.put("relative_error", boxed(placement.relativeErrors()));
    List<Object> quantities = new ArrayList<>();
    for (int q = 0; q < problem().quantities().size(); q++) {
      int number = q;
      Map<String, Object> each = new LinkedHashMap<>();
      each.put("quantity", problem().quantities().get(q).name());
      each.put("unit", problem().quantities().get(q).unit());
      each.put("expected", boxed(placement.errors(q, units)));
      each.put("tried_with", rows.stream().map(PlacementTrial.Row::sensors).toList());
      each.put("placed", boxed(column(row -> row.placed()[number])));
      each.put("spread", boxed(column(row -> row.even()[number])));
      each.put("random", boxed(column(row -> row.random()[number])));
      quantities.add(each);
    }
    json.put("rms_error", quantities);
    return json;
  }

  private static List<Double> boxed(double[] numbers) {
    return Arrays.stream(numbers).boxed().toList();
  }
}
