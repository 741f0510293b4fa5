package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first of the cases that {@code ./gradlew :cli:fuzz} tries a million of. */
class FileFuzzTest {
  private static final int CASES = 1500;

  @TempDir Path directory;

  @Test
  void everyFileIsUsedOrRefusedInWords() throws IOException {
    int refused = new FileFuzz(directory).run(0, CASES);
    assertTrue(refused > CASES / 2, refused + " refused");
  }
}
