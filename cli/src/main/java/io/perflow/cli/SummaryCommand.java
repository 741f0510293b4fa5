package io.perflow.cli;

import io.perflow.flow.RectifiedFlow;
import io.perflow.nn.Summary;
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
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints what a model file holds. */
@Command(name = "summary", description = "Print what a model is made of.")
final class SummaryCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "MODEL", description = "File of the flow.")
  private Path model;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    RectifiedFlow flow = RectifiedFlow.load(model);
    PrintWriter out = spec.commandLine().getOut();
    Problem problem = flow.config().problem();
    json.write(out, Json.object(Json.parse(flow.config().toJson()), "flow"));
    if (!json.quiet()) {
      out.println(problem.name() + ", " + (flow.config().embedded() ? "PerFlow" : "RF"));
      out.println("axes         " + problem.grid());
      problem.frames().ifPresent(frames -> out.println("frames       " + frames));
      out.println(
          "quantities   "
              + problem.quantities().stream()
                  .map(Quantity::label)
                  .collect(Collectors.joining(", ")));
      for (Constraint constraint : problem.constraints()) {
        out.println("constraint   " + problem.text(constraint));
      }
      out.println("sensors      " + problem.sensors());
      out.println("columns      " + String.join(",", columns(problem)));
      Tensor x =
          Tensor.zeros(problem.batch(1).with(1, flow.config().network().inChannels()).toArray());
      if (problem.grid().height() % flow.config().network().multiple() == 0
          && problem.grid().width() % flow.config().network().multiple() == 0) {
        out.print(Summary.of(flow.network(), x, Tensor.zeros(1)));
      } else {
        out.printf("parameters   %d%n", flow.network().parameterCount());
      }
      out.flush();
    }
    return 0;
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
