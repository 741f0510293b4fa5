package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first of the cases that {@code ./gradlew :cli:fuzz} tries a million of. */
class FileFuzzTest {
  private static final int CASES = 2000;

  @TempDir Path directory;

  @Test
  void everyFileIsUsedOrRefusedInWords() throws IOException {
    int refused = new FileFuzz(directory).run(0, CASES);
    assertTrue(refused > CASES / 2, refused + " refused");
  }

  /** Files whose readers once threw an exception that is not an answer. */
  @Test
  void whatWasFoundIsRefusedInWords() throws IOException, URISyntaxException {
    List<Path> found;
    try (Stream<Path> files =
        Files.list(Path.of(FileFuzzTest.class.getResource("found").toURI()))) {
      found = files.sorted().toList();
    }
    FileFuzz fuzz = new FileFuzz(directory);
    for (Path file : found) {
      assertTrue(fuzz.refuses(file), file + " is accepted");
    }
  }
}
