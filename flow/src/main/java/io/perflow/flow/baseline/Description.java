package io.perflow.flow.baseline;

import io.perflow.flow.FlowConfig;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The description of a system in a file of weights: its name, the settings of its training (fields,
 * units, U-Net, condition and noise, as in {@link FlowConfig}) and its own options.
 *
 * @param setting the fields, units, network, condition and noise
 * @param options the system's own options, by name
 */
record Description(FlowConfig setting, Map<String, Object> options) {
  private static final String KEY = "baseline";
  private static final String SYSTEM = "system";
  private static final String SETTING = "setting";
  private static final String OPTIONS = "options";

  /** Returns the metadata for a file. */
  static Map<String, String> write(String system, FlowConfig setting, Map<String, Object> options) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put(SYSTEM, system);
    try {
      json.put(SETTING, Json.parse(setting.toJson()));
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
    json.put(OPTIONS, options);
    return Map.of(KEY, Json.write(json));
  }

  /** Returns whether a file holds a system of this name. */
  static boolean isIn(String system, Path file) throws IOException {
    try (SafeTensors open = SafeTensors.read(file)) {
      return system.equals(system(open, file).get(SYSTEM));
    }
  }

  // Returns an empty result if the metadata describe no system.
  private static Map<String, Object> system(SafeTensors open, Path file) throws IOException {
    String text = open.metadata().get(KEY);
    return text == null ? Map.of() : Json.object(Json.parse(text, file.toString()), KEY);
  }

  /**
   * Reads the metadata of a file.
   *
   * @throws IllegalArgumentException when the file holds another system
   */
  static Description read(String system, Path file) throws IOException {
    try (SafeTensors open = SafeTensors.read(file)) {
      Map<String, Object> json = system(open, file);
      if (!system.equals(json.get(SYSTEM))) {
        throw new IllegalArgumentException(
            "%s holds %s, not %s; use a file that its training wrote"
                .formatted(file, json.getOrDefault(SYSTEM, "none of these systems"), system));
      }
      return new Description(
          FlowConfig.parse(Json.write(json.get(SETTING)), List.of()),
          Json.object(json.get(OPTIONS), OPTIONS));
    }
  }

  double number(String name) throws IOException {
    return Json.number(options.get(name), name);
  }

  int integer(String name) throws IOException {
    return Json.integer(options.get(name), name, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  String text(String name) throws IOException {
    return Json.text(options.get(name), name);
  }
}
