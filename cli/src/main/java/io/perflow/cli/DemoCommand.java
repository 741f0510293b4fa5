package io.perflow.cli;

import io.perflow.cli.figure.Figure;
import io.perflow.cli.figure.HtmlReport;
import io.perflow.cli.figure.LineChart;
import io.perflow.cli.figure.Png;
import io.perflow.cli.figure.ReconstructionFigure;
import io.perflow.flow.DataSource;
import io.perflow.flow.Ensemble;
import io.perflow.flow.Evaluation;
import io.perflow.flow.FlowConfig;
import io.perflow.flow.FlowSampler;
import io.perflow.flow.Observations;
import io.perflow.flow.OdeSolver;
import io.perflow.flow.Recipe;
import io.perflow.flow.RectifiedFlow;
import io.perflow.flow.TrainConfig;
import io.perflow.flow.Trainer;
import io.perflow.flow.TrainingListener;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Dataset;
import io.perflow.physics.Generation;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Scaling;
import io.perflow.physics.Sensors;
import io.perflow.physics.solver.Burgers;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The whole job in small: data, a flow with the physics inside and its twin without, a report. */
@Command(
    name = "demo",
    description = {
      "Show the whole job on Burgers' equation, in a few minutes and without any file.",
      "Simulates fields on a 64 x 64 grid, trains a flow that conserves mass exactly and its twin"
          + " that does not, and reconstructs fields neither has seen from 5 sensors."
    })
final class DemoCommand implements Callable<Integer> {
  private static final int SIZE = 64;
  private static final int TRAINING = 2000;
  private static final int TEST = 10;
  private static final int SENSORS = 5;
  private static final Burgers BURGERS = Burgers.paper().size(SIZE, SIZE).substeps(2);
  private static final Problem PROBLEM = BURGERS.problem().with(Sensors.lines("x", SENSORS));

  @Option(
      names = "--out",
      defaultValue = "perflow-demo",
      description = "Directory for data, models, figure and report (${DEFAULT-VALUE}).")
  private Path out;

  @Option(
      names = "--steps",
      converter = Count.class,
      defaultValue = "600",
      description = "Training steps of each flow (${DEFAULT-VALUE}).")
  private int steps;

  @Option(
      names = "--samples",
      converter = Count.class,
      defaultValue = "8",
      description = "Samples per field (${DEFAULT-VALUE}).")
  private int samples;

  @Option(names = "--seed", defaultValue = "1", description = "Seed (${DEFAULT-VALUE}).")
  private long seed;

  @Mixin private MachineOptions machine = new MachineOptions();
  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  private final List<LossCurve> curves = new ArrayList<>();

  private record LossCurve(String name, List<Double> losses) {}

  @Override
  public Integer call() throws IOException {
    Device device = machine.use();
    Files.createDirectories(out);
    Dataset training = data("train", TRAINING);
    Dataset test = data("test", TEST);
    FlowConfig config = config(training.normalization());
    RectifiedFlow physics = train(config, training, "PerFlow", device);
    RectifiedFlow plain = train(config.unprojected(), training, "RF", device);
    List<Evaluation> rows = new ArrayList<>();
    rows.add(evaluate(physics, test));
    rows.add(evaluate(plain, test));
    if (!json.quiet()) {
      print(rows);
    }
    Png figure = draw(physics, test);
    figure.write(out.resolve("figure.png"));
    report(rows, figure, config);
    if (!json.quiet()) {
      spec.commandLine()
          .getOut()
          .printf(
              "figure: %s%nreport: %s%n", out.resolve("figure.png"), out.resolve("report.html"));
    }
    json.write(spec.commandLine().getOut(), numbers(rows));
    return 0;
  }

  private Dataset data(String split, int count) throws IOException {
    Path file = out.resolve(split + ".safetensors");
    Generation generation =
        new Generation(
            BURGERS, split, seed, count, DataType.F32, Scaling.UNIT, Map.of("preset", "paper"));
    int before = Settings.threads();
    // samples side by side, each on one thread
    Settings.threads(1);
    try (Progress progress = Progress.of("simulate " + split, count)) {
      generation.run(file, before, progress::at);
    } finally {
      Settings.threads(before);
    }
    return Dataset.read(file);
  }

  private static FlowConfig config(Normalization units) {
    UNetConfig network = UNetConfig.of(64, 128).patch(4).attention(true, true);
    return Recipe.FAST.flow(PROBLEM, units).network(network);
  }

