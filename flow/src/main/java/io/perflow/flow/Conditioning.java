package io.perflow.flow;

import io.perflow.tensor.Named;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a network is told about the sensors, as channels beside the state.
 *
 * <p>PerFlow gives the readings and the mask, {@link #paper}. A convolution then needs many layers
 * to carry a handful of readings across the domain; the field filled in from the sensors, the
 * distance to the nearest one and the coordinates bring every pixel its sensors at once.
 *
 * @param fill how a first guess of the whole field is made from the readings
 * @param distance whether the distance to the nearest sensor is a channel, per plane of the mask
 * @param coordinates whether the coordinate of every axis that is not periodic is a channel
 */
public record Conditioning(Fill fill, boolean distance, boolean coordinates) {

  /** How a field is filled in from readings. */
  public enum Fill {
    /** Not at all. */
    NONE,
    /** By the nearest reading (Voronoi cells). */
    NEAREST,
    /** By straight lines between the readings of each row. */
    ROWS
  }

  // distances are given in eighths of the domain, so that they are of the size of normalized fields
  private static final float DISTANCE_UNIT = 8;

  /** Readings and mask, as in the paper. */
  public static Conditioning paper() {
    return new Conditioning(Fill.NONE, false, false);
  }

  /** Everything that makes the flow learn fast. */
  public static Conditioning rich(Fill fill) {
    return new Conditioning(fill, true, true);
  }

  /** How many channels {@link #channels(Observations, Domain)} makes. */
  public int count(Domain domain) {
    int count = domain.channels() + domain.planes();
    count += fill == Fill.NONE ? 0 : domain.channels();
    count += distance ? domain.planes() : 0;
    return count + (coordinates ? axes(domain).size() : 0);
  }

  /** The channels of the condition, [batch, count, height, width]. */
  public Tensor channels(Observations seen, Domain domain) {
    domain.check("condition", seen.values());
    List<Tensor> parts = new ArrayList<>(List.of(seen.values(), seen.planes()));
    if (fill != Fill.NONE || distance) {
      parts.addAll(maps(seen, domain));
    }
    if (coordinates) {
      axes(domain).forEach(axis -> parts.add(coordinate(seen.values().shape(), axis)));
    }
    Tensor[] all = parts.toArray(Tensor[]::new);
    for (int i = 0; i < all.length; i++) {
      all[i] = all[i].to(seen.values().type()).to(seen.values().device());
    }
    return Tensor.concat(1, all);
  }

  /** The filled field among the channels of a condition. */
  Tensor filled(Tensor condition, Domain domain) {
    int first = domain.channels() + domain.planes();
    return condition.slice(1, first, first + domain.channels());
  }

  private List<Tensor> maps(Observations seen, Domain domain) {
    int batch = seen.values().dim(0);
    int area = domain.height() * domain.width();
    float[] values = seen.values().toFloats();
    float[] mask = seen.planes().toFloats();
    float[] guess = new float[fill == Fill.NONE ? 0 : values.length];
    float[] away = new float[distance ? mask.length : 0];
    float unit = DISTANCE_UNIT / Math.max(domain.height(), domain.width());
    for (int plane = 0; plane < batch * domain.planes(); plane++) {
      SensorMap map =
          new SensorMap(
              mask,
              plane * area,
              domain.height(),
              domain.width(),
              domain.periodicHeight(),
              domain.periodicWidth());
      if (distance) {
        map.writeDistance(away, plane * area, unit);
      }
      int sample = plane / domain.planes();
      for (int c = plane % domain.planes(); c < domain.channels(); c += domain.planes()) {
        int offset = (sample * domain.channels() + c) * area;
        switch (fill) {
          case NEAREST -> map.fillNearest(values, offset, guess, offset);
          case ROWS -> map.fillRows(values, offset, guess, offset);
          case NONE -> {}
        }
      }
    }
    List<Tensor> parts = new ArrayList<>();
    if (fill != Fill.NONE) {
      parts.add(Tensor.of(guess, batch, domain.channels(), domain.height(), domain.width()));
    }
    if (distance) {
      parts.add(Tensor.of(away, batch, domain.planes(), domain.height(), domain.width()));
    }
    return parts;
  }

  // axes of the fields that have ends
  private static List<Integer> axes(Domain domain) {
    List<Integer> axes = new ArrayList<>();
    if (!domain.periodicHeight()) {
      axes.add(2);
    }
    if (!domain.periodicWidth()) {
      axes.add(3);
    }
    return axes;
  }

  // from -1 to 1 along one axis
  private static Tensor coordinate(Shape field, int axis) {
    int n = field.dim(axis);
    float[] line = new float[n];
    for (int i = 0; i < n; i++) {
      line[i] = n == 1 ? 0 : 2f * i / (n - 1) - 1;
    }
    Tensor row = axis == 2 ? Tensor.of(line, 1, 1, n, 1) : Tensor.of(line, 1, 1, 1, n);
    return row.expand(Shape.of(field.dim(0), 1, field.dim(2), field.dim(3)));
  }

  Map<String, Object> toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("fill", Named.of(fill));
    json.put("distance", distance);
    json.put("coordinates", coordinates);
    return json;
  }

  static Conditioning fromJson(Object value) throws FileFormatException {
    Map<String, Object> json = Json.object(value, "condition");
    return new Conditioning(
        Named.parse(Fill.class, Json.text(json.get("fill"), "condition.fill"), "condition.fill"),
        Json.flag(json.get("distance"), "condition.distance"),
        Json.flag(json.get("coordinates"), "condition.coordinates"));
  }
}
