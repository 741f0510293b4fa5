package io.perflow.cli;

import io.perflow.flow.Ensemble;
import io.perflow.flow.FieldSampler;
import io.perflow.flow.Reconstruction;
import io.perflow.flow.RectifiedFlow;
import io.perflow.nn.distributed.CarriedFile;
import io.perflow.nn.distributed.Engine;
import io.perflow.nn.distributed.Parcel;
import io.perflow.physics.Readings;
import io.perflow.physics.constraint.Certificate;
import io.perflow.tensor.Device;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/**
 * The command {@code reconstruct}, which reconstructs a field from sensor readings, with error bars
 * and a certificate.
 */
@Command(
    name = "reconstruct",
    description = {
      "Reconstruct a field from sensor readings.",
      "Writes fields.npz with mean, standard deviation, samples and coordinates in physical units,"
          + " a figure (figure.png), and the residual of every constraint (certificate.json). The"
          + " last line says how far you can trust the result."
    })
final class ReconstructCommand implements Callable<Integer> {
  @Option(names = "--model", required = true, paramLabel = "FILE", description = Model.NAMED)
  private Path model;

  @Option(
      names = "--observations",
      paramLabel = "FILE",
      required = true,
      description = {
        "Readings of the sensors, as a CSV file or an npz file. The columns of a CSV file are the"
            + " axes and the quantities of the model, such as y,x,T, or the axes and"
            + " quantity,value[,sigma] with one reading in each line. An npz file has the arrays"
            + " values and mask. perflow summary MODEL names the columns."
      })
  private Path observations;

  @Option(
      names = "--samples",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "20",
      description = "Number of samples to draw (${DEFAULT-VALUE}).")
  private int samples;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      required = true,
      description = "Directory to write to.")
  private Path out;

  @Mixin private JsonOption json = new JsonOption();
  @Mixin private SamplerOptions options = new SamplerOptions();

  @ParentCommand private PerflowCommand root;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    PerflowCommand.requireDirectory(out);
    Model loaded = Model.load(spec, model);
    loaded.notes().forEach(note -> tell("note: " + note));
    Readings readings = Readings.read(observations, loaded.problem());
    readings.notes().forEach(note -> tell("note: " + observations + ": " + note));
    FieldSampler sampler = options.sampler(loaded, 0);
    Reconstruction made =
        root.master == null ? run(sampler, readings) : runOnCluster(loaded, sampler, readings);
    made.warnings().forEach(warning -> tell("warning: " + warning));
    Device device = loaded.flow().map(RectifiedFlow::device).orElse(Device.cpu());
    String trust = Verdict.of(sampler, made);
    Map<String, Object> certificate = certificate(made, sampler, device);
    certificate.put("trust", trust);
    write(made, readings, certificate);
    report(made);
    spec.commandLine().getOut().println("trust: " + trust);
    json.write(certificate);
    return 0;
  }

  private Reconstruction run(FieldSampler sampler, Readings readings) {
    try (Progress progress = Progress.of(spec, "reconstruct", 100)) {
      progress.at(0);
      sampler.listener((part, note) -> progress.at(Math.round(100 * part), note));
      return Reconstruction.of(sampler, readings, samples, options.draws());
    }
  }

  // Every task draws some samples; this process judges all of them.
  private Reconstruction runOnCluster(Model loaded, FieldSampler sampler, Readings readings)
      throws IOException {
    Reconstruction.begin(sampler, readings);
    List<RemoteReconstruction.Part> parts = RemoteReconstruction.parts(sampler, samples);
    RemoteReconstruction work =
        RemoteReconstruction.of(
            RemoteCommand.of(spec), CarriedFile.of(loaded.file()), CarriedFile.of(observations));
    List<Parcel> drawn;
    try (Engine engine = Engine.connect(root.master);
        Progress progress = Progress.of(spec, "reconstruct", parts.size())) {
      progress.at(0);
      drawn = engine.map(parts, work, progress::at);
    }
    Tensor all = Tensor.concat(0, drawn.stream().map(Parcel::tensor).toArray(Tensor[]::new));
    return Reconstruction.judged(sampler, readings, new Ensemble(all));
  }

  /** Returns the source of samples on an executor. */
  RemoteReconstruction.Source source(Model loaded, Readings readings) {
    return new RemoteReconstruction.Source(options.sampler(loaded, 0), readings, options.draws());
  }

  private void tell(String line) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(line);
    err.flush();
  }

  private Map<String, Object> certificate(
      Reconstruction made, FieldSampler sampler, Device device) {
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("model", model.toString());
    found.put("observations", observations.toString());
    found.put("seed", options.seed);
    found.put("sampler", sampler.name());
    found.put("device", device.toString());
    found.put("arithmetic", device.arithmetic());
    found.put("channels", made.problem().channels());
    if (Double.isFinite(made.distance())) {
      found.put("distance_of_readings", made.distance());
    }
    found.put("warnings", made.warnings());
    found.put("sensor_misfit_of_mean", ReconstructionFiles.misfits(made));
    found.put("tolerance", Certificate.TOLERANCE);
    found.put("samples", made.certificate().toJson());
    return found;
  }

  private void write(Reconstruction made, Readings readings, Map<String, Object> certificate)
      throws IOException {
    Files.createDirectories(out);
    Npz.writeCompressed(out.resolve("fields.npz"), ReconstructionFiles.arrays(made));
    Json.write(out.resolve("certificate.json"), certificate);
    ReconstructionFiles.figure(made, readings, null).png().write(out.resolve("figure.png"));
  }

  private void report(Reconstruction made) {
    PrintWriter print = spec.commandLine().getOut();
    for (Certificate.Entry entry : made.certificate().worst()) {
      print.printf(
          "%s: mean square residual at most %.3g (normalized), %.3g (physical)%n",
          entry.constraint(), entry.normalized().meanSquare(), entry.physical().meanSquare());
    }
    for (Readings.Misfit misfit : made.misfits()) {
      print.printf(
          "%s: the mean of %s misses %s by %.3g%s (rms)%n",
          misfit.quantity().name(),
          Counted.of(samples, "sample"),
          Counted.of(misfit.readings(), "reading"),
          misfit.rms(),
          misfit.quantity().unit().isEmpty() ? "" : " " + misfit.quantity().unit());
    }
    print.printf("written to %s: fields.npz, figure.png, certificate.json%n", out);
  }
}
