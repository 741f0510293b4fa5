package io.perflow.cli.studio;

import io.perflow.physics.Axis;
import io.perflow.physics.Grid;
import io.perflow.physics.Problem;
import io.perflow.tensor.Named;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.List;
import java.util.Map;

/**
 * A sensor as the page knows it.
 *
 * @param id its number, which it keeps while others come and go
 * @param row its place along the first axis, in points counted from 0; may lie between them
 * @param column the same along the second axis
 * @param along what it reads: one place, or a whole line of grid points
 * @param channels the channels it reads
 * @param noise deviation of its noise, as a part of the usual deviation of the quantity
 * @param values what it measured, one for each channel; empty when it reads a known field
 * @param sigmas deviation of the noise of each value, in the unit of the quantity
 */
record Sensor(
    int id,
    double row,
    double column,
    Along along,
    int[] channels,
    double noise,
    double[] values,
    double[] sigmas) {

  /** The grid points that a sensor reads. */
  enum Along {
    POINT,
    ROWS,
    COLUMNS
  }

  static Sensor fromJson(Object json, Problem problem) throws FileFormatException {
    Map<String, Object> map = Json.object(json, "sensor");
    Grid grid = problem.grid();
    int id = Json.integer(map.get("id"), "id of a sensor", 0, Integer.MAX_VALUE);
    String name = "sensor " + id;
    Along along = along(map.get("along"), name);
    int[] channels = integers(map.get("channels"), name, problem.channelCount());
    double[] values = numbers(map.getOrDefault("values", List.of()), name + ": value");
    double[] sigmas = numbers(map.getOrDefault("sigmas", List.of()), name + ": sigma");
    boolean measured = values.length > 0;
    if (measured
        && (values.length != channels.length
            || sigmas.length != values.length
            || along != Along.POINT)) {
      throw new FileFormatException(
          "json",
          null,
          "%s has %d channels, %d values and %d sigmas; give as many of each, at one place"
              .formatted(name, channels.length, values.length, sigmas.length));
    }
    return new Sensor(
        id,
        place(map.get("row"), name, grid.rows()),
        place(map.get("column"), name, grid.columns()),
        along,
        channels,
        positive(Json.number(map.getOrDefault("noise", 0.0), name + ": noise"), name),
        values,
        sigmas);
  }

  private static Along along(Object json, String name) throws FileFormatException {
    if (json == null) {
      return Along.POINT;
    }
    return Named.parse(Along.class, Json.text(json, name + ": along"), "line of a sensor");
  }

  private static double place(Object json, String name, Axis axis) throws FileFormatException {
    double at = Json.number(json, "%s: %s".formatted(name, axis.name()));
    double last = axis.periodic() ? axis.points() : axis.points() - 1;
    // half a cell lies between the last point and the wall
    if (!(at >= -0.5 && at <= last + 0.5)) {
      throw new FileFormatException(
          "json",
          null,
          "%s is at point %s of %s, which has 0 to %s".formatted(name, at, axis.name(), last));
    }
    return at;
  }

  private static double positive(double noise, String name) throws FileFormatException {
    if (!(noise >= 0 && noise <= 1000)) {
      throw new FileFormatException(
          "json",
          null,
          "%s has noise %s; it must be a number from 0 to 1000".formatted(name, noise));
    }
    return noise;
  }

  private static int[] integers(Object json, String name, int count) throws FileFormatException {
    List<Object> list = Json.list(json, name + ": channels");
    int[] found = new int[list.size()];
    for (int i = 0; i < found.length; i++) {
      found[i] = Json.integer(list.get(i), name + ": channel", 0, count - 1);
    }
    if (found.length == 0) {
      throw new FileFormatException("json", null, name + " reads no channel");
    }
    return found;
  }

  private static double[] numbers(Object json, String what) throws FileFormatException {
    List<Object> list = Json.list(json, what + "s");
    double[] found = new double[list.size()];
    for (int i = 0; i < found.length; i++) {
      found[i] = Json.number(list.get(i), what);
    }
    return found;
  }
}
