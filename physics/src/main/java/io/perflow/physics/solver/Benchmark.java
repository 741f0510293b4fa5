package io.perflow.physics.solver;

import io.perflow.physics.equation.Equation;
import io.perflow.tensor.io.FileFormatException;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/**
 * A simulated problem with a name for commands, and with presets where published conventions
 * differ.
 *
 * <p>Implementations are found by {@link ServiceLoader}: a jar that provides one adds a problem to
 * {@code perflow generate} without a change here.
 */
public interface Benchmark {

  /** Returns the name, that of its problems. */
  String name();

  /** Returns the presets; the first is the default. */
  List<Preset> presets();

  /** Returns the default number of points along an axis. */
  int size();

  /**
   * A published convention for the data.
   *
   * @param name the name for commands
   * @param description the description in one line
   */
  record Preset(String name, String description) {}

  /**
   * Returns the generator of samples.
   *
   * @param preset one of {@link #presets}; empty for the default
   * @param size the number of points along each axis
   * @throws IllegalArgumentException when there is no such preset or the size is too small
   */
  FieldGenerator generator(String preset, int size);

  /**
   * Returns the names of its quantities' arrays in published files, in the order in which to look
   * for them; a quantity without an entry has an array of the same name.
   */
  default Map<String, List<String>> arrays() {
    return Map.of();
  }

  /**
   * Returns the equation with parameters that {@link Equation#parameters} returned.
   *
   * @throws FileFormatException when a parameter is missing or wrong, or when the problem has no
   *     map from causes to fields
   */
  default Equation equation(Map<String, Object> parameters) throws FileFormatException {
    throw new FileFormatException(
        "problem", null, "the equation %s is available only as a simulator".formatted(name()));
  }

  /** Returns all existing benchmarks. */
  static List<Benchmark> all() {
    return ServiceLoader.load(Benchmark.class, Benchmark.class.getClassLoader()).stream()
        .map(ServiceLoader.Provider::get)
        .toList();
  }

  /**
   * Returns the benchmark with a name.
   *
   * @throws IllegalArgumentException listing the existing names
   */
  static Benchmark named(String name) {
    return all().stream()
        .filter(benchmark -> benchmark.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "unknown benchmark '%s'; known: %s"
                        .formatted(
                            name,
                            all().stream()
                                .map(Benchmark::name)
                                .collect(Collectors.joining(", ")))));
  }

  /**
   * Returns the preset with a name, the default for an empty name.
   *
   * @throws IllegalArgumentException listing the existing presets
   */
  default String preset(String wanted) {
    for (Preset preset : presets()) {
      if (wanted.isEmpty() || preset.name().equals(wanted)) {
        return preset.name();
      }
    }
    throw new IllegalArgumentException(
        "%s has no preset '%s'; it has %s"
            .formatted(
                name(),
                wanted,
                presets().stream().map(Preset::name).collect(Collectors.joining(", "))));
  }
}
