package io.perflow.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The pages quote the timings that are kept, and no others. */
class SpeedTablesTest {
  @Test
  void tablesAreThoseOfTheResults() throws IOException {
    SpeedTables tables = SpeedTables.of(Path.of(".."));
    for (Path page : tables.pages()) {
      String text = Files.readString(page);
      assertTrue(text.contains("<!-- speed: "), () -> page + " has no table of speed");
      assertEquals(
          tables.updated(page),
          text,
          () -> page + " differs from benchmarks/results; ./gradlew speedTables writes its tables");
    }
  }
}
