package io.perflow.cli.studio;

import io.perflow.physics.Problem;
import io.perflow.tensor.Named;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a page asks to be reconstructed.
 *
 * @param field the known field that is read, null for sensors with values of their own
 * @param sensors what is read
 * @param methods by which fields are made of it, the fastest one first
 * @param samples how many of each
 * @param steps of the flow's solver
 * @param polish Gauss-Newton steps of polishing
 * @param seed of samples and noise
 */
record Study(
    FieldName field,
    List<Sensor> sensors,
    List<Method> methods,
    int samples,
    int steps,
    int polish,
    long seed) {
  private static final int MOST_SENSORS = 5000;

  static Study fromJson(Map<String, Object> map, Problem problem) throws FileFormatException {
    Set<Method> methods = EnumSet.noneOf(Method.class); // in the order in which they are declared
    for (Object name : Json.list(map.getOrDefault("methods", List.of()), "methods")) {
      methods.add(Named.parse(Method.class, Json.text(name, "method"), "method"));
    }
    return new Study(
        map.get("field") == null ? null : FieldName.fromJson(map.get("field")),
        sensors(map.get("sensors"), problem),
        List.copyOf(methods),
        Json.integer(map.getOrDefault("samples", 20L), "samples", 0, 1000),
        Json.integer(map.getOrDefault("steps", 50L), "steps", 1, 1000),
        Json.integer(map.getOrDefault("polish", 6L), "polish", 1, 100),
        Json.integer(map.getOrDefault("seed", 1L), "seed"));
  }

  private static List<Sensor> sensors(Object json, Problem problem) throws FileFormatException {
    List<Object> list = Json.list(json, "sensors");
    if (list.size() > MOST_SENSORS) {
      throw new FileFormatException(
          "json",
          null,
          "%d sensors, and the page can have %d; perflow reconstruct takes more"
              .formatted(list.size(), MOST_SENSORS));
    }
    List<Sensor> sensors = new ArrayList<>();
    for (Object sensor : list) {
      sensors.add(Sensor.fromJson(sensor, problem));
    }
    return sensors;
  }
}
