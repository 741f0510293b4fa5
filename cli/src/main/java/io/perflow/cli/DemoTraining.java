package io.perflow.cli;

import io.perflow.cli.figure.Figure;
import io.perflow.cli.figure.HtmlReport;
import io.perflow.cli.figure.LineChart;
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
import picocli.CommandLine.Model.CommandSpec;

/**
 * The complete workflow in small: it simulates data, trains a flow with its physics inside and its
 * twin without, tests both, and writes a report.
 */
final class DemoTraining {
  private static final int SIZE = 64;
  private static final String HONEST =
      "A few minutes of training show how the pieces fit together, and that the projection keeps"
          + " the total velocity at zero up to rounding, whatever the network has learnt. They do"
          + " not show which flow is more accurate: after so few steps both are far from trained,"
          + " and either may have the smaller error. To see trained models, run perflow demo"
          + " without --train.";
  private static final int TRAINING = 2000;
  private static final int TEST = 10;
  private static final int SENSORS = 5;
  private static final Burgers BURGERS = Burgers.paper().size(SIZE, SIZE).substeps(2);
  private static final Problem PROBLEM = BURGERS.problem().with(Sensors.lines("x", SENSORS));

  /** The settings: output directory, training steps, samples per field, and seed. */
  record Plan(Path out, int steps, int samples, long seed) {}

  private final Path out;
  private final int steps;
  private final int samples;
  private final long seed;
  private final Device device;
  private final JsonOption json;
  private final CommandSpec spec;
  private final List<LossCurve> curves = new ArrayList<>();

  private record LossCurve(String name, List<Double> losses) {}

  DemoTraining(Plan plan, Device device, JsonOption json, CommandSpec spec) {
    out = plan.out;
    steps = plan.steps;
    samples = plan.samples;
    seed = plan.seed;
    this.device = device;
    this.json = json;
    this.spec = spec;
  }

  void run() throws IOException {
    Files.createDirectories(out);
    Dataset training = data("train", TRAINING);
    Dataset test = data("test", TEST);
    FlowConfig config = config(training.normalization());
    RectifiedFlow physics = train(config, training, "PerFlow");
    RectifiedFlow plain = train(config.unprojected(), training, "RF");
    List<Evaluation> rows = new ArrayList<>();
    rows.add(evaluate(physics, test));
    rows.add(evaluate(plain, test));
    print(rows);
    Figure figure = draw(physics, test);
    figure.png().write(out.resolve("figure.png"));
    report(rows, figure, config);
    spec.commandLine()
        .getOut()
        .printf(
            "%s%nfigure: %s%nreport: %s%n",
            HONEST, out.resolve("figure.png"), out.resolve("report.html"));
    json.write(numbers(rows));
  }

  private Dataset data(String split, int count) throws IOException {
    Path file = out.resolve(split + ".safetensors");
    Generation generation =
        new Generation(
            BURGERS, split, seed, count, DataType.F32, Scaling.UNIT, Map.of("preset", "paper"));
    int before = Settings.threads();
    // Samples are computed side by side, each on one thread.
    Settings.threads(1);
    try (Progress progress = Progress.of(spec, "simulate " + split, count)) {
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

  private RectifiedFlow train(FlowConfig config, Dataset data, String name) throws IOException {
    RectifiedFlow flow = RectifiedFlow.of(config, Rng.of(seed));
    TrainConfig settings = TrainConfig.fast(steps, 8, seed);
    Tensor fields = config.normalization().normalize(data.fields()).contiguous();
    LossCurve curve = new LossCurve(name, new ArrayList<>());
    curves.add(curve);
    DataSource source = DataSource.of(PROBLEM, fields, settings);
    Trainer trainer = new Trainer(flow, source, settings, out.resolve(name)).device(device);
    try (Interrupt _ = new Interrupt(trainer::stop);
        Progress progress = Progress.of(spec, "train " + name, steps)) {
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
        throw new IOException("stopped; the same command continues from here");
      }
    }
    return flow;
  }

  private Evaluation evaluate(RectifiedFlow flow, Dataset test) {
    Tensor fields = flow.config().normalization().normalize(test.fields());
    Rng rng = Rng.of(seed).split("evaluation");
    Tensor planes = PROBLEM.masks().draw(rng.split("masks"), test.size());
    Tensor readings = Observations.of(fields, planes).values();
    try (Progress progress = Progress.of(spec, "reconstruct", test.size())) {
      return Evaluation.of(
          sampler(flow),
          PROBLEM,
          flow.config().normalization(),
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

  private Figure draw(RectifiedFlow flow, Dataset test) {
    Normalization units = flow.config().normalization();
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
        .figure();
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

  // a flow that knew how wrong it is would have a ratio of 1
  private static String doubt(Evaluation of) {
    return Double.isFinite(of.spreadSkill())
        ? (" On average the deviation is %.2f times the error; it would be 1 if the flow knew how"
                + " wrong it is.")
            .formatted(of.spreadSkill())
        : "";
  }

  private void report(List<Evaluation> rows, Figure figure, FlowConfig config) throws IOException {
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
    HtmlReport.of("Two flows, trained for %s".formatted(Counted.of(steps, "step")))
        .text(
            ("perflow simulated %d fields of Burgers' equation, a velocity u on a ring followed"
                    + " through time, and trained two flows on them. It then reconstructed %d new"
                    + " fields from %d sensors. A sensor stands still and reads u at all times.")
                .formatted(TRAINING, TEST, SENSORS))
        .text(
            "The equation keeps the total velocity, the integral of u around the ring, at zero."
                + " PerFlow builds this in: it projects the noise it starts from, and the velocity"
                + " of the flow, onto the fields that satisfy it. RF (rectified flow) is the same"
                + " network without the projection.")
        .text(HONEST)
        .table(HEADER, cells(rows))
        .text(
            ("Rel-l2 is the error of one sample divided by the field, both as root mean squares: 0"
                    + " is exact, and 1 is as bad as a field of zeros. The next column is the same"
                    + " for the mean of %s. Rel-l1 compares absolute values instead of squares."
                    + " Phys-Err is the mean square of the total velocity over all times, for"
                    + " fields of variance 1. Each sample took 50 Euler steps.")
                .formatted(Counted.of(samples, "sample")))
        .figure(
            figure,
            "Three of the new fields, reconstructed by PerFlow. Sensors: what was read, grey where"
                + " nothing was. Truth and mean share their colours, and so do error and standard"
                + " deviation.%s".formatted(doubt(rows.getFirst())))
        .figure(
            Figure.of(chart),
            "The loss that training reduces, of both flows%s. The scale is logarithmic."
                .formatted(steps < 100 ? "" : ": pale at each step, bold its running mean"))
        .section("How to go on")
        .text("Measure the flow beside simple interpolations of the same readings:")
        .lines(
            "perflow evaluate --model %s --data %s"
                .formatted(out.resolve("PerFlow"), out.resolve("test.safetensors")))
        .text("Look at what trained models do, and place sensors yourself:")
        .lines("perflow demo", "perflow studio --open")
        .text("Train on fields of your own:")
        .lines("perflow init fields.npz --out mine", "perflow train mine")
        .configuration("Configuration", Json.parse(config.toJson()))
        .write(out.resolve("report.html"));
  }
}
