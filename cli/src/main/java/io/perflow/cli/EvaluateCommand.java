package io.perflow.cli;

import io.perflow.flow.Evaluation;
import io.perflow.flow.RectifiedFlow;
import io.perflow.physics.Benchmark;
import io.perflow.physics.Dataset;
import io.perflow.physics.Noise;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures a trained flow on fields it has not seen. */
@Command(name = "evaluate", description = "Measure a trained flow on a data set.")
final class EvaluateCommand implements Callable<Integer> {
  @Option(names = "--model", required = true, description = "File of the flow.")
  private Path model;

  @Option(names = "--data", required = true, description = "Data set, such as the test split.")
  private Path data;

  @Option(names = "--fields", defaultValue = "20", description = "Fields (${DEFAULT-VALUE}).")
  private int fields;

  @Option(
      names = "--samples",
      defaultValue = "20",
      description = "Samples per field (${DEFAULT-VALUE}).")
  private int samples;

  @Option(names = "--sensors", description = "Sensors per mask; by default the paper's number.")
  private String sensors;

  @Option(
      names = "--noise",
      defaultValue = "0",
      description = "Noise relative to the readings' deviation (${DEFAULT-VALUE}).")
  private double noise;

  @Option(names = "--json", description = "File to write the numbers to.")
  private Path json;

  @Mixin private SamplerOptions options = new SamplerOptions();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    RectifiedFlow flow = RectifiedFlow.load(model);
    Dataset truth = Dataset.read(data);
    Benchmark benchmark = truth.benchmark();
    if (!flow.config().benchmark().equals(benchmark.toString())) {
      throw new IllegalArgumentException(
          "%s is a flow for %s, %s holds %s"
              .formatted(model, flow.config().benchmark(), data, benchmark));
    }
    Tensor chosen = truth.first(Math.min(fields, truth.size())).fields();
    Tensor normalized = flow.config().units().normalize(chosen);
    int[] range = Sensors.range(sensors, benchmark.sensors());
    var masks = benchmark.masks(truth.height(), truth.width(), range[0], range[1]);
    Rng rng = Rng.of(options.seed);
    Tensor planes = masks.draw(rng.split("masks"), chosen.dim(0));
    Tensor readings =
        new Noise(noise).observe(normalized, masks.expand(planes), rng.split("noise"));
    Evaluation result;
    try (Progress progress = Progress.of("evaluate", chosen.dim(0))) {
      progress.at(0);
      result =
          Evaluation.of(
              options.sampler(flow),
              benchmark,
              flow.config().units(),
              normalized,
              planes,
              readings,
              samples,
              rng.split("samples"),
              progress::at);
    }
    print(result);
    if (json != null) {
      Json.write(json, result.toJson());
    }
    return 0;
  }

  private void print(Evaluation e) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf("%s on %d fields, %d samples each%n", e.system(), e.fields(), e.members());
    out.printf("  Rel-l2            one sample %.4f   mean %.4f%n", e.relativeL2(), e.meanL2());
    out.printf("  Rel-l1            one sample %.4f   mean %.4f%n", e.relativeL1(), e.meanL1());
    out.printf(
        "  Phys-Err          normalized %.3g   physical %.3g%n", e.physErr(), e.physErrPhysical());
    out.printf("  sensor misfit     %.3g (rms, normalized)%n", e.misfit());
    if (e.members() > 1) {
      out.printf(
          "  uncertainty       CRPS %.4f   %.0f %% covers %.1f %%   spread/skill %.2f"
              + "   correlation %.2f%n",
          e.crps(), 100 * e.level(), 100 * e.coverage(), e.spreadSkill(), e.correlation());
    }
    out.printf("  seconds/sample    %.3f%n", e.seconds());
  }
}
