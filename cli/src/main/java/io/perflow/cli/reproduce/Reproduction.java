package io.perflow.cli.reproduce;

import io.perflow.flow.TrainingException;
import io.perflow.tensor.Device;
import io.perflow.tensor.io.AtomicFile;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A reproduction of studies: it makes missing data and trainings, then runs the trials, and then
 * writes the files {@code STUDY/results.csv}, {@code results.md}, {@code figure.png} or a map for
 * each benchmark, and {@code configuration.json}. A reproduction that was stopped continues when it
 * is run again.
 */
public final class Reproduction {
  /** The name of the file with all settings of a study. */
  static final String CONFIGURATION = "configuration.json";

  private final Path root;
  private final Trial.Context context;
  private final Watcher watcher;
  private final Laboratory laboratory;
  private final Stopwatch stopwatch;
  private boolean finishedOnly;

  /**
   * Creates a reproduction in a directory.
   *
   * @param seed the seed of data, training and tests
   * @param device the device on which networks are trained and samples drawn; times are measured on
   *     the CPU
   */
  public Reproduction(Path root, Scale scale, long seed, Watcher watcher, Device device) {
    this.root = root;
    context = new Trial.Context(scale, seed);
    this.watcher = watcher;
    laboratory = new Laboratory(root, context, watcher, device);
    stopwatch = new Stopwatch(root, watcher, laboratory);
  }

  /**
   * Lets it run nothing and only write rows that were tested before, and times that were measured
   * before.
   */
  public Reproduction finishedOnly(boolean only) {
    finishedOnly = only;
    return this;
  }

  /** Some work of one kind, whose time is estimated by earlier work of that kind. */
  private interface Work {
    void run() throws IOException;
  }

  private record Step(String kind, String label, double cost, Work work) {}

  /** Runs studies on all their benchmarks and returns the directories of their files. */
  public List<Path> run(List<Study> studies) throws IOException {
    return run(studies, EnumSet.allOf(Benchmark.class), Set.of());
  }

  /**
   * Runs some rows of studies; a study without any of these rows is left out. Tests of only some
   * systems have no times, because times are compared in one run of all.
   *
   * @param benchmarks the benchmarks of the rows
   * @param systems the systems of the rows, such as "diffusion-pde"; none for all
   * @throws IllegalArgumentException when no study has such rows
   */
  public List<Path> run(List<Study> studies, Set<Benchmark> benchmarks, Set<String> systems)
      throws IOException {
    Set<Method> methods = Method.of(systems);
    Predicate<Trial> chosen =
        trial ->
            benchmarks.contains(trial.benchmark())
                && (methods.isEmpty()
                    ? context.scale().includes(trial.method())
                    : methods.contains(trial.method()));
    List<Plan> plans = new ArrayList<>();
    for (Study study : studies) {
      boolean apart = study.tested() && !methods.isEmpty();
      List<Timing> timings = apart ? List.of() : timings(study, chosen);
      List<Trial> trials = new ArrayList<>();
      for (Trial trial : study.trials(context)) {
        boolean done =
            study.tested()
                ? laboratory.isTested(trial)
                : timings.stream().anyMatch(timing -> timing.trials().contains(trial));
        // A row that was requested by name before stays in the table.
        boolean kept = done && methods.isEmpty() && benchmarks.contains(trial.benchmark());
        if (kept || chosen.test(trial) && (done || !finishedOnly)) {
          trials.add(trial);
        }
      }
      if (!trials.isEmpty()) {
        plans.add(new Plan(study, trials, timings));
      }
    }
    if (plans.isEmpty()) {
      throw new IllegalArgumentException(
          "no such rows: "
              + studies.stream().map(this::contents).collect(Collectors.joining("; ")));
    }
    work(steps(plans));
    List<Path> written = new ArrayList<>();
    for (Plan plan : plans) {
      written.add(write(plan));
    }
    return written;
  }

  private List<Timing> timings(Study study, Predicate<Trial> chosen) throws IOException {
    Set<Timing> timings = new LinkedHashSet<>();
    for (Timing all : study.timings(context)) {
      Optional<Timing> some = all.only(chosen);
      if (some.isPresent() && (!finishedOnly || stopwatch.isTimed(some.get()))) {
        timings.add(some.get());
      }
    }
    // The remainder of a comparison may be a part of another one.
    return timings.stream()
        .filter(
            timing ->
                timings.stream()
                    .noneMatch(
                        other ->
                            !other.equals(timing) && other.trials().containsAll(timing.trials())))
        .toList();
  }

  private String contents(Study study) {
    List<Trial> rows = study.trials(context);
    return "%s has %s on %s"
        .formatted(study, list(rows, ", ", Trial::method), list(rows, ", ", Trial::benchmark));
  }

