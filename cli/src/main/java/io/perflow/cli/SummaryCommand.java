package io.perflow.cli;

import io.perflow.flow.Calibration;
import io.perflow.flow.RectifiedFlow;
import io.perflow.nn.Summary;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Grid;
import io.perflow.physics.Problem;
import io.perflow.physics.Quantity;
import io.perflow.physics.constraint.Constraint;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code summary}, which prints what a model or a problem is. */
@Command(
    name = "summary",
    description = "Describe a model or a problem: axes, quantities, constraints, sensors, layers.")
final class SummaryCommand implements Callable<Integer> {
  @Parameters(
      index = "0",
      paramLabel = "FILE",
      description =
          "Trained model, the directory of its run, or a problem.json that perflow init wrote.")
  private Path file;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    if (file.toString().endsWith(".json")) {
      Problem problem = Problem.read(file);
      json.write(problem.toJson());
      table(rows(problem), out);
    } else {
      print(Model.load(spec, file), out);
    }
    out.flush();
    return 0;
  }

  private void print(Model model, PrintWriter out) throws IOException {
    json.write(
        model.flow().isPresent()
            ? Json.object(Json.parse(model.flow().get().config().toJson()), "flow")
            : Map.of("problem", model.problem().toJson()));
    List<List<String>> rows = rows(model.problem());
    rows.add(
        List.of(
            "method", model.flow().isPresent() ? "flow" : model.requirePrior().use().toString()));
    model
        .prior()
        .ifPresent(
            prior ->
                rows.add(
                    List.of(
                        "prior",
                        "Gaussian of %d modes, learnt from %s fields"
                            .formatted(
                                prior.prior().rank(), prior.prior().description().get("fields")))));
    rows.add(List.of("error bars", calibration(model)));
    if (model.flow().isPresent()) {
      RectifiedFlow flow = model.flow().get();
      rows.add(
          List.of(
              "physics",
              flow.config().embedded() ? "every sample holds the constraints" : "not held"));
      table(rows, out);
      out.println();
      out.print(layers(flow));
    } else {
      table(rows, out);
    }
  }

  private static String calibration(Model model) {
    Optional<Calibration> found =
        model.flow().isPresent()
            ? model.flow().get().calibration()
            : model.requirePrior().calibration();
    return found.isPresent()
        ? "calibrated for intervals of %.0f %%".formatted(100 * Calibration.LEVEL)
        : "not calibrated";
  }

  private static void table(List<List<String>> rows, PrintWriter out) {
    String before = "";
    for (List<String> row : rows) {
      String name = row.getFirst().equals(before) ? "" : row.getFirst();
      out.println("%-13s%s".formatted(name, row.getLast()));
      before = row.getFirst();
    }
  }

  // Names and their descriptions; a name may occur several times.
  private static List<List<String>> rows(Problem problem) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("problem", problem.name()));
    rows.add(List.of("axes", problem.grid().rows().toString()));
    rows.add(List.of("axes", problem.grid().columns().toString()));
    problem.frames().ifPresent(frames -> rows.add(List.of("frames", frames.toString())));
    rows.add(
        List.of(
            "quantities",
            problem.quantities().stream().map(Quantity::label).collect(Collectors.joining(", "))));
    for (Constraint constraint : problem.constraints()) {
      rows.add(List.of("constraint", problem.text(constraint)));
    }
    problem.equation().ifPresent(_ -> rows.add(List.of("equation", "known")));
    rows.add(List.of("sensors", problem.sensors().toString()));
    String columns = String.join(",", columns(problem));
    rows.add(List.of("readings", "a CSV file with the columns " + columns));
    return rows;
  }

  // The grid that the network sees, which may have been enlarged so that it can be halved.
  private static Summary layers(RectifiedFlow flow) {
    UNetConfig network = flow.config().network();
    Grid grid = flow.config().problem().grid();
    int factor = network.multiple();
    Tensor x =
        Tensor.zeros(
            1,
            network.inChannels(),
            Math.ceilDiv(grid.height(), factor) * factor,
            Math.ceilDiv(grid.width(), factor) * factor);
    return Summary.of(flow.network(), x, Tensor.zeros(1));
  }

  // The columns of a file of readings.
  private static List<String> columns(Problem problem) {
    List<String> columns = new ArrayList<>();
    problem.frames().ifPresent(frames -> columns.add(frames.name()));
    columns.addAll(List.of(problem.grid().rows().name(), problem.grid().columns().name()));
    problem.quantities().forEach(quantity -> columns.add(quantity.name()));
    return columns;
  }
}