  private RectifiedFlow train(FlowConfig config, Dataset data, String name, Device device)
      throws IOException {
    RectifiedFlow flow = RectifiedFlow.of(config, Rng.of(seed));
    TrainConfig settings = TrainConfig.fast(steps, 8, seed);
    Tensor fields = config.units().normalize(data.fields()).contiguous();
    LossCurve curve = new LossCurve(name, new ArrayList<>());
    curves.add(curve);
    DataSource source = DataSource.of(PROBLEM, fields, settings);
    Trainer trainer = new Trainer(flow, source, settings, out.resolve(name)).device(device);
    try (Interrupt _ = new Interrupt(trainer::stop);
        Progress progress = Progress.of("train " + name, steps)) {
      progress.at(trainer.resume());
      trainer.listener(
          new TrainingListener() {
            @Override
            public void step(long step, double loss, double rate) {
              curve.losses().add(loss);
              progress.at(step, "loss %.4f".formatted(loss));
            }
          });
      if (!trainer.train()) {
        throw new IOException("stopped; the same command goes on from here");
      }
    }
    return flow;
  }

  private Evaluation evaluate(RectifiedFlow flow, Dataset test) {
    Tensor fields = flow.config().units().normalize(test.fields());
    Rng rng = Rng.of(seed).split("evaluation");
    Tensor planes = PROBLEM.masks().draw(rng.split("masks"), test.size());
    Tensor readings = Observations.of(fields, planes).values();
    try (Progress progress = Progress.of("reconstruct", test.size())) {
      return Evaluation.of(
          sampler(flow),
          PROBLEM,
          flow.config().units(),
          fields,
          planes,
          readings,
          samples,
          rng.split("samples"),
          progress::at);
    }
  }

  private FlowSampler sampler(RectifiedFlow flow) {
    return FlowSampler.of(flow).solver(OdeSolver.euler(50)).batch(samples);
  }

  private Png draw(RectifiedFlow flow, Dataset test) {
    Normalization units = flow.config().units();
    ReconstructionFigure figure = FieldFigures.of(PROBLEM);
    Rng rng = Rng.of(seed).split("evaluation");
    Tensor planes = PROBLEM.masks().draw(rng.split("masks"), test.size());
    Observations all = Observations.of(units.normalize(test.fields()), planes);
    for (int i = 0; i < 3; i++) {
      Observations seen = all.select(i);
      Ensemble drawn = sampler(flow).reconstruct(seen, samples, rng.split("samples").split(i));
      Ensemble fields = new Ensemble(units.denormalize(drawn.samples()));
      FieldFigures.add(
          figure,
          PROBLEM,
          units.denormalize(seen.values()),
          seen.mask(),
          test.fields().slice(0, i, i + 1).contiguous(),
          fields.mean(),
          fields.deviation());
    }
    return figure
        .heading("Burgers' equation from %d sensors, %d samples".formatted(SENSORS, samples))
        .figure()
        .png();
  }

  private static final List<String> HEADER =
      List.of("system", "Rel-l2", "Rel-l2 of mean", "Rel-l1", "Phys-Err", "seconds/sample");

  private static List<List<String>> cells(List<Evaluation> rows) {
    return rows.stream()
        .map(
            e ->
                List.of(
                    e.system(),
                    "%.4f".formatted(e.relativeL2()),
                    "%.4f".formatted(e.meanL2()),
                    "%.4f".formatted(e.relativeL1()),
                    "%.2e".formatted(e.physErr()),
                    "%.3f".formatted(e.seconds())))
        .toList();
  }

  private void print(List<Evaluation> rows) {
    String format = "%-18s%10s%17s%10s%12s%17s%n";
    var print = spec.commandLine().getOut();
    print.printf(format, HEADER.toArray());
    cells(rows).forEach(row -> print.printf(format, row.toArray()));
  }

  private static Map<String, Object> numbers(List<Evaluation> rows) {
    Map<String, Object> numbers = new LinkedHashMap<>();
    rows.forEach(row -> numbers.put(row.system(), row.toJson()));
    return numbers;
  }

  private void report(List<Evaluation> rows, Png figure, FlowConfig config) throws IOException {
    Json.write(out.resolve("results.json"), numbers(rows));
    LineChart chart = LineChart.of("Training loss").axes("step", "loss").logY();
    for (LossCurve curve : curves) {
      double[] y = curve.losses().stream().mapToDouble(Double::doubleValue).toArray();
      double[] x = new double[y.length];
      java.util.Arrays.setAll(x, i -> i + 1 + steps - y.length);
      if (y.length > 0) {
        chart.noisyLine(curve.name(), x, y);
      }
    }
    HtmlReport.of("Burgers' equation from %d sensors".formatted(SENSORS))
        .text(
            "PerFlow projects noise and velocity onto the fields whose mass does not change; RF is"
                + " the same flow without the projection. Phys-Err is the mean square of the mass"
                + " of every time, in normalized units.")
        .table(HEADER, cells(rows))
        .figure(figure, "Three fields the flow has not seen. Dashed lines are sensors.")
        .figure(Figure.of(chart).png(), "Training.")
        .configuration("Configuration", Json.parse(config.toJson()))
        .write(out.resolve("report.html"));
  }
}