  // each once
  private static String list(List<Trial> rows, String between, Function<Trial, Object> part) {
    return rows.stream()
        .map(part)
        .distinct()
        .map(Object::toString)
        .collect(Collectors.joining(between));
  }

  /** The rows of a study and its timings. */
  private record Plan(Study study, List<Trial> trials, List<Timing> timings) {}

  // Everything that is missing, each thing once: data, then model after model with its tests and
  // maps, so that a run that is stopped has complete rows.
  private List<Step> steps(List<Plan> plans) throws IOException {
    Set<Benchmark> data = new LinkedHashSet<>();
    Set<Map<String, Object>> maps = new HashSet<>();
    Map<Map<String, Object>, Map<Map<String, Object>, Trial>> tests = new LinkedHashMap<>();
    for (Plan plan : plans) {
      for (Trial trial : plan.study().tested() ? plan.trials() : List.<Trial>of()) {
        boolean map = plan.study() == Study.UQ && lacksMap(trial);
        if (map) {
          maps.add(trial.toJson());
        }
        if (map || !laboratory.isTested(trial)) {
          data.add(trial.benchmark());
        }
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
      steps.addAll(steps(ofOneModel.values(), maps));
    }
    steps.addAll(timings(plans));
    return steps;
  }

  private List<Step> steps(Collection<Trial> trials, Set<Map<String, Object>> maps)
      throws IOException {
    Training training = trials.iterator().next().training();
    List<Step> steps = new ArrayList<>();
    for (Trial trial : trials) {
      if (!laboratory.isTested(trial)) {
        String label = "test %s on %s".formatted(trial.label(), trial.benchmark());
        steps.add(new Step("test", label, trial.cost(), () -> laboratory.outcome(trial)));
      }
      if (maps.contains(trial.toJson())) {
        steps.add(new Step("draw", "draw a field of " + trial.benchmark(), 1, () -> draw(trial)));
      }
    }
    if (!steps.isEmpty() && !laboratory.isTrained(training)) {
      String kind = training.model().hasNetwork() ? "train" : "learn";
      String label = kind + " " + training.label();
      steps.addFirst(new Step(kind, label, training.cost(), () -> attempt(training)));
    }
    return steps;
  }

  private List<Step> timings(List<Plan> plans) throws IOException {
    Map<Map<String, Object>, Step> steps = new LinkedHashMap<>();
    for (Plan plan : plans) {
      for (Timing timing : plan.timings()) {
        if (!stopwatch.isTimed(timing)) {
          String label = "time %s on %s".formatted(plan.study(), timing.benchmark());
          steps.putIfAbsent(
              timing.toJson(),
              new Step("time", label, timing.cost(), () -> stopwatch.seconds(timing)));
        }
      }
    }
    return List.copyOf(steps.values());
  }

  // A training that fails is reported by the trials that need it.
  private void attempt(Training training) throws IOException {
    try {
      laboratory.made(training);
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
      // G1 delays old collections until the heap is nearly full, so a study of hours would take the
      // memory of the machine although it uses less than a gigabyte.
      System.gc();
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

  // Estimated by the time per cost of each kind so far; the time of a kind is not known before one
  // was done.
  private static String left(List<Step> rest, Map<String, double[]> spent) {
    double seconds = 0;
    Set<String> unknown = new LinkedHashSet<>();
    for (Step step : rest) {
      double[] sums = spent.get(step.kind());
      if (sums == null) {
        unknown.add(step.kind());
      } else {
        seconds += step.cost() * sums[0] / sums[1];
      }
    }
    String known = seconds == 0 ? "" : "; about %s left".formatted(time(seconds));
    return unknown.isEmpty()
        ? known
        : known + "; not known yet how long to " + String.join(" and ", unknown);
  }

  private static String time(double seconds) {
    return seconds < 100
        ? String.format(Locale.ROOT, "%.1f s", seconds)
        : seconds < 6000
            ? String.format(Locale.ROOT, "%.0f min", seconds / 60)
            : String.format(Locale.ROOT, "%.1f h", seconds / 3600);
  }

  private List<ResultTable.Row> rows(Plan plan, Map<Trial, ResultTable.Row> timed)
      throws IOException {
    List<ResultTable.Row> rows = new ArrayList<>();
    for (Trial trial : plan.trials()) {
      Outcome outcome = plan.study().tested() ? laboratory.outcome(trial) : Outcome.of(Map.of());
      if (timed.containsKey(trial)) {
        outcome = outcome.with(timed.get(trial).outcome().numbers());
      }
      rows.add(new ResultTable.Row(trial, outcome));
    }
    return rows;
  }

  // Seconds, and their ratio to those of PerFlow.
  private Map<Trial, ResultTable.Row> timed(Plan plan) throws IOException {
    Map<Trial, ResultTable.Row> rows = new LinkedHashMap<>();
    for (Timing timing : plan.timings()) {
      List<Double> seconds = stopwatch.seconds(timing);
      double unit =
          timing.reference().map(trial -> seconds.get(timing.trials().indexOf(trial))).orElse(0.0);
      for (int i = 0; i < seconds.size(); i++) {
        Map<String, Object> numbers = new LinkedHashMap<>();
        numbers.put(Metric.SECONDS.key(), seconds.get(i));
        if (unit > 0) {
          numbers.put(Metric.RATIO.key(), seconds.get(i) / unit);
        }
        Trial trial = timing.trials().get(i);
        rows.putIfAbsent(trial, new ResultTable.Row(trial, Outcome.of(numbers)));
      }
    }
    return rows;
  }

  private Path write(Plan plan) throws IOException {
    Study study = plan.study();
    List<Trial> trials = plan.trials();
    Map<Trial, ResultTable.Row> timed = timed(plan);
    Path directory = root.resolve(study.toString());
    Files.createDirectories(directory);
    ResultTable table = new ResultTable(study, rows(plan, timed));
    AtomicFile.write(directory.resolve(ResultTable.FILE), table.csv());
    Json.write(directory.resolve(CONFIGURATION), configuration(study, trials));
    StringBuilder text = new StringBuilder(head(study, trials)).append(table.markdown());
    if (!timed.isEmpty()) {
      text.append(times(timed.keySet()));
      if (!study.metrics().contains(Metric.RATIO)) {
        text.append(ResultTable.speed(timed.values()));
      }
    }
    if (study == Study.UQ) {
      // Maps say more than one bar for each benchmark.
      for (Trial trial : trials) {
        if (Files.exists(map(trial))) {
          text.append("\n![](%s)\n".formatted(map(trial).getFileName()));
        }
      }
    } else {
      StudyFigure.of(table).write(directory.resolve(StudyFigure.FILE));
      text.append("\n![](%s)\n".formatted(StudyFigure.FILE));
    }
    AtomicFile.write(directory.resolve("results.md"), text.toString());
    return directory;
  }

  private static String times(Set<Trial> trials) {
    String text =
        """

        CPU s is the CPU time of one thread for one sample. It is the shortest of %d rounds, in \
        which all systems of a benchmark take turns in one run. Their networks are untrained, \
        which does not change the time. The paper's seconds were measured on an A100.
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
          "Systems with more steps were timed on %d, and the time was multiplied: %s.\n"
              .formatted(Timing.LONGEST, parts);
    }
    return text + "\n";
  }

  // The maps of the first test field.
  private Path map(Trial trial) {
    String system = trial.method() == Method.PERFLOW ? "" : "-" + trial.method();
    return root.resolve(Study.UQ.toString()).resolve(trial.benchmark() + system + ".png");
  }

  private boolean lacksMap(Trial trial) throws IOException {
    if (finishedOnly) {
      return false;
    }
    return !laboratory.isTested(trial)
        || !Files.exists(map(trial)) && !laboratory.outcome(trial).failed();
  }

  private void draw(Trial trial) throws IOException {
    if (!laboratory.outcome(trial).failed()) {
      Files.createDirectories(map(trial).getParent());
      StudyFigure.of(trial, laboratory.sight(trial)).write(map(trial));
    }
  }

  private String head(Study study, List<Trial> trials) {
    Scale scale = context.scale();
    String tests =
        study.tested()
            ? "%s training fields, means over %d test fields, one sample of each unless stated"
                    .formatted(
                        list(trials, " and ", trial -> scale.training(trial.benchmark())),
                        scale.test())
                + part(trials)
                + ". Phys-Err is in units of variance 1"
            : "one field at a time";
    return """
    # %s

    `perflow reproduce %s --scale %s --seed %d`: grids of %s points, %s. Numbers of the paper \
    are at the paper's sizes%s.

    """
        .formatted(
            study.title(),
            study,
            scale,
            context.seed(),
            grids(trials),
            tests,
            scale == Scale.SMOKE ? "; ours only show that everything runs" : "");
  }

  private String part(List<Trial> trials) {
    String slow =
        trials.stream()
            .filter(trial -> trial.fields() < context.scale().test())
            .map(trial -> "%s (%d)".formatted(trial.label(), trial.fields()))
            .distinct()
            .collect(Collectors.joining(", "));
    return slow.isEmpty()
        ? ""
        : ", or, where a field takes minutes, over the first of them: " + slow;
  }

  private String grids(List<Trial> trials) {
    return list(
        trials,
        " and ",
        trial -> {
          int size = context.scale().grid(trial.benchmark());
          return size + " x " + size;
        });
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
