package io.perflow.physics;

import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.equation.Equation;
import io.perflow.physics.solver.Benchmark;
import io.perflow.tensor.Named;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The form of problems as JSON. Only members that differ from their defaults are written, so that
 * the file of a simple problem is short:
 *
 * <pre>{@code
 * {"format": "perflow-problem-1", "name": "heat",
 *  "axes": [{"name": "y", "from": 0, "to": 1, "points": 64, "unit": "m"}, {"name": "x", …}],
 *  "channels": [{"name": "T", "unit": "K"}],
 *  "constraints": ["mass:T=300"], "sensors": {"points": 30}, "symmetries": ["mirror:x"]}
 * }</pre>
 */
final class ProblemJson {
  private static final String FORMAT = "perflow-problem-1";
  private static final List<String> MEMBERS =
      List.of(
          "format",
          "name",
          "axes",
          "frames",
          "channels",
          "vectors",
          "same_scale",
          "constraints",
          "sensors",
          "symmetries",
          "equation");
  private static final List<String> AXIS_MEMBERS =
      List.of("name", "from", "to", "points", "unit", "cells", "periodic", "time");

  private ProblemJson() {}

  // ---- writing

  static Map<String, Object> write(Problem problem) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("format", FORMAT);
    json.put("name", problem.name());
    json.put("axes", List.of(axis(problem.grid().rows()), axis(problem.grid().columns())));
    problem.frames().ifPresent(frames -> json.put("frames", axis(frames)));
    json.put("channels", problem.quantities().stream().map(ProblemJson::quantity).toList());
    putScales(json, "vectors", problem, false);
    putScales(json, "same_scale", problem, true);
    json.put(
        "constraints", problem.constraints().stream().map(c -> constraint(c, problem)).toList());
    json.put("sensors", sensors(problem.sensors()));
    json.put("symmetries", problem.symmetries().stream().map(Symmetry::toString).toList());
    problem
        .equation()
        .filter(equation -> !equation.parameters().isEmpty())
        .ifPresent(equation -> json.put("equation", numbers(equation.parameters())));
    return json;
  }

  // Whole numbers as the parser returns them.
  private static Object numbers(Object value) {
    if (value instanceof Map<?, ?> map) {
      Map<String, Object> json = new LinkedHashMap<>();
      map.forEach((name, member) -> json.put((String) name, numbers(member)));
      return json;
    }
    return value instanceof Integer number ? (Object) number.longValue() : value;
  }

  private static Map<String, Object> axis(Axis axis) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", axis.name());
    json.put("from", axis.from());
    json.put("to", axis.to());
    json.put("points", (long) axis.points());
    if (!axis.unit().isEmpty()) {
      json.put("unit", axis.unit());
    }
    if (axis.placement() == Axis.Placement.CELLS) {
      json.put("cells", true);
    }
    if (axis.periodic()) {
      json.put("periodic", true);
    }
    if (axis.time()) {
      json.put("time", true);
    }
    return json;
  }

  private static Map<String, Object> quantity(Quantity quantity) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", quantity.name());
    if (!quantity.unit().isEmpty()) {
      json.put("unit", quantity.unit());
    }
    return json;
  }

  private static void putScales(
      Map<String, Object> json, String name, Problem problem, boolean centred) {
    List<List<String>> groups =
        problem.scales().stream()
            .filter(scale -> scale.centred() == centred)
            .map(Problem.Scale::quantities)
            .toList();
    if (!groups.isEmpty()) {
      json.put(name, groups);
    }
  }

  private static Object constraint(Constraint constraint, Problem problem) {
    return constraint
        .text(problem)
        .<Object>map(text -> text)
        .orElseGet(() -> Map.of("java", constraint.name()));
  }

  private static Map<String, Object> sensors(Sensors law) {
    Map<String, Object> json = new LinkedHashMap<>();
    Object count =
        law.fewest() == law.most()
            ? (Object) (long) law.most()
            : List.of((long) law.fewest(), (long) law.most());
    switch (law.pattern()) {
      case POINTS -> json.put("points", count);
      case LINES -> {
        json.put("lines", count);
        json.put("axis", law.axis());
      }
      case FIXED -> json.put("places", law.places());
    }
    if (law.sharing() != Sensors.Sharing.INDEPENDENT) {
      json.put("sharing", law.sharing().toString());
    }
    return json;
  }

  // ---- reading

  static Problem read(Object value, List<? extends Constraint> given) throws FileFormatException {
    try {
      return problem(value, new ArrayList<>(given));
    } catch (IllegalArgumentException e) { // the contents of the file are inconsistent
      throw new FileFormatException("problem", null, e.getMessage(), e);
    }
  }

  private static Problem problem(Object value, List<Constraint> given) throws FileFormatException {
    Map<String, Object> json = Json.object(value, "problem");
    String format = json.containsKey("format") ? Json.text(json.get("format"), "format") : FORMAT;
    if (!format.equals(FORMAT)) {
      throw new FileFormatException(
          "problem",
          null,
          "has format '%s', this version reads '%s'".formatted(Names.brief(format), FORMAT));
    }
    checkMembers(json, "problem", MEMBERS);
    Problem.Builder builder = Problem.named(Json.text(json.get("name"), "problem.name"));
    for (Object axis : Json.list(json.get("axes"), "problem.axes")) {
      builder.axis(readAxis(axis, "problem.axes"));
    }
    if (json.containsKey("frames")) {
      builder.frames(readAxis(json.get("frames"), "problem.frames"));
    }
    for (Object channel : Json.list(json.get("channels"), "problem.channels")) {
      Map<String, Object> quantity = Json.object(channel, "problem.channels");
      checkMembers(quantity, "problem.channels", List.of("name", "unit"));
      builder.channel(
          Json.text(quantity.get("name"), "problem.channels.name"),
          optional(quantity, "unit", "problem.channels"));
    }
    for (Object vector : list(json, "vectors")) {
      builder.vector(names(vector, "problem.vectors"));
    }
    for (Object group : list(json, "same_scale")) {
      builder.sameScale(names(group, "problem.same_scale"));
    }
    for (Object constraint : list(json, "constraints")) {
      readConstraint(constraint, given, builder);
    }
    if (json.containsKey("sensors")) {
      builder.sensors(readSensors(Json.object(json.get("sensors"), "problem.sensors")));
    }
    builder.symmetries(names(list(json, "symmetries"), "problem.symmetries"));
    if (json.containsKey("equation")) {
      builder.equation(readEquation(Json.object(json.get("equation"), "problem.equation")));
    }
    return builder.build();
  }

  // An unknown member must not be ignored, because its writer meant something by it.
  private static void checkMembers(Map<String, Object> json, String what, List<String> known)
      throws FileFormatException {
    for (String member : json.keySet()) {
      if (!known.contains(member)) {
        throw new FileFormatException(
            "problem",
            null,
            "member '%s' of %s is unknown; there are %s"
                .formatted(Names.brief(member), what, String.join(", ", known)));
      }
    }
  }

  private static Axis readAxis(Object value, String what) throws FileFormatException {
    Map<String, Object> json = Json.object(value, what);
    checkMembers(json, what, AXIS_MEMBERS);
    long points = Json.integer(json.get("points"), what + ".points");
    if (points < 1 || points > 1 << 20) {
      throw new FileFormatException(
          "problem",
          null,
          "%s: %d points; from 1 to %d are possible".formatted(what, points, 1 << 20));
    }
    return new Axis(
        Json.text(json.get("name"), what + ".name"),
        Json.number(json.get("from"), what + ".from"),
        Json.number(json.get("to"), what + ".to"),
        (int) points,
        optional(json, "unit", what),
        flag(json, "cells", what) ? Axis.Placement.CELLS : Axis.Placement.NODES,
        flag(json, "periodic", what),
        flag(json, "time", what));
  }

  private static void readConstraint(Object value, List<Constraint> given, Problem.Builder builder)
      throws FileFormatException {
    if (value instanceof String text) {
      builder.constrain(text);
      return;
    }
    Map<String, Object> json = Json.object(value, "problem.constraints");
    checkMembers(json, "problem.constraints", List.of("java"));
    String name = Json.text(json.get("java"), "problem.constraints.java");
    for (Constraint constraint : given) {
      if (constraint.name().equals(name)) {
        builder.constrain(constraint);
        given.remove(constraint); // a second constraint with this name belongs to another one given
        return;
      }
    }
    throw new FileFormatException(
        "problem",
        null,
        ("constraint '%s' was written in Java, and a file cannot hold it; pass a constraint of this"
                + " name when loading")
            .formatted(Names.brief(name)));
  }

  private static Equation readEquation(Map<String, Object> json) throws FileFormatException {
    String name = Json.text(json.get("equation"), "problem.equation.equation");
    try {
      return Benchmark.named(Names.brief(name)).equation(json);
    } catch (IllegalArgumentException e) {
      throw new FileFormatException("problem", null, e.getMessage(), e);
    }
  }

  private static Sensors readSensors(Map<String, Object> json) throws FileFormatException {
    boolean lines = json.containsKey("lines");
    checkMembers(
        json,
        "problem.sensors",
        lines ? List.of("lines", "axis", "sharing") : List.of("points", "places", "sharing"));
    if (!lines && json.containsKey("points") == json.containsKey("places")) {
      throw new FileFormatException(
          "problem", null, "problem.sensors needs one of points, lines and places");
    }
    Sensors law;
    if (lines) {
      int[] range = range(json.get("lines"));
      law = Sensors.lines(Json.text(json.get("axis"), "problem.sensors.axis"), range[0], range[1]);
    } else if (json.containsKey("places")) {
      List<List<Double>> places = new ArrayList<>();
      for (Object place : Json.list(json.get("places"), "problem.sensors.places")) {
        List<Double> coordinates = new ArrayList<>();
        for (Object coordinate : Json.list(place, "problem.sensors.places")) {
          coordinates.add(Json.number(coordinate, "problem.sensors.places"));
        }
        places.add(coordinates);
      }
      law = Sensors.at(places);
    } else {
      int[] range = range(json.get("points"));
      law = Sensors.points(range[0], range[1]);
    }
    if (!json.containsKey("sharing")) {
      return law;
    }
    String sharing = Names.brief(optional(json, "sharing", "problem.sensors"));
    return law.sharing(Named.parse(Sensors.Sharing.class, sharing, "problem.sensors.sharing"));
  }

  private static int[] range(Object value) throws FileFormatException {
    if (value instanceof List<?> ends && ends.size() == 2) {
      return new int[] {count(ends.get(0)), count(ends.get(1))};
    }
    return new int[] {count(value), count(value)};
  }

  private static int count(Object value) throws FileFormatException {
    return Math.clamp(Json.integer(value, "problem.sensors"), Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  private static String[] names(Object value, String what) throws FileFormatException {
    List<String> names = new ArrayList<>();
    for (Object name : Json.list(value, what)) {
      names.add(Json.text(name, what));
    }
    return names.toArray(String[]::new);
  }

  private static List<Object> list(Map<String, Object> json, String name)
      throws FileFormatException {
    return json.containsKey(name) ? Json.list(json.get(name), "problem." + name) : List.of();
  }

  private static String optional(Map<String, Object> json, String name, String what)
      throws FileFormatException {
    return json.containsKey(name) ? Json.text(json.get(name), what + "." + name) : "";
  }

  private static boolean flag(Map<String, Object> json, String name, String what)
      throws FileFormatException {
    return json.containsKey(name) && Json.flag(json.get(name), what + "." + name);
  }
}
