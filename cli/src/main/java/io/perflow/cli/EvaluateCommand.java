package io.perflow.cli;

import io.perflow.cli.figure.Figure;
import io.perflow.cli.figure.LineChart;
import io.perflow.flow.Evaluation;
import io.perflow.flow.FieldErrors;
import io.perflow.flow.FieldSampler;
import io.perflow.flow.Judge;
import io.perflow.flow.Observations;
import io.perflow.flow.Reconstructor;
import io.perflow.flow.baseline.Interpolator;
import io.perflow.nn.distributed.CarriedFile;
import io.perflow.nn.distributed.Engine;
import io.perflow.physics.Dataset;
import io.perflow.physics.Noise;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.interpolation.Interpolation;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** The command {@code evaluate}, which measures a model on fields that it has not seen. */
@Command(
    name = "evaluate",
    description = {
      "Measure the errors of a model on a data set.",
      "Prints the errors of simple interpolations of the same readings beside those of the model,"
          + " so that you see what the model adds."
    })
final class EvaluateCommand implements Callable<Integer> {
  @Option(names = "--model", required = true, paramLabel = "FILE", description = Model.NAMED)
  private Path model;

  @Option(
      names = "--data",
      paramLabel = "FILE",
      required = true,
      description = "Test data set, with fields that the model was not trained on.")
  private Path data;

  @Option(
      names = "--fields",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "20",
      description = "Number of test fields (${DEFAULT-VALUE}).")
  private int fields;

  @Option(
      names = "--samples",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "20",
      description = "Number of samples drawn for each field (${DEFAULT-VALUE}).")
  private int samples;

  @Option(
      names = "--sensors",
      paramLabel = "N",
      description =
          "Number of sensors of a field, such as 5, or a range, such as 3..8. Several with commas"
              + " between them, such as 5,10,20, are evaluated one after the other. If omitted, as"
              + " in training.")
  private String sensors;

  @Option(
      names = "--noise",
      paramLabel = "X",
      defaultValue = "0",
      description =
          "Standard deviation of noise that is added to the readings, as a part of the quantity's"
              + " standard deviation (${DEFAULT-VALUE}).")
  private double noise;

  @Option(
      names = "--figure",
      paramLabel = "FILE",
      description =
          "PNG file to write, with the reliability diagram: for intervals of each level, the share"
              + " of the truth inside them.")
  private Path figure;

  @Mixin private JsonOption json = new JsonOption();
  @Mixin private SamplerOptions options = new SamplerOptions();

