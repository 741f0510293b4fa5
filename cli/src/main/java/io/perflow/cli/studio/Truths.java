package io.perflow.cli.studio;

import io.perflow.physics.Dataset;
import io.perflow.physics.Generation;
import io.perflow.physics.Problem;
import io.perflow.physics.Scaling;
import io.perflow.physics.solver.Benchmark;
import io.perflow.physics.solver.FieldGenerator;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The known fields that sensors of a problem can read: the test fields of its benchmark, which are
 * simulated when they are asked for, and those of data sets.
 */
final class Truths {
  private static final int TEST_FIELDS = 20; // as perflow generate --split test makes them
  private static final int KEPT = 8;

  private final Problem problem;
  private final Map<String, FieldGenerator> simulators = new LinkedHashMap<>();
  private final Map<String, Dataset> data = new LinkedHashMap<>();
  private final Map<FieldName, Tensor> recent =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<FieldName, Tensor> eldest) {
          return size() > KEPT;
        }
      };

  private Truths(Problem problem) {
    this.problem = problem;
  }

  /** Those of a problem; data sets of other problems are left out. */
  static Truths of(Problem problem, List<Path> files) throws IOException {
    Truths found = new Truths(problem);
    for (Path file : files) {
      Dataset read = Dataset.read(file);
      if (problem.difference(read.problem()).isEmpty()) {
        found.data.put(file.toString(), read);
      }
    }
    for (Benchmark benchmark : Benchmark.all()) {
      if (benchmark.name().equals(problem.name())) {
        benchmark.presets().forEach(preset -> found.simulate(benchmark, preset.name()));
      }
    }
    return found;
  }

  private void simulate(Benchmark benchmark, String preset) {
    FieldGenerator generator;
    try {
      generator = benchmark.generator(preset, problem.grid().height());
    } catch (IllegalArgumentException e) {
      return; // the grid of the model is too small for this one
    }
    if (problem.difference(generator.problem()).isEmpty()) {
      simulators.put("simulated (" + preset + ")", generator);
    }
  }

  /** The sources of fields and how many each has; data sets first. */
  Map<String, Object> counts() {
    Map<String, Object> counts = new LinkedHashMap<>();
    data.forEach((name, set) -> counts.put(name, set.size()));
    simulators.keySet().forEach(name -> counts.put(name, TEST_FIELDS));
    return counts;
  }

  /** A field in physical units, [1, channels, height, width]. */
  synchronized Tensor field(FieldName name) {
    Object count = counts().get(name.source());
    if (count == null) {
      throw new IllegalArgumentException(
          "%s has no fields '%s'; there are %s"
              .formatted(problem.name(), name.source(), counts().keySet()));
    }
    if (name.index() >= (int) count) {
      throw new IllegalArgumentException(
          "there is no field %d of %s; there are %d, counted from 0"
              .formatted(name.index(), name.source(), (int) count));
    }
    return recent.computeIfAbsent(name, this::make);
  }

  private Tensor make(FieldName name) {
    Dataset set = data.get(name.source());
    if (set != null) {
      return set.fields().slice(0, name.index(), name.index() + 1).contiguous();
    }
    FieldGenerator generator = simulators.get(name.source());
    double[] numbers =
        new Generation(generator, "test", 1, TEST_FIELDS, DataType.F32, Scaling.UNIT, Map.of())
            .sample(name.index());
    return Tensor.of(numbers, problem.batch(1).toArray());
  }
}
