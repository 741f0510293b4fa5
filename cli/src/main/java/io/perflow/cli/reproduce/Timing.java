package io.perflow.cli.reproduce;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A comparison of the times of some trials of one benchmark, which are therefore measured in turn
 * in one run: the CPU time of one thread for one sample, which other work on the machine hardly
 * changes.
 *
 * <p>A trial of more than {@value #LONGEST} steps is timed on a run of that many and its time
 * multiplied, because all of its steps cost the same.
 *
 * @param trials the trials, of one benchmark
 */
record Timing(List<Trial> trials) {
  /** The most steps that are run. */
  static final int LONGEST = 100;

  /** The number of turns of each trial; the shortest of all its samples counts. */
  static final int ROUNDS = 4;

  /** Returns the comparisons of a study, one for each benchmark. */
  static List<Timing> of(List<Trial> trials) {
    Map<Benchmark, List<Trial>> groups = new LinkedHashMap<>();
    trials.forEach(
        trial -> groups.computeIfAbsent(trial.benchmark(), _ -> new ArrayList<>()).add(trial));
    return groups.values().stream().map(Timing::new).toList();
  }

  /** Returns the comparison of some of the trials; empty when it has none of them. */
  Optional<Timing> only(Predicate<Trial> wanted) {
    List<Trial> some = trials.stream().filter(wanted).toList();
    return some.isEmpty() ? Optional.empty() : Optional.of(new Timing(some));
  }

  /** Returns the trial that others are compared with, if it is among them. */
  Optional<Trial> reference() {
    return trials.stream()
        .filter(trial -> trial.method() == Method.PERFLOW && trial.setting().isEmpty())
        .findFirst();
  }

  Benchmark benchmark() {
    return trials.getFirst().benchmark();
  }

  /** Returns the steps that are run for a trial. */
  static int steps(Trial trial) {
    return Math.min(LONGEST, trial.steps());
  }

  /** Returns the factor by which the time of {@link #steps} is multiplied. */
  static double factor(Trial trial) {
    return trial.steps() == 0 ? 1 : (double) trial.steps() / steps(trial);
  }

  /** Returns everything that determines the result. */
  Map<String, Object> toJson() throws IOException {
    List<Object> list = new ArrayList<>();
    for (Trial trial : trials) {
      list.add(trial.toJson());
    }
    return Map.of("trials", list);
  }

  /** Returns about how many evaluations of a network it costs. */
  double cost() {
    return trials.stream()
        .mapToDouble(trial -> ROUNDS * trial.method().evaluations() * Math.max(1, steps(trial)))
        .sum();
  }
}
