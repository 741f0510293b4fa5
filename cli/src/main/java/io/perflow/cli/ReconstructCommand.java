package io.perflow.cli;

import io.perflow.cli.figure.ReconstructionFigure;
import io.perflow.flow.Observations;
import io.perflow.flow.Readings;
import io.perflow.flow.Reconstruction;
import io.perflow.flow.RectifiedFlow;
import io.perflow.physics.Benchmark;
import io.perflow.physics.constraint.Certificate;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Reconstructs a field from sensor readings, with error bars and a certificate. */
@Command(
    name = "reconstruct",
    description = {
      "Reconstruct a field from sensor readings.",
      "Writes mean, standard deviation and samples (fields.npz, physical units, double precision),"
          + " a figure (figure.png) and the residual of every constraint (certificate.json)."
    })
final class ReconstructCommand implements Callable<Integer> {
  @Option(names = "--model", required = true, description = "File of the flow.")
  private Path model;

  @Option(
      names = "--observations",
      required = true,
      description = {
        "Readings: a CSV file with the names t,x,u (burgers), x,y,f,u (poisson), x,y,a,p (darcy)"
            + " or",
        "frame,x,y,u,v (ns), or an npz file with values and mask."
      })
  private Path observations;

  @Option(names = "--samples", defaultValue = "20", description = "Samples (${DEFAULT-VALUE}).")
  private int samples;

  @Option(names = "--snap", description = "Move places between grid points to the nearest one.")
  private boolean snap;

  @Option(names = "--out", required = true, description = "Directory for the results.")
  private Path out;

  @Mixin private SamplerOptions options = new SamplerOptions();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    RectifiedFlow flow = RectifiedFlow.load(model);
    Observations read = Readings.read(observations, flow.config(), snap);
    Rng rng = Rng.of(options.seed).split("samples");
    Reconstruction made = Reconstruction.of(flow, options.sampler(flow), read, samples, rng);
    write(made, read, Benchmark.of(flow.config().benchmark()));
    report(made.certificate(), made.misfit());
    return 0;
  }

  private void write(Reconstruction made, Observations read, Benchmark benchmark)
      throws IOException {
    Files.createDirectories(out);
    Tensor mean = made.fields().mean();
    Tensor deviation = made.fields().deviation();
    Map<String, Tensor> arrays = new LinkedHashMap<>();
    arrays.put("mean", mean.select(0, 0).contiguous());
    arrays.put("std", deviation.select(0, 0).contiguous());
    arrays.put("samples", made.fields().samples());
    Npz.writeCompressed(out.resolve("fields.npz"), arrays);
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("model", model.toString());
    json.put("observations", observations.toString());
    json.put("seed", options.seed);
    json.put("sampler", options.solver + "-" + options.steps);
    json.put("sensor_misfit_of_mean", made.misfit());
    json.put("samples", made.certificate().toJson());
    Json.write(out.resolve("certificate.json"), json);
    ReconstructionFigure figure = FieldFigures.of(benchmark);
    FieldFigures.add(figure, benchmark, read.values(), read.mask(), null, mean, deviation);
    figure.figure().png().write(out.resolve("figure.png"));
  }

  private void report(Certificate certificate, double misfit) {
    var print = spec.commandLine().getOut();
    for (Certificate.Entry entry : certificate.worst()) {
      print.printf(
          "%s: mean square residual at most %.3g (normalized), %.3g (physical)%n",
          entry.constraint(), entry.normalized().meanSquare(), entry.physical().meanSquare());
    }
    print.printf("mean of %d samples misses the sensors by %.3g (rms)%n", samples, misfit);
    print.printf("written to %s: fields.npz, figure.png, certificate.json%n", out);
  }
}
