package io.perflow.physics.solver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Problem;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Files of problems whose equation has a parameter that makes no sense. */
final class EquationFiles {
  private EquationFiles() {}

  /**
   * Asserts that they are refused by one line.
   *
   * @param cases of a parameter, its value as JSON, and what the line must say
   */
  static void assertRefused(Problem problem, String[]... cases) throws FileFormatException {
    for (String[] c : cases) {
      Map<String, Object> json = new LinkedHashMap<>(problem.toJson());
      Map<String, Object> good = Json.object(json.get("equation"), "equation");
      Map<String, Object> equation = new LinkedHashMap<>(good);
      equation.put(c[0], Json.parse(c[1]));
      json.put("equation", equation);
      var e = assertThrows(FileFormatException.class, () -> Problem.fromJson(json, List.of()));
      assertTrue(e.getMessage().contains(c[2]), e.getMessage());
      assertEquals(1, e.getMessage().lines().count(), e.getMessage());
    }
  }
}
