package io.perflow.cli.studio;

import io.perflow.cli.Model;
import java.util.LinkedHashMap;
import java.util.Map;

/** The command lines that do what a page did. */
final class Commands {
  private Commands() {}

  /** For each method, the command that makes the same of the downloaded readings. */
  static Map<String, Object> of(Model model, Study study) {
    Map<String, Object> commands = new LinkedHashMap<>();
    for (Method method : study.methods()) {
      commands.put(
          method.toString(),
          "./perflow reconstruct --model %s --observations readings.csv %s --samples %d --seed %d --out result"
              .formatted(
                  quoted(model.file().toString()),
                  method.options(model, study),
                  Math.max(1, study.samples()),
                  study.seed()));
    }
    return commands;
  }

  // as a shell takes it for one word
  private static String quoted(String word) {
    return word.matches("[\\w./+-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
