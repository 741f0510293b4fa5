package io.perflow.cli;

import io.perflow.flow.RectifiedFlow;
import io.perflow.physics.Dataset;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Fits the error bars of a flow on fields it has not seen. */
@Command(
    name = "calibrate",
    description = {
      "Fit the error bars of a flow on a validation data set.",
      "Training does this at its end; this command does it for a run that was stopped, or again on"
          + " other fields. The factors are written to the model's file."
    })
final class CalibrateCommand implements Callable<Integer> {
  @Option(names = "--model", required = true, description = "File of the flow, which is changed.")
  private Path model;

  @Option(
      names = "--data",
      required = true,
      description = "Validation data set: fields that the flow was not trained on.")
  private Path data;

  @Mixin private MachineOptions machine = new MachineOptions();
  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    Model loaded = Model.load(model);
    loaded.requireFlow();
    Dataset fields = Dataset.read(data);
    loaded
        .problem()
        .difference(fields.problem())
        .ifPresent(
            difference -> {
              throw new IllegalArgumentException(
                  "%s and %s do not belong together: %s".formatted(model, data, difference));
            });
    Tensor validation = loaded.units().normalize(fields.fields()).contiguous();
    int count = RectifiedFlow.calibrationFields(validation);
    RectifiedFlow flow;
    try (Progress progress = Progress.of("calibrate error bars", count)) {
      progress.at(0);
      flow = RectifiedFlow.calibrate(loaded.file(), validation, machine.use(), progress::at);
    }
    Map<String, Object> numbers = new LinkedHashMap<>();
    numbers.put("model", loaded.file().toString());
    numbers.put("calibration", flow.calibration().orElseThrow().toJson());
    if (!json.quiet()) {
      spec.commandLine()
          .getOut()
          .printf("%s: error bars calibrated on %s%n", loaded.file(), Counted.of(count, "field"));
    }
    json.write(spec.commandLine().getOut(), numbers);
    return 0;
  }
}
