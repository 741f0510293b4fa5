package io.perflow.cli;

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
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints what a model or a problem is. */
@Command(name = "summary", description = "Print what a model or a problem is made of.")
final class SummaryCommand implements Callable<Integer> {
  @Parameters(
      index = "0",
      paramLabel = "FILE",
      description = "File of a flow, or a problem.json as perflow init writes it.")
  private Path file;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    if (file.toString().endsWith(".json")) {
      Problem problem = Problem.read(file);
      json.write(out, problem.toJson());
      if (!json.quiet()) {
        print(problem, out);
      }
    } else {
      print(Model.load(file), out);
    }
    out.flush();
    return 0;
  }

  private void print(Model model, PrintWriter out) throws IOException {
    json.write(
        out,
        model.flow().isPresent()
            ? Json.object(Json.parse(model.flow().get().config().toJson()), "flow")
            : Map.of("problem", model.problem().toJson()));
    if (json.quiet()) {
      return;
    }
    print(model.problem(), out);
    model
        .prior()
        .ifPresent(
            prior ->
                out.printf(
                    "prior        Gaussian of %d modes, learnt from %s fields%n",
                    prior.prior().rank(), prior.prior().description().get("fields")));
    if (model.flow().isPresent()) {
      RectifiedFlow flow = model.flow().get();
      out.println("physics      " + (flow.config().embedded() ? "embedded" : "not embedded"));
      out.print(layers(flow));
    }
  }

  private static void print(Problem problem, PrintWriter out) {
    out.println("problem      " + problem.name());
    out.println("axes         " + problem.grid());
    problem.frames().ifPresent(frames -> out.println("frames       " + frames));
    out.println(
        "quantities   "
            + problem.quantities().stream().map(Quantity::label).collect(Collectors.joining(", ")));
    for (Constraint constraint : problem.constraints()) {
      out.println("constraint   " + problem.text(constraint));
    }
    out.println("sensors      " + problem.sensors());
    out.println("readings     a CSV file with the columns " + String.join(",", columns(problem)));
  }

  // of the field that the network sees, which may have been made larger to be halved
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

  // the columns of a file of readings
  private static List<String> columns(Problem problem) {
    List<String> columns = new ArrayList<>();
    problem.frames().ifPresent(frames -> columns.add(frames.name()));
    columns.addAll(List.of(problem.grid().rows().name(), problem.grid().columns().name()));
    problem.quantities().forEach(quantity -> columns.add(quantity.name()));
    return columns;
  }
}
