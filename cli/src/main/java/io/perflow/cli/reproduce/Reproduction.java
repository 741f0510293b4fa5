package io.perflow.cli.reproduce;

import io.perflow.flow.TrainConfig;
import io.perflow.flow.TrainingException;
import io.perflow.physics.Benchmark;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Runs studies: data and trainings that are missing, then the trials, then the files {@code
 * STUDY/results.csv}, {@code results.md}, {@code figure.png} and {@code configuration.json}. A
 * reproduction that was stopped goes on when it is run again.
 */
public final class Reproduction {
  private final Path root;
  private final Trial.Context context;
  private final Watcher watcher;
  private final Laboratory laboratory;
  private final Stopwatch stopwatch;

  /**
   * A reproduction in a directory.
   *
   * @param seed of data, training and tests
   */
  public Reproduction(Path root, Scale scale, long seed, Watcher watcher) {
    this.root = root;
    context = new Trial.Context(scale, seed);
    this.watcher = watcher;
    laboratory = new Laboratory(root, context, watcher);
    stopwatch = new Stopwatch(root, laboratory, watcher);
  }

  /** Work of one kind, whose time is estimated by what was done of that kind. */
  private interface Work {
    void run() throws IOException;
  }

  private record Step(String kind, String label, double cost, Work work) {}

  /** Runs studies on all their benchmarks and returns the directories of their files. */
  public List<Path> run(List<Study> studies) throws IOException {
    return run(studies, EnumSet.allOf(Benchmark.class));
  }

  /** Runs studies on some benchmarks; one that has no row of these is left out. */
  public List<Path> run(List<Study> studies, Set<Benchmark> benchmarks) throws IOException {
    Map<Study, List<Trial>> trials = new LinkedHashMap<>();
    for (Study study : studies) {
      List<Trial> rows =
          study.trials(context).stream()
              .filter(trial -> benchmarks.contains(trial.benchmark()))
              .toList();
      if (!rows.isEmpty()) {
        trials.put(study, rows);
      }
    }
    work(steps(trials));
    List<Path> written = new ArrayList<>();
    for (Map.Entry<Study, List<Trial>> entry : trials.entrySet()) {
      written.add(write(entry.getKey(), entry.getValue()));
    }
    return written;
  }

  // everything that is missing, each thing once: data, then model after model with its tests, so
  // that a run that is stopped has whole rows
  private List<Step> steps(Map<Study, List<Trial>> trials) throws IOException {
    Set<Benchmark> data = new LinkedHashSet<>();
    Map<Map<String, Object>, Map<Map<String, Object>, Trial>> tests = new LinkedHashMap<>();
    for (List<Trial> list : trials.values()) {
      for (Trial trial : list) {
        data.add(trial.benchmark());
        tests
            .computeIfAbsent(trial.training().toJson(), _ -> new LinkedHashMap<>())
            .putIfAbsent(trial.toJson(), trial);
      }
    }
    List<Step> steps = new ArrayList<>();
    for (Benchmark benchmark : data) {
      if (!laboratory.hasData(benchmark)) {
        steps.add(
            new Step("data", "data of " + benchmark, 1, () -> laboratory.makeData(benchmark)));
      }
    }
    for (Map<Map<String, Object>, Trial> ofOneModel : tests.values()) {
      steps.addAll(steps(List.copyOf(ofOneModel.values())));
    }
    steps.addAll(timings(trials));
    return steps;
  }

  private List<Step> steps(List<Trial> trials) throws IOException {
    Training training = trials.getFirst().training();
    List<Step> steps = new ArrayList<>();
    for (Trial trial : trials) {
      if (!laboratory.isTested(trial)) {
        String label = "test %s on %s".formatted(trial.label(), trial.benchmark());
        steps.add(new Step("test", label, trial.cost(), () -> laboratory.outcome(trial)));
      }
    }
    if (!steps.isEmpty() && !laboratory.isTrained(training)) {
      TrainConfig settings =
          context.scale().training(training.benchmark(), training.model(), training.fields(), 0);
      double cost = settings.steps() * (double) training.benchmark().channels().size();
      steps.addFirst(new Step("train", "train " + training.label(), cost, () -> attempt(training)));
    }
    return steps;
  }

  private List<Step> timings(Map<Study, List<Trial>> trials) throws IOException {
    List<Step> steps = new ArrayList<>();
    for (Map.Entry<Study, List<Trial>> entry : trials.entrySet()) {
      for (Timing timing : timings(entry.getKey(), entry.getValue())) {
        if (!stopwatch.isTimed(timing)) {
          String label = "time %s on %s".formatted(entry.getKey(), timing.benchmark());
          steps.add(new Step("time", label, timing.cost(), () -> stopwatch.seconds(timing)));
        }
      }
    }
    return steps;
  }

  private static List<Timing> timings(Study study, List<Trial> trials) {
    return study.metrics().contains(Metric.SECONDS) ? Timing.of(trials) : List.of();
  }

  // a training that fails is reported by the trials that need it
  private void attempt(Training training) throws IOException {
    try {
      laboratory.trained(training);
    } catch (TrainingException e) {
      watcher.done("%s: %s".formatted(training.label(), e.getMessage()));
    }
  }

