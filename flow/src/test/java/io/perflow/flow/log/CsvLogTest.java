package io.perflow.flow.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.io.FileFormatException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CsvLogTest {
  private static final List<String> NAMES = List.of("loss", "validation loss");

  @TempDir Path directory;
  private Path file;

  @BeforeEach
  void name() {
    file = directory.resolve("log.csv");
  }

  private void writeThree() throws IOException {
    try (CsvLog log = CsvLog.open(file, 0, NAMES)) {
      log.write(1, Map.of("loss", 0.1 + 0.2));
      log.write(2, Map.of("loss", 1e-300, "validation loss", Double.NEGATIVE_INFINITY));
      log.write(3, Map.of("validation loss", Double.NaN));
    }
  }

  @Test
  void theTextIsPlain() throws IOException {
    writeThree();
    assertEquals(
        "step,loss,validation loss\n1,0.30000000000000004,\n2,1.0E-300,-Infinity\n3,,NaN\n",
        Files.readString(file));
  }

  @Test
  void numbersReadBackWithTheSameBits() throws IOException {
    writeThree();
    Map<String, double[]> table = CsvLog.read(file);
    assertEquals(List.of("step", "loss", "validation loss"), List.copyOf(table.keySet()));
    assertArrayEquals(new double[] {1, 2, 3}, table.get("step"));
    assertArrayEquals(new double[] {0.1 + 0.2, 1e-300, Double.NaN}, table.get("loss"));
  }

  @Test
  void aRowIsThereBeforeTheLogIsClosed() throws IOException {
    try (CsvLog log = CsvLog.open(file, 0, NAMES)) {
      log.write(1, Map.of("loss", 2.0));
      assertEquals(1, CsvLog.read(file).get("loss").length);
    }
  }

  @Test
  void aResumedRunRepeatsNoStep() throws IOException {
    writeThree();
    Files.writeString(file, "4,0.", StandardOpenOption.APPEND); // killed while writing
    try (CsvLog log = CsvLog.open(file, 2, NAMES)) {
      log.write(3, Map.of("loss", 7.0));
    }
    assertArrayEquals(new double[] {1, 2, 3}, CsvLog.read(file).get("step"));
    assertEquals(7, CsvLog.read(file).get("loss")[2]);
  }

  @Test
  void aRunFromTheStartClearsTheTable() throws IOException {
    writeThree();
    CsvLog.open(file, 0, NAMES).close();
    assertEquals("step,loss,validation loss\n", Files.readString(file));
  }

  @Test
  void anotherTableIsNotOverwritten() throws IOException {
    writeThree();
    String before = Files.readString(file);
    assertMessage("its columns are 'step,loss,validation loss'", List.of("loss"));
    assertEquals(before, Files.readString(file));
  }

  @Test
  void badNamesAndTablesAreNamed() throws IOException {
    assertThrows(IllegalArgumentException.class, () -> CsvLog.open(file, 0, List.of("a,b")));
    Files.writeString(file, "step,loss\n1,0.5\n2,abc\n");
    assertMessage("line 3 has 'abc' where a number should be", List.of("loss"));
    Files.writeString(file, "step,loss\n1,0.5,7\n");
    assertMessage("line 2 has 3 cells, the header 2", List.of("loss"));
    try (CsvLog log = CsvLog.open(directory.resolve("other.csv"), 0, NAMES)) {
      assertThrows(IllegalArgumentException.class, () -> log.write(1, Map.of("los", 1.0)));
    }
  }

  private void assertMessage(String part, List<String> names) {
    String message =
        assertThrows(FileFormatException.class, () -> CsvLog.open(file, 0, names)).getMessage();
    assertTrue(message.contains(part), message);
  }
}