  @ParentCommand private PerflowCommand root;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    if (figure != null && samples < 2) {
      throw new IllegalArgumentException(
          "a reliability diagram needs at least 2 samples per field, not --samples 1");
    }
    Model loaded = Model.load(spec, model);
    Dataset truth = Dataset.read(data);
    Problem problem = loaded.problem();
    problem
        .difference(truth.problem())
        .ifPresent(
            difference -> {
              throw new IllegalArgumentException(
                  "%s and %s do not belong together: %s".formatted(model, data, difference));
            });
    FieldSampler sampler = options.sampler(loaded, noise);
    List<Test> tests = new ArrayList<>();
    for (Problem tested : tested(problem)) {
      tests.add(test(tested, loaded.normalization(), truth));
    }
    if (figure != null && tests.size() > 1) {
      throw new IllegalArgumentException("--figure shows one number of sensors, not " + sensors);
    }
    List<Evaluation> results =
        root.master == null
            ? tests.stream().map(test -> run(sampler, test, samples)).toList()
            : runOnCluster(loaded, sampler, tests);
    List<Map<String, Object>> numbers = new ArrayList<>();
    for (int i = 0; i < tests.size(); i++) {
      numbers.add(report(tests.get(i), results.get(i), tests.size() > 1));
    }
    if (figure != null) {
      drawReliability(results.getFirst());
    }
    json.write(numbers.size() == 1 ? numbers.getFirst() : Map.of("sweep", numbers));
    return 0;
  }

  private Map<String, Object> report(Test test, Evaluation result, boolean sweep) {
    List<Evaluation> simple = new ArrayList<>();
    for (Interpolation kind : Interpolation.values()) {
      simple.add(run(new Interpolator(test.problem(), kind), test, 1));
    }
    Map<String, Object> numbers = new LinkedHashMap<>();
    if (sweep) {
      numbers.put("sensors", test.problem().sensors().toString());
    }
    if (sweep) {
      spec.commandLine().getOut().printf("sensors: %s%n", test.problem().sensors());
    }
    print(result, simple, test.problem());
    numbers.putAll(result.toJson());
    numbers.put("interpolations", simple.stream().map(Evaluation::toJson).toList());
    return numbers;
  }

  /** Some fields to reconstruct and the readings of their sensors, normalized. */
  private record Test(
      Problem problem, Normalization normalization, Tensor fields, Tensor planes, Tensor readings) {
    boolean exact() {
      return Judge.exact(problem, fields, planes, readings);
    }
  }

  // The problem with each of the requested numbers of sensors.
  private List<Problem> tested(Problem problem) {
    return sensors == null
        ? List.of(problem)
        : Stream.of(sensors.split(",", -1))
            .map(count -> problem.with(SensorCount.of(count, problem.sensors())))
            .toList();
  }

  private Test test(Problem problem, Normalization normalization, Dataset truth) {
    Tensor chosen = truth.first(Math.min(fields, truth.size())).fields();
    Tensor normalized = normalization.normalize(chosen);
    Rng rng = Rng.of(options.seed);
    Tensor planes = problem.masks().draw(rng.split("masks"), chosen.dim(0));
    Tensor readings =
        new Noise(noise).observe(normalized, problem.expand(planes), rng.split("noise"));
    return new Test(problem, normalization, normalized, planes, readings);
  }

  // Every task judges one field; this process averages the errors.
  private List<Evaluation> runOnCluster(Model loaded, FieldSampler sampler, List<Test> tests)
      throws IOException {
    List<RemoteEvaluation.Field> items = new ArrayList<>();
    for (int t = 0; t < tests.size(); t++) {
      Test test = tests.get(t);
      Observations seen = new Observations(test.readings(), test.planes());
      for (int i = 0; i < test.fields().dim(0); i++) {
        Tensor truth = test.fields().slice(0, i, i + 1).contiguous();
        items.add(RemoteEvaluation.Field.of(t, i, truth, seen.select(i)));
      }
    }
    List<Boolean> exact = tests.stream().map(Test::exact).toList();
    RemoteEvaluation work =
        RemoteEvaluation.of(RemoteCommand.of(spec), CarriedFile.of(loaded.file()), exact);
    List<Judge> judges = judges(loaded, sampler, exact);
    try (Engine engine = Engine.connect(root.master);
        Progress progress = Progress.of(spec, "evaluate " + sampler.name(), items.size())) {
      progress.at(0);
      List<FieldErrors> errors = engine.map(items, work, progress::at);
      int each = items.size() / tests.size();
      return IntStream.range(0, tests.size())
          .mapToObj(t -> judges.get(t).mean(errors.subList(t * each, (t + 1) * each)))
          .toList();
    }
  }

  /** Returns the judges of fields on an executor, one for each number of sensors. */
  RemoteEvaluation.Bench bench(Model loaded, List<Boolean> exact) {
    FieldSampler sampler = options.sampler(loaded, noise);
    return new RemoteEvaluation.Bench(judges(loaded, sampler, exact), options.draws());
  }

  private List<Judge> judges(Model loaded, FieldSampler sampler, List<Boolean> exact) {
    List<Judge> judges = new ArrayList<>();
    for (Problem problem : tested(loaded.problem())) {
      boolean noiseless = exact.get(judges.size());
      judges.add(new Judge(sampler, problem, loaded.normalization(), samples, noiseless));
    }
    return judges;
  }

  private Evaluation run(Reconstructor system, Test test, int members) {
    int count = test.fields().dim(0);
    try (Progress progress = Progress.of(spec, "evaluate " + system.name(), count)) {
      progress.at(0);
      return Evaluation.of(
          system,
          test.problem(),
          test.normalization(),
          test.fields(),
          test.planes(),
          test.readings(),
          members,
          options.draws(),
          progress::at);
    }
  }

  private void print(Evaluation e, List<Evaluation> simple, Problem problem) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "%s on %s, %s each%n",
        e.system(), Counted.of(e.fields(), "field"), Counted.of(e.members(), "sample"));
    out.printf("  Rel-l2            one sample %.4f   mean %.4f%n", e.relativeL2(), e.meanL2());
    out.printf("  Rel-l1            one sample %.4f   mean %.4f%n", e.relativeL1(), e.meanL1());
    out.printf("  rms error         of the mean: %s%n", rms(e, problem));
    out.printf(
        "  Phys-Err          normalized %.3g   physical %.3g%n", e.physErr(), e.physErrPhysical());
    out.printf("  sensor misfit     %.3g (rms, normalized)%n", e.misfit());
    if (e.members() > 1) {
      out.printf(
          "  uncertainty       CRPS %.4f   %.0f %% covers %.1f %%   spread/skill %.2f"
              + "   correlation %.2f%n",
          e.crps(), 100 * e.level(), 100 * e.coverage(), e.spreadSkill(), e.correlation());
      if (Double.isFinite(e.calibrated())) {
        out.printf(
            "  calibrated        %.0f %% covers %.1f %%%n", 100 * e.level(), 100 * e.calibrated());
      }
    }
    out.printf("  seconds/sample    %.3f%n", e.seconds());
    out.printf("the same readings interpolated, without a model%n");
    for (Evaluation other : simple) {
      out.printf(
          "  %-17s Rel-l2 %.4f   Rel-l1 %.4f   rms error %s   Phys-Err %.3g%n",
          other.system(),
          other.relativeL2(),
          other.relativeL1(),
          rms(other, problem),
          other.physErr());
    }
  }

  private void drawReliability(Evaluation e) throws IOException {
    double[] levels = e.reliability().keySet().stream().mapToDouble(l -> 100 * l).toArray();
    double[] shares = e.reliability().values().stream().mapToDouble(s -> 100 * s).toArray();
    LineChart chart =
        LineChart.of("Reliability of " + e.system())
            .axes("level of the interval (%)", "truth inside (%)")
            .size(260, 260)
            .diagonal()
            .markedLine(Double.isFinite(e.calibrated()) ? "calibrated" : "samples", levels, shares);
    Figure.of(chart).png().write(figure);
  }

  // Returns a text such as T 1.4 K, p 12 Pa.
  private static String rms(Evaluation e, Problem problem) {
    return problem.quantities().stream()
        .map(q -> "%s %.3g %s".formatted(q.name(), e.rms().get(q.name()), q.unit()).strip())
        .collect(Collectors.joining(", "));
  }
}
