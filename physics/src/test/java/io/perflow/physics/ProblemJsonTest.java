package io.perflow.physics;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Sensors.Sharing;
import io.perflow.physics.constraint.Bounds;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.Derivative;
import io.perflow.physics.constraint.Dirichlet;
import io.perflow.physics.constraint.DivergenceFree;
import io.perflow.physics.constraint.Mass;
import io.perflow.physics.solver.Benchmark;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ProblemJsonTest {
  private static final String MINIMAL =
      """
      {"name": "heat",
       "axes": [{"name": "y", "from": 0, "to": 1, "points": 4},
                {"name": "x", "from": 0, "to": 2.5, "points": 6}],
       "channels": [{"name": "T"}]}
      """;

  private static Problem parse(String text, Constraint... given) throws IOException {
    return Problem.fromJson(Json.parse(text), List.of(given));
  }

  private static Problem again(Problem problem, Constraint... given) throws IOException {
    return parse(Json.write(problem.toJson()), given);
  }

  /** The message, which must be one line that does not run on. */
  private static String refusal(String text, Constraint... given) {
    String message = assertThrows(FileFormatException.class, () -> parse(text, given)).getMessage();
    assertEquals(1, message.lines().count(), message);
    assertTrue(message.length() < 400, message);
    return message;
  }

  // ---- there and back

  private static Axis axis(Rng rng, String name, int points) {
    double from = 100 * rng.nextDouble() - 50;
    double to = from + 1e-3 + 1e4 * rng.nextDouble();
    Axis axis = Axis.of(name, from, to, points).unit(rng.nextInt(2) == 0 ? "" : "m/s² \"é\"");
    axis = rng.nextInt(2) == 0 ? axis : axis.cells();
    return rng.nextInt(2) == 0
        ? axis
        : new Axis(name, from, to, points, axis.unit(), axis.placement(), true, false);
  }

  private static Sensors law(Rng rng, Problem problem) {
    Axis rows = problem.grid().rows();
    Axis columns = problem.grid().columns();
    Sensors law =
        switch (rng.nextInt(4)) {
          case 0 -> Sensors.points(1 + rng.nextInt(8));
          case 1 -> Sensors.points(2, 3 + rng.nextInt(8));
          case 2 -> Sensors.lines(rng.nextInt(2) == 0 ? rows.name() : columns.name(), 1, 3);
          default -> Sensors.at(List.of(List.of(rows.coordinate(1), columns.coordinate(2))));
        };
    return law.sharing(Sharing.values()[rng.nextInt(3)]);
  }

  private static Problem rich(Rng rng) {
    Problem.Builder builder =
        Problem.named("p-" + rng.nextInt(100))
            .axis(axis(rng, "depth", 4 + rng.nextInt(3)))
            .axis(axis(rng, "x", 4 + rng.nextInt(3)));
    int quantities = 1 + rng.nextInt(4);
    for (int i = 0; i < quantities; i++) {
      builder.channel("uvwp".substring(i, i + 1), i % 2 == 0 ? "" : "µPa");
    }
    if (rng.nextInt(2) == 0) {
      builder.frames(axis(rng, "t", 1 + rng.nextInt(3)));
    }
    if (quantities > 1) {
      builder = rng.nextInt(2) == 0 ? builder.vector("u", "v") : builder.sameScale("v", "u");
    }
    if (quantities == 4) {
      builder.sameScale("w", "p");
    }
    builder.constrain("mass:u@x=" + rng.nextDouble()).constrain(Mass.mean(-5 * rng.nextDouble()));
    builder.constrain("bounds:u=" + -rng.nextDouble() + "..").constrain(Bounds.between(-2, 0.1));
    Problem walls = builder.build();
    if (!walls.grid().rows().periodic()) {
      builder.constrain("dirichlet:u@depth-low=" + rng.nextInt(5));
      builder.constrain("dirichlet");
    } else {
      builder.symmetries("shift:depth");
    }
    builder.symmetries("mirror:x:-u");
    return builder.sensors(law(rng, walls)).build();
  }

  @Property(tries = 200)
  void whatIsWrittenIsRead(@ForAll long seed) throws IOException {
    Problem problem = rich(Rng.of(seed));
    Problem read = again(problem);
    assertEquals(problem, read);
    assertEquals(problem.name(), read.name());
    assertEquals(problem.grid(), read.grid());
    assertEquals(problem.frames(), read.frames());
    assertEquals(problem.quantities(), read.quantities());
    assertEquals(problem.groups(), read.groups());
    assertEquals(problem.sensors(), read.sensors());
    assertEquals(problem.symmetries(), read.symmetries());
    Tensor x = Rng.of(seed).normal(Device.cpu(), problem.batch(2), DataType.F64);
    assertEquals(problem.constraints().size(), read.constraints().size());
    for (int i = 0; i < read.constraints().size(); i++) {
      assertArrayEquals(
          problem.constraints().get(i).residual(x).toDoubles(),
          read.constraints().get(i).residual(x).toDoubles());
    }
  }

  private static Stream<Problem> benchmarks() {
    return Benchmark.all().stream()
        .flatMap(b -> b.presets().stream().map(p -> b.generator(p.name(), 16).problem()));
  }

  @ParameterizedTest
  @MethodSource("benchmarks")
  void benchmarksAreWrittenWhole(Problem problem, @TempDir Path directory) throws IOException {
    Path file = directory.resolve("problem.json");
    problem.write(file);
    assertEquals(problem, Problem.read(file));
    assertEquals(problem.sensors(), Problem.read(file).sensors());
  }

  @Test
  void filesHoldNoMoreThanTheUnusual() throws IOException {
    Problem ns = Benchmark.named("ns").generator("", 16).problem();
    assertEquals(
        """
        {"format":"perflow-problem-1","name":"ns",\
        "axes":[{"name":"x","from":0.0,"to":1.0,"points":16,"periodic":true},\
        {"name":"y","from":0.0,"to":1.0,"points":16,"periodic":true}],\
        "frames":{"name":"frame","from":0.0,"to":9.0,"points":10,"time":true},\
        "channels":[{"name":"u"},{"name":"v"}],"vectors":[["u","v"]],\
        "constraints":["divergence-free"],"sensors":{"points":12,"sharing":"per-frame"},\
        "symmetries":["shift:x-y"]}\
        """,
        Json.write(ns.toJson()));
  }

  @Test
  void aFileWrittenByHandNeedsLittle() throws IOException {
    Problem heat =
        Problem.named("heat").axis("y", 0, 1, 4).axis("x", 0, 2.5, 6).channel("T").build();
    assertEquals(heat, parse(MINIMAL));
    assertEquals(Sensors.points(1), parse(MINIMAL).sensors());
    assertEquals(
        heat,
        parse(
            MINIMAL.replace(
                "\"name\": \"heat\"", "\"name\": \"heat\", \"format\": \"perflow-problem-1\"")));
  }

  @Test
  void everyMemberIsUnderstood() throws IOException {
    Problem read =
        parse(
            """
            {"format": "perflow-problem-1", "name": "lake",
             "axes": [{"name": "depth", "from": 0, "to": 20, "points": 10, "unit": "m",
                       "cells": true},
                      {"name": "x", "from": 0, "to": 1, "points": 8, "periodic": true}],
             "frames": {"name": "t", "from": 0, "to": 5, "points": 2, "unit": "h", "time": true},
             "channels": [{"name": "u", "unit": "m/s"}, {"name": "v"}, {"name": "T"}],
             "vectors": [["u", "v"]], "same_scale": [["T"]],
             "constraints": ["mass:T=4", "dirichlet:u@depth-high=0"],
             "sensors": {"lines": [2, 5], "axis": "x", "sharing": "shared"},
             "symmetries": ["shift:x", "mirror:x:-v"]}
            """);
    Problem built =
        Problem.named("lake")
            .axis(Axis.of("depth", 0, 20, 10).unit("m").cells())
            .axis(Axis.periodic("x", 0, 1, 8))
            .frames(Axis.time("t", 0, 5, 2).unit("h"))
            .channel("u", "m/s")
            .channel("v")
            .channel("T")
            .vector("u", "v")
            .sameScale("T")
            .constrain("mass:T=4")
            .constrain("dirichlet:u@depth-high=0")
            .sensors(Sensors.lines("x", 2, 5).sharing(Sharing.SHARED))
            .symmetries("shift:x", "mirror:x:-v")
            .build();
    assertEquals(built, read);
    assertEquals(built.groups(), read.groups());
    String places = MINIMAL.replace("}]}", "}], \"sensors\": {\"places\": [[0, 2.5], [1, 0.1]]}}");
    assertEquals(
        Sensors.at(List.of(List.of(0.0, 2.5), List.of(1.0, 0.1))), parse(places).sensors());
  }

  // ---- what is refused

  /** Each line: what to replace in the minimal file, by what, and the whole message. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`\"name\": \"heat\"` | `\"nam\": 1` | problem: member 'nam' of problem is unknown; there"
            + " are format, name, axes, frames, channels, vectors, same_scale, constraints,"
            + " sensors, symmetries, equation",
        "`\"name\": \"heat\",` | `` | json: problem.name must be a string, found nothing",
        "`\"heat\"` | `7` | json: problem.name must be a string, found 7",
        "`\"heat\"` | `\"a b\"` | problem: [problem] 'a b' is not a valid name: use letters,"
            + " digits, _ . and -",
        "`\"heat\"` | `\"a\\u001bb\"` | problem: [problem] 'a\ufffdb' is not a valid name: use"
            + " letters, digits, _ . and -",
        "`\"heat\"` | `\"heat\", \"format\": \"perflow-problem-2\"` | problem: has format"
            + " 'perflow-problem-2', this version reads 'perflow-problem-1'",
        "`\"heat\"` | `\"heat\", \"format\": 1` | json: format must be a string, found 1",
        "`\"points\": 4` | `\"points\": 4.0` | json: problem.axes.points must be an integer, found"
            + " 4.0",
        "`\"points\": 4` | `\"points\": 0` | `problem: problem.axes: 0 points; from 1 to 1048576"
            + " are possible`",
        "`\"points\": 4` | `\"points\": -9223372036854775808` | `problem: problem.axes:"
            + " -9223372036854775808 points; from 1 to 1048576 are possible`",
        "`\"points\": 4` | `\"points\": 4294967300` | `problem: problem.axes: 4294967300 points;"
            + " from 1 to 1048576 are possible`",
        "`\"points\": 4` | `\"point\": 4` | problem: member 'point' of problem.axes is unknown;"
            + " there are name, from, to, points, unit, cells, periodic, time",
        "`\"points\": 4` | `\"points\": 4, \"periodc\": true` | problem: member 'periodc' of"
            + " problem.axes is unknown; there are name, from, to, points, unit, cells, periodic,"
            + " time",
        "`\"points\": 4` | `\"points\": 4, \"periodic\": \"yes\"` | json: problem.axes.periodic"
            + " must be true or false, found the string 'yes'",
        "`\"points\": 4` | `\"points\": 4, \"unit\": 3` | json: problem.axes.unit must be a string,"
            + " found 3",
        "`\"points\": 4` | `\"points\": 4, \"unit\": \"\\u0000\"` | problem: [axis y] '\ufffd' is"
            + " not a unit: a unit is one line of at most 60 characters",
        "`\"to\": 1` | `\"to\": -1` | problem: [axis y] runs from 0.0 to -1.0: both must be finite,"
            + " the smaller one first",
        "`\"from\": 0, \"to\": 1` | `\"from\": -1e308, \"to\": 1e308` | problem: [axis y] runs from"
            + " -1.0E308 to 1.0E308: both must be finite, the smaller one first",
        "`\"to\": 1` | `\"to\": null` | json: problem.axes.to must be a number, found nothing",
        "`\"to\": 1` | `\"to\": [[[]]]` | json: problem.axes.to must be a number, found an array of"
            + " 1",
        "`\"name\": \"y\"` | `\"name\": \"x\"` | problem: [grid] both axes are named x",
        "`[{\"name\": \"T\"}]` | `[]` | problem: [problem heat] no quantity: add at least one, such"
            + " as .channel(\"T\", \"K\")",
        "`[{\"name\": \"T\"}]` | `{\"name\": \"T\"}` | json: problem.channels must be an array,"
            + " found an object of 1",
        "`[{\"name\": \"T\"}]` | `[\"T\"]` | json: problem.channels must be an object, found the"
            + " string 'T'",
        "`[{\"name\": \"T\"}]` | `[{\"name\": \"T\", \"units\": \"K\"}]` | problem: member 'units'"
            + " of problem.channels is unknown; there are name, unit",
        "`[{\"name\": \"T\"}]` | `[{\"name\": \"T\"}, {\"name\": \"y\"}]` | problem: [problem heat]"
            + " two of its axes and quantities are named y",
        "`[{\"name\": \"T\"}]` | `[{\"name\": \"T\\n"
            + "\"}]` | problem: [quantity] 'T\ufffd' is not a valid name: it must begin with a"
            + " letter, contain only letters, digits, _ . - and inner spaces, and have at most 60"
            + " characters",
      })
  void wrongFilesAreAnsweredInOneLine(String part, String other, String message) {
    String text = MINIMAL.replace(part, other);
    assertTrue(!text.equals(MINIMAL), "something was replaced");
    assertEquals(message, refusal(text));
  }

  /** Further members of the minimal file and the whole message. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`\"sensors\": {}` | problem: problem.sensors needs one of points, lines and places",
        "`\"sensors\": {\"points\": 3, \"places\": [[0, 0]]}` | problem: problem.sensors needs one"
            + " of points, lines and places",
        "`\"sensors\": {\"points\": 3, \"lines\": 3, \"axis\": \"x\"}` | problem: member 'points'"
            + " of problem.sensors is unknown; there are lines, axis, sharing",
        "`\"sensors\": {\"points\": 3, \"axis\": \"x\"}` | problem: member 'axis' of"
            + " problem.sensors is unknown; there are points, places, sharing",
        "`\"sensors\": {\"lines\": 3}` | json: problem.sensors.axis must be a string, found"
            + " nothing",
        "`\"sensors\": {\"lines\": 3, \"axis\": \"z\"}` | problem: there is no axis 'z'; there are"
            + " y and x",
        "`\"sensors\": {\"points\": 25}` | problem: [sensors] 25 sensors, but there are only 24"
            + " points of the 4 x 6 grid",
        "`\"sensors\": {\"points\": 9223372036854775807}` | problem: [sensors] 2147483647 sensors,"
            + " but there are only 24 points of the 4 x 6 grid",
        "`\"sensors\": {\"points\": [5, 4]}` | problem: [sensors] from 5 to 4 sensors: at least 1,"
            + " and the smaller number first",
        "`\"sensors\": {\"points\": [1, 2, 3]}` | json: problem.sensors must be an integer, found"
            + " an array of 3",
        "`\"sensors\": {\"points\": 2.5}` | json: problem.sensors must be an integer, found 2.5",
        "`\"sensors\": {\"points\": 2, \"sharing\": \"per frame\"}` | problem:"
            + " problem.sensors.sharing 'per frame' is unknown: choose one of independent,"
            + " per-frame, shared",
        "`\"sensors\": {\"places\": []}` | problem: [sensors] fixed sensors need at least one"
            + " place, and others have none; found 0 for FIXED",
        "`\"sensors\": {\"places\": [[0, 0, 0]]}` | `problem: [sensors] a place has two"
            + " coordinates, [0.0, 0.0, 0.0] has not`",
        "`\"sensors\": {\"places\": [[0, 1e308]]}` | `problem: [axis x] x = 1.0E308 lies outside"
            + " [0.0, 2.5]`",
        "`\"sensors\": {\"places\": [[0, \"a\"]]}` | json: problem.sensors.places must be a number,"
            + " found the string 'a'",
        "`\"sensors\": 7` | json: problem.sensors must be an object, found 7",
        "`\"symmetries\": [\"shift:x\"]` | problem: [problem heat] symmetry shift:x: axis x has"
            + " walls, only periodic axes can be shifted",
        "`\"symmetries\": [\"turn\"]` | `problem: 'turn' is not a symmetry; write shift:x,"
            + " shift:x-y, mirror:x, mirror:x:-u or transpose`",
        "`\"symmetries\": \"mirror:x\"` | json: problem.symmetries must be an array, found the"
            + " string 'mirror:x'",
        "`\"vectors\": [\"T\"]` | json: problem.vectors must be an array, found the string 'T'",
        "`\"vectors\": [[]]` | problem: [problem heat] a vector or common scale of no quantities",
        "`\"vectors\": [[\"T\"]], \"same_scale\": [[\"T\"]]` | problem: [problem heat] quantity T"
            + " is named twice in its vectors and common scales; it has one scale",
        "`\"same_scale\": [[\"u\"]]` | problem: heat has no quantity 'u'; it has T",
        "`\"constraints\": [\"mass:T=1e999\"]` | problem: constraint 'mass:T=1e999': a finite"
            + " number is needed after '='",
        "`\"constraints\": [\"mass:T=NaN\"]` | problem: constraint 'mass:T=NaN': a finite number is"
            + " needed after '='",
        "`\"constraints\": [\"divergence-free\"]` | problem: constraint 'divergence-free': it needs"
            + " two periodic axes, and y has walls; divergence-free@faces allows them",
        "`\"constraints\": [\"m\\n"
            + "ass\"]` | `problem: constraint 'm\ufffdass' is not NAME[:QUANTITY][@WHERE][=VALUE],"
            + " such as mass:T=0.5`",
        "`\"constraints\": [7]` | json: problem.constraints must be an object, found 7",
        "`\"constraints\": [{}]` | json: problem.constraints.java must be a string, found nothing",
        "`\"constraints\": [{\"java\": \"mass\", \"value\": 3}]` | problem: member 'value' of"
            + " problem.constraints is unknown; there are java",
        "`\"frames\": {\"name\": \"T\", \"from\": 0, \"to\": 1, \"points\": 2}` | problem: [problem"
            + " heat] two of its axes and quantities are named T",
        "`\"frames\": {\"name\": \"t\", \"from\": 0, \"to\": 1, \"points\": 1048577}` | `problem:"
            + " problem.frames: 1048577 points; from 1 to 1048576 are possible`",
        "`\"frames\": null` | json: problem.frames must be an object, found nothing",
      })
  void wrongMembersAreAnsweredInOneLine(String more, String message) {
    assertEquals(message, refusal(MINIMAL.replace("}]}", "}], " + more + "}")));
  }

  @Test
  void otherValuesAreNoProblem() {
    for (String text : new String[] {"[]", "7", "null", "\"heat\"", "true"}) {
      assertTrue(refusal(text).startsWith("json: problem must be an object, found "), text);
    }
    String nested = "[".repeat(90) + "]".repeat(90);
    assertEquals(
        "json: problem.channels must be an array, found nothing",
        refusal(MINIMAL.replace("\"channels\": [{\"name\": \"T\"}]", "\"vectors\": " + nested)));
    assertTrue(
        refusal(MINIMAL.replace("\"heat\"", "\"" + "h".repeat(1 << 20) + " \"")).length() < 200);
  }

  @Test
  void absurdGridsTakeNoMemory() throws IOException {
    String side = "\"points\": 1048576";
    assertEquals(1 << 20, parse(MINIMAL.replace("\"points\": 4", side)).grid().height());
    String huge = MINIMAL.replace("\"points\": 4", side).replace("\"points\": 6", side);
    assertEquals("problem: [grid] 1048576 x 1048576 points are too many", refusal(huge));
    String large =
        MINIMAL.replace("\"points\": 4", side).replace("\"points\": 6", "\"points\": 2000");
    assertEquals(
        "problem: [problem heat] 1 quantities with 2097152000 values each: a field can have"
            + " 67108864 values",
        refusal(large));
  }

  @Test
  void aFileIsNamedInEveryMessage(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("heat.json");
    String[][] cases = {
      {MINIMAL.replace("\"points\": 4", "\"point\": 4"), "member 'point' of problem.axes"},
      {MINIMAL.replace("\"heat\"", "7"), "problem.name must be a string, found 7"},
      {MINIMAL.replace("\"to\": 1", "\"to\": -1"), "[axis y] runs from 0.0 to -1.0"},
      {MINIMAL.replace("}]}", "}"), "expected"},
    };
    for (String[] c : cases) {
      Files.writeString(file, c[0]);
      String message =
          assertThrows(FileFormatException.class, () -> Problem.read(file)).getMessage();
      assertTrue(message.startsWith(file + ": "), message);
      assertTrue(message.contains(c[1]), message);
    }
  }

  // ---- constraints written in Java

  private static Problem.Builder torus() {
    return Problem.named("torus")
        .axis(Axis.periodic("y", 0, 1, 4))
        .axis(Axis.periodic("x", 0, 1, 4))
        .channel("u")
        .channel("v")
        .vector("u", "v");
  }

  private static Dirichlet pinned(double value) {
    return Dirichlet.on(Tensor.ones(4, 4), Tensor.ones(1).mul(value));
  }

  @Test
  void aConstraintWrittenInJavaIsAskedForByName() throws IOException {
    Constraint central = DivergenceFree.of(Derivative.CENTRAL);
    Problem problem = torus().constrain(central).build();
    assertEquals(List.of(Map.of("java", "divergence-free")), problem.toJson().get("constraints"));
    String text = Json.write(problem.toJson());
    String refusal =
        "problem: constraint 'divergence-free' was written in Java, and a file cannot hold it; pass"
            + " a constraint of this name when loading";
    assertEquals(refusal, refusal(text));
    assertEquals(refusal, refusal(text, Mass.mean(0)), "another name is another constraint");
    Problem read = parse(text, Mass.mean(0), central);
    assertSame(central, read.constraints().getFirst());
    assertEquals(problem, read);
  }

  @Test
  void constraintsOfOneNameKeepTheirOrder() throws IOException {
    Dirichlet first = pinned(1);
    Dirichlet second = pinned(2);
    Problem problem = torus().constrain(first).constrain("mass:u=0").constrain(second).build();
    List<Constraint> read = again(problem, first, second).constraints();
    assertSame(first, read.get(0));
    assertSame(second, read.get(2));
    assertTrue(
        refusal(Json.write(problem.toJson()), first).contains("'boundary' was written in Java"),
        "one does not stand for two");
  }

  @Test
  void aHandedOverConstraintMustFit() {
    Constraint other = Dirichlet.on(Tensor.ones(5, 4), Tensor.zeros(1));
    String text = Json.write(torus().constrain(pinned(1)).build().toJson());
    assertEquals(
        "problem: [boundary] mask [1, 1, 5, 4] does not fit field [1, 2, 4, 4]: height 5 and 4"
            + " differ",
        refusal(text, other));
  }

  @Test
  void nothingIsPutInPlaceOfAText() throws IOException {
    Problem problem = torus().constrain("mass:u=1").build();
    Constraint read = again(problem, Mass.mean(7)).constraints().getFirst();
    assertEquals("mass:u=1", problem.text(read), "a constraint of the same name is not taken");
  }

  @Test
  void aConstraintThatItsTextWouldNotGiveBackHasNone() throws IOException {
    Problem walls =
        Problem.named("walls")
            .axis("y", 0, 1, 4)
            .axis("x", 0, 1, 4)
            .channel("u")
            .channel("v")
            .constrain(DivergenceFree.spectral())
            .build();
    assertEquals(List.of(Map.of("java", "divergence-free")), walls.toJson().get("constraints"));
    assertEquals(walls, again(walls, DivergenceFree.spectral()));
    Problem rim = torus().constrain(Dirichlet.ring(0)).build();
    assertEquals(List.of(Map.of("java", "boundary")), rim.toJson().get("constraints"));
  }
}
