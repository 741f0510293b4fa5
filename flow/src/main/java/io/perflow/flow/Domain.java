package io.perflow.flow;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The fields a system works on.
 *
 * @param channels components of a field, frames included
 * @param planes distinct masks of sensors, a divisor of the channels
 * @param height pixels along the first axis
 * @param width pixels along the second axis
 * @param periodicHeight whether the first axis wraps round
 * @param periodicWidth whether the second axis wraps round
 */
public record Domain(
    int channels,
    int planes,
    int height,
    int width,
    boolean periodicHeight,
    boolean periodicWidth) {

  /** Checks the sizes. */
  public Domain {
    Check.that(
        channels > 0 && planes > 0 && channels % planes == 0 && height > 0 && width > 0,
        "domain",
        "%d channels, %d planes, %d x %d pixels: all positive, planes dividing channels",
        channels,
        planes,
        height,
        width);
  }

  /** Shape of a batch of fields. */
  public Shape batch(int size) {
    return Shape.of(size, channels, height, width);
  }

  /** Refuses fields of another shape. */
  public void check(String op, Tensor fields) {
    Check.rank(op, "fields", fields, 4);
    Check.sameShape(op, "fields", fields, batch(fields.dim(0)));
  }

  Map<String, Object> toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("channels", channels);
    json.put("planes", planes);
    json.put("height", height);
    json.put("width", width);
    json.put("periodic_height", periodicHeight);
    json.put("periodic_width", periodicWidth);
    return json;
  }

  static Domain fromJson(Object value) throws FileFormatException {
    Map<String, Object> json = Json.object(value, "domain");
    return new Domain(
        (int) Json.integer(json.get("channels"), "domain.channels"),
        (int) Json.integer(json.get("planes"), "domain.planes"),
        (int) Json.integer(json.get("height"), "domain.height"),
        (int) Json.integer(json.get("width"), "domain.width"),
        Json.flag(json.get("periodic_height"), "domain.periodic_height"),
        Json.flag(json.get("periodic_width"), "domain.periodic_width"));
  }
}