  private void work(List<Step> steps) throws IOException {
    Map<String, double[]> spent = new LinkedHashMap<>(); // by kind: seconds and cost
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      long start = System.nanoTime();
      step.work().run();
      double seconds = (System.nanoTime() - start) * 1e-9;
      double[] sums = spent.computeIfAbsent(step.kind(), _ -> new double[2]);
      sums[0] += seconds;
      sums[1] += step.cost();
      watcher.done(
          "[%d/%d] %s: %s%s"
              .formatted(
                  i + 1,
                  steps.size(),
                  step.label(),
                  time(seconds),
                  left(steps.subList(i + 1, steps.size()), spent)));
    }
  }

  // by the time per cost of each kind so far; nothing is said before a kind was seen
  private static String left(List<Step> rest, Map<String, double[]> spent) {
    double seconds = 0;
    boolean more = false;
    for (Step step : rest) {
      double[] sums = spent.get(step.kind());
      if (sums == null) {
        more = true;
      } else {
        seconds += step.cost() * sums[0] / sums[1];
      }
    }
    return rest.isEmpty()
        ? ""
        : "; about %s left%s".formatted(time(seconds), more ? ", and what is yet unknown" : "");
  }

  private static String time(double seconds) {
    return seconds < 100
        ? String.format(Locale.ROOT, "%.1f s", seconds)
        : seconds < 6000
            ? String.format(Locale.ROOT, "%.0f min", seconds / 60)
            : String.format(Locale.ROOT, "%.1f h", seconds / 3600);
  }

  private List<ResultTable.Row> rows(Study study, List<Trial> trials) throws IOException {
    Map<Trial, Double> seconds = new HashMap<>();
    for (Timing timing : timings(study, trials)) {
      List<Double> measured = stopwatch.seconds(timing);
      for (int i = 0; i < measured.size(); i++) {
        seconds.put(timing.trials().get(i), measured.get(i));
      }
    }
    List<ResultTable.Row> rows = new ArrayList<>();
    for (Trial trial : trials) {
      Outcome outcome = laboratory.outcome(trial);
      rows.add(
          new ResultTable.Row(
              trial,
              seconds.containsKey(trial)
                  ? outcome.with(Metric.SECONDS.key(), seconds.get(trial))
                  : outcome));
    }
    return rows;
  }

  private Path write(Study study, List<Trial> trials) throws IOException {
    List<ResultTable.Row> rows = rows(study, trials);
    Path directory = root.resolve(study.toString());
    Files.createDirectories(directory);
    ResultTable table = new ResultTable(study, rows);
    ResultTable.write(directory.resolve("results.csv"), table.csv());
    Json.write(directory.resolve("configuration.json"), configuration(study, trials));
    StudyFigure.of(table).write(directory.resolve("figure.png"));
    StringBuilder text = new StringBuilder(head(study, trials)).append(table.markdown());
    String speed = table.speed();
    if (!speed.isEmpty()) {
      text.append(times(trials)).append(speed);
    }
    text.append("\n![](figure.png)\n");
    if (study == Study.UQ) {
      for (Trial trial : trials) {
        text.append(look(trial, directory));
      }
    }
    ResultTable.write(directory.resolve("results.md"), text.toString());
    return directory;
  }

  private static String times(List<Trial> trials) {
    String text =
        """

        CPU s is the CPU time of one thread for one sample, the least of %d, all systems of a \
        benchmark in turn in one run; the paper's seconds are of an A100.
        """
            .formatted(Timing.ROUNDS);
    String parts =
        trials.stream()
            .filter(trial -> Timing.factor(trial) > 1)
            .map(trial -> "%s (%d)".formatted(trial.label(), trial.steps()))
            .distinct()
            .collect(Collectors.joining(", "));
    if (!parts.isEmpty()) {
      text +=
          "Timed on %d steps and multiplied to their number: %s.\n"
              .formatted(Timing.LONGEST, parts);
    }
    return text + "\n";
  }

  private String look(Trial trial, Path directory) throws IOException {
    String name = trial.benchmark() + ".png";
    if (!laboratory.outcome(trial).failed()) {
      StudyFigure.of(trial, laboratory.sight(trial)).write(directory.resolve(name));
      return "\n![](%s)\n".formatted(name);
    }
    return "";
  }

  private String head(Study study, List<Trial> trials) {
    Scale scale = context.scale();
    return """
    # %s

    `perflow reproduce %s --scale %s --seed %d`: %d training fields, grids of %s points, \
    means over %d test fields, one sample of each unless stated. Phys-Err is in units of \
    variance 1. Numbers of the paper are at the paper's sizes%s.

    """
        .formatted(
            study.title(),
            study,
            scale,
            context.seed(),
            scale.training(),
            grids(trials),
            scale.test(),
            scale == Scale.SMOKE ? "; ours only show that everything runs" : "");
  }

  private String grids(List<Trial> trials) {
    Set<String> sizes = new LinkedHashSet<>();
    for (Trial trial : trials) {
      int size = context.scale().grid(trial.benchmark());
      sizes.add(size + " x " + size);
    }
    return String.join(" and ", sizes);
  }

  private Map<String, Object> configuration(Study study, List<Trial> trials) throws IOException {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("study", study.toString());
    json.put("scale", context.scale().toString());
    json.put("seed", context.seed());
    List<Object> list = new ArrayList<>();
    for (Trial trial : trials) {
      list.add(trial.toJson());
    }
    json.put("trials", list);
    return json;
  }
}
