package io.perflow.cli;

import io.perflow.flow.Split;
import io.perflow.physics.Dataset;
import io.perflow.physics.Moments;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Quantity;
import io.perflow.physics.Scaling;
import io.perflow.physics.Sensors;
import io.perflow.physics.prior.Candidates;
import io.perflow.physics.prior.GaussianPrior;
import io.perflow.physics.prior.Placement;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code place}, which chooses places for sensors. */
@Command(
    name = "place",
    description = {
      "Choose places for sensors.",
      "Learns the mean and the covariance of the fields and chooses the places that leave the least"
          + " uncertainty. Writes a table of places, the most important one first, and a figure"
          + " beside it. Held-out fields show how large the error is with these sensors, with"
          + " evenly spread ones and with random ones."
    })
final class PlaceCommand implements Callable<Integer> {
  private static final double MOST_NOISE = 1e6; // deviations: nothing is left to learn

  private static final int MOST_FIELDS = 64; // fields on which the sensors are tried

  /** The methods for choosing places. */
  enum Method {
    /** {@link Placement#exchanged}. */
    EXCHANGE,
    /** {@link Placement#greedy}. */
    GREEDY,
    /** {@link Placement#pivoted}. */
    PIVOTED;

    Placement place(GaussianPrior prior, Candidates candidates, double sigma, int count) {
      return switch (this) {
        case EXCHANGE -> Placement.exchanged(prior, candidates, sigma, count);
        case GREEDY -> Placement.greedy(prior, candidates, sigma, count);
        case PIVOTED -> Placement.pivoted(prior, candidates, sigma, count);
      };
    }
  }

  @Mixin private DataOptions files = new DataOptions();

  @Option(
      names = "--sensors",
      paramLabel = "N",
      required = true,
      converter = Count.class,
      description = "Number of sensors to place.")
  private int sensors;

  @Option(
      names = "--method",
      paramLabel = "NAME",
      defaultValue = "exchange",
      description =
          "How places are chosen. greedy adds the best next sensor until there are enough; exchange"
              + " then moves each sensor to the best place given the others; pivoted always takes"
              + " the least certain place, which is fastest (${DEFAULT-VALUE}).")
  private Method method;

  @Option(
      names = "--noise",
      paramLabel = "X",
      defaultValue = "0",
      description =
          "Standard deviation of the readings' noise, as a part of the quantity's standard"
              + " deviation (${DEFAULT-VALUE}).")
  private double noise;

  @Option(
      names = "--candidates",
      paramLabel = "FILE",
      description =
          "Table of the places to choose from; its columns are the axes. If omitted, all grid"
              + " points, or every second or third one of a fine grid.")
  private Path allowed;

  @Option(
      names = "--forbidden",
      paramLabel = "FILE",
      description = "Table of places where no sensor can stand; its columns are the axes.")
  private Path forbidden;

  @Option(
      names = "--together",
      description =
          "Every sensor reads all quantities at all times. If omitted, as the problem says.")
  private boolean together;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of the random layouts that are compared (${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--threads",
      paramLabel = "N",
      converter = Count.class,
      description = "Number of threads. If omitted, one for each processor.")
  private Integer threads;

  @Option(
      names = "--out",
      required = true,
      paramLabel = "FILE",
      description = "Table to write, such as places.csv. The figure beside it is then places.png.")
  private Path out;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    if (threads != null) {
      Settings.threads(threads);
    }
    check();
    files.locate();
    Dataset all = files.read();
    all.requireConstraints();
    Problem problem = law(all.problem());
    Split split = files.split(all.with(problem));
    Candidates candidates = candidates(problem);
    candidates.checkCount(sensors); // before the covariance is learnt
    Normalization units = Scaling.UNIT.fit(problem, Moments.of(split.training().fields()));
    long start = System.nanoTime();
    GaussianPrior prior;
    try (Progress _ = Progress.of(spec, "learn the covariance")) {
      prior = GaussianPrior.learn(split.training().with(units));
    }
    double learning = seconds(start);
    announce(split, prior, candidates, learning);
    start = System.nanoTime();
    Placement placement;
    try (Progress _ = Progress.of(spec, "place %s".formatted(Counted.of(sensors, "sensor")))) {
      placement = method.place(prior, candidates, noise, sensors);
    }
    say("placed", "%s by %s in %.1f s", Counted.of(sensors, "sensor"), name(), seconds(start));
    PlacementReport report = report(prior, placement, units, split.validation());
    write(report);
    return 0;
  }

