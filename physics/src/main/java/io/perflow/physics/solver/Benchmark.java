package io.perflow.physics.solver;

import io.perflow.physics.equation.Equation;
import io.perflow.tensor.io.FileFormatException;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/**
 * A simulated problem that commands know by its name, with presets where published conventions
 * differ.
 *
 * <p>Implementations are found by {@link ServiceLoader}: a jar that provides one adds a problem to
 * {@code perflow generate} without a change here.
 */
public interface Benchmark {

  /** The name, that of its problems. */
  String name();

  /** The presets, the usual one first. */
  List<Preset> presets();

  /** Points along an axis unless others are asked for. */
  int size();

  /**
   * A published convention for the data.
   *
   * @param name what commands call it
   * @param description in a line
   */
  record Preset(String name, String description) {}

  /**
   * What makes the samples.
   *
   * @param preset one of {@link #presets}; empty for the usual one
   * @param size points along each axis
   * @throws IllegalArgumentException when there is no such preset or the size is too small
   */
  FieldGenerator generator(String preset, int size);

  /**
   * Names that published files give to the arrays of its quantities, those to look for first at the
   * beginning; a quantity without an entry has an array of its own name.
   */
  default Map<String, List<String>> arrays() {
    return Map.of();
  }

  /**
   * The equation of parameters that {@link Equation#parameters} gave.
   *
   * @throws FileFormatException when a parameter is missing or wrong, or when there is no such map
   *     from causes to fields
   */
  default Equation equation(Map<String, Object> parameters) throws FileFormatException {
    throw new FileFormatException(
        "problem", null, "the equation %s is known as a simulator only".formatted(name()));
  }

  /** All benchmarks there are. */
  static List<Benchmark> all() {
    return ServiceLoader.load(Benchmark.class, Benchmark.class.getClassLoader()).stream()
        .map(ServiceLoader.Provider::get)
        .toList();
  }

  /**
   * The benchmark of a name.
   *
   * @throws IllegalArgumentException listing the names there are
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
   * The preset that a name stands for, the usual one for the empty name.
   *
   * @throws IllegalArgumentException listing the presets there are
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
