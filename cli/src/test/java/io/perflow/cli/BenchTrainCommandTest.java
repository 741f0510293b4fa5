package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class BenchTrainCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), Screen.NONE, args);
  }

  @Test
  void tellsTimeAndMemory() {
    int code =
        run("bench", "train", "--preset", "tiny", "--batch", "2", "--size", "16", "--steps", "2");
    assertEquals(0, code, err.toString());
    assertTrue(
        out.toString().matches("(?s)training step [0-9.]+ ms, peak memory .+\\R"), out.toString());
  }

  @Test
  void anUnknownPresetIsOneLine() {
    assertEquals(1, run("bench", "train", "--preset", "huge"));
    assertEquals(1, err.toString().lines().count(), err.toString());
  }
}
