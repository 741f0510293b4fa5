package io.perflow.cli;

import io.perflow.flow.Calibration;
import io.perflow.flow.PriorModel;
import io.perflow.flow.RectifiedFlow;
import io.perflow.physics.Dataset;
import io.perflow.tensor.Device;
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

/**
 * The command {@code calibrate}, which fits the error bars of a flow on fields that it has not
 * seen.
 */
@Command(
    name = "calibrate",
    description = {
      "Calibrate the error bars of a model on a validation data set.",
      "perflow train does this at its end. Use this command for a run that was stopped, or to"
          + " calibrate on other fields. Without --out it changes the file of the model."
    })
final class CalibrateCommand implements Callable<Integer> {
  @Option(names = "--model", paramLabel = "FILE", required = true, description = Model.NAMED)
  private Path model;

  @Option(
      names = "--data",
      paramLabel = "FILE",
      required = true,
      description = "Validation data set, with fields that the model was not trained on.")
  private Path data;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description =
          "Calibrated model to write. If omitted, the file of --model is changed; a shipped model"
              + " is never changed without this option.")
  private Path out;

  @Mixin private MachineOptions machine = new MachineOptions();
  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    Model loaded = Model.load(spec, model);
    Dataset fields = Dataset.read(data);
    loaded
        .problem()
        .difference(fields.problem())
        .ifPresent(
            difference -> {
              throw new IllegalArgumentException(
                  "%s and %s do not belong together: %s".formatted(model, data, difference));
            });
    Path target = target(loaded.file());
    Tensor validation = loaded.normalization().normalize(fields.fields()).contiguous();
    int count =
        loaded.flow().isPresent()
            ? RectifiedFlow.calibrationFields(validation)
            : loaded.prior().orElseThrow().use().calibrationFields(validation.dim(0));
    Calibration found;
    try (Progress progress = Progress.of(spec, "calibrate error bars", count)) {
      progress.at(0);
      found = calibrate(loaded, target, validation, progress);
    }
    Map<String, Object> numbers = new LinkedHashMap<>();
    numbers.put("model", target.toString());
    numbers.put("calibration", found.toJson());
    spec.commandLine()
        .getOut()
        .printf("%s: error bars calibrated on %s%n", target, Counted.of(count, "field"));
    json.write(numbers);
    return 0;
  }

  private Path target(Path file) throws IOException {
    if (out == null && Shipped.isOne(file)) {
      throw new IllegalArgumentException(
          "%s is a shipped model, which others compare with; name a file for the calibrated one"
                  .formatted(file)
              + " with --out");
    }
    return out == null ? file : out;
  }

  private Calibration calibrate(Model loaded, Path target, Tensor validation, Progress progress)
      throws IOException {
    Device device = machine.use();
    if (loaded.flow().isPresent()) {
      RectifiedFlow flow =
          RectifiedFlow.calibrate(loaded.file(), target, validation, device, progress::at);
      return flow.calibration().orElseThrow();
    }
    PriorModel prior = loaded.prior().orElseThrow().calibrated(validation, progress::at);
    prior.save(target);
    return prior.calibration().orElseThrow();
  }
}
