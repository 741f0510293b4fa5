package io.perflow.flow.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainingLogTest {
  @TempDir Path directory;

  @Test
  void anyNameOfAConstraintBecomesAColumn() throws IOException {
    try (TrainingLog log = new TrainingLog(directory, 0)) {
      log.step(1, 0.5, 1e-3);
      log.validated(1, 0.4, Map.of("inflow, \"left\"\nand right", 1e-9));
    }
    Map<String, double[]> table = CsvLog.read(directory.resolve(TrainingLog.VALIDATION));
    assertEquals(Set.of("step", "loss", "inflow left and right"), table.keySet());
    assertArrayEquals(new double[] {1e-9}, table.get("inflow left and right"));
  }
}
