package io.perflow.cli;

import io.perflow.flow.RectifiedFlow;
import io.perflow.nn.Summary;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints what a model file holds. */
@Command(name = "summary", description = "Print what a model is made of.")
final class SummaryCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "MODEL", description = "File of the flow.")
  private Path model;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    RectifiedFlow flow = RectifiedFlow.load(model);
    var out = spec.commandLine().getOut();
    out.println(flow.config().toJson());
    var domain = flow.config().domain();
    Tensor x =
        Tensor.zeros(1, flow.config().network().inChannels(), domain.height(), domain.width());
    out.print(Summary.of(flow.network(), x, Tensor.zeros(1)));
    out.flush();
    return 0;
  }
}
