package io.perflow.cli.studio;

import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.Map;

/**
 * A field whose truth is known.
 *
 * @param source the preset of a simulator, or a data set
 * @param index which of its fields
 */
record FieldName(String source, int index) {
  static FieldName fromJson(Object json) throws FileFormatException {
    Map<String, Object> map = Json.object(json, "field");
    return new FieldName(
        Json.text(map.get("source"), "source of the field"),
        Json.integer(map.get("index"), "number of the field", 0, Integer.MAX_VALUE));
  }
}
