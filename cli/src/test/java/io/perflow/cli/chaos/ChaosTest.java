package io.perflow.cli.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** A short version of what {@code ./gradlew chaos} does. */
@Isolated("the disk of the whole process is replaced")
class ChaosTest {
  @TempDir static Path root;
  private static Path home;

  @TempDir Path directory;

  @BeforeAll
  static void prepared() throws IOException {
    home = Errand.prepare(root.resolve("home"));
  }

  @Test
  void callsToTheDiskThatFail() throws IOException {
    Faults faults = new Faults(home, directory);
    for (Errand errand : Errand.shortOnes()) {
      faults.run(errand, 2, 9);
    }
    assertEquals(List.of(), faults.wrong());
  }

  @Test
  void kills() throws IOException {
    assertEquals(List.of(), new Kills(home, directory, 1).run(2).wrong());
  }

  @Test
  void aCrowd() throws IOException, InterruptedException {
    assertEquals(List.of(), new Crowd(home).run(400).wrong());
  }
}