  private void check() {
    if (!files.hasProblem() && !files.hasData()) {
      throw new IllegalArgumentException(
          "name a problem.json, as perflow init writes it, or --data");
    }
    if (!(noise >= 0 && noise <= MOST_NOISE)) {
      throw new IllegalArgumentException(
          "--noise %s must be a number from 0 to %s, as 0.05".formatted(noise, MOST_NOISE));
    }
    if (!out.toString().endsWith(".csv")) {
      throw new IllegalArgumentException(
          "%s: a table of places is a file named *.csv".formatted(out));
    }
  }

  private Problem law(Problem problem) {
    Sensors law = problem.sensors();
    return together ? problem.with(law.sharing(Sensors.Sharing.SHARED)) : problem;
  }

  private Candidates candidates(Problem problem) throws IOException {
    Candidates from =
        allowed == null ? Candidates.of(problem) : Candidates.at(problem, places(allowed, problem));
    return forbidden == null ? from : from.without(places(forbidden, problem));
  }

  private static List<List<Double>> places(Path file, Problem problem) throws IOException {
    return Sensors.read(file, problem.grid()).places();
  }

  private String name() {
    return method.toString().toLowerCase(Locale.ROOT);
  }

  private static double seconds(long start) {
    return (System.nanoTime() - start) * 1e-9;
  }

  private void say(String name, String text, Object... numbers) {
    PrintWriter print = spec.commandLine().getOut();
    TrainingPlan.line(print, name, text.formatted(numbers));
    print.flush();
  }

  private void announce(Split split, GaussianPrior prior, Candidates candidates, double learning) {
    Problem problem = candidates.problem();
    say(
        "data",
        "%s: %s of %s on %d x %d points, and %d to validate",
        files.data(),
        Counted.of(split.training().size(), "field"),
        problem.quantities().stream().map(Quantity::label).collect(Collectors.joining(", ")),
        problem.grid().height(),
        problem.grid().width(),
        split.validation().size());
    say("covariance", "%s, learnt in %.1f s", Counted.of(prior.rank(), "mode"), learning);
    boolean lines = problem.sensors().pattern() == Sensors.Pattern.LINES;
    int reads = candidates.channels(0).length;
    say(
        "candidates",
        "%s, each reads %s",
        Counted.of(candidates.size(), lines ? "line" : "place"),
        reads == problem.channelCount()
            ? "all quantities"
            : "%d of %d channels".formatted(reads, problem.channelCount()));
  }

  private PlacementReport report(
      GaussianPrior prior, Placement placement, Normalization units, Dataset held) {
    Dataset some = held.first(Math.min(held.size(), MOST_FIELDS));
    Tensor truth = units.normalize(some.fields().to(DataType.F32)).contiguous();
    PlacementTrial trial = new PlacementTrial(prior, placement, noise, truth);
    int steps = PlacementTrial.counts(placement.size()).length;
    try (Progress progress = Progress.of(spec, "compare with other layouts", steps)) {
      return new PlacementReport(prior, placement, units, trial.rows(units, seed, progress));
    }
  }

  private void write(PlacementReport report) throws IOException {
    Path figure =
        out.resolveSibling(out.getFileName().toString().replaceFirst("\\.[^.]*$", "") + ".png");
    report.writePlaces(out);
    report.draw(figure);
    PrintWriter print = spec.commandLine().getOut();
    report.print(print);
    if (report.several()) {
      print.printf(
          "note: each sensor reads what its line says, not all quantities; perflow init"
              + " --sensors-at reads all at every place, for which --together places sensors%n");
    }
    print.printf("written to %s and %s%n", out, figure);
    Map<String, Object> numbers = new LinkedHashMap<>();
    numbers.put("out", out.toString());
    numbers.put("figure", figure.toString());
    numbers.put("method", name());
    numbers.put("noise", noise);
    numbers.putAll(report.toJson());
    json.write(numbers);
  }
}
