package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.flow.PriorModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Models that come with the command stay as they are. */
@Isolated("it moves the directory of the command")
class ShippedModelsTest {
  @TempDir Path home;

  @AfterEach
  void restore() {
    System.clearProperty("perflow.home");
  }

  @Test
  void calibrationDoesNotChangeThem() throws IOException {
    Plate.write(home);
    Path data = home.resolve("train.safetensors");
    Path file = Files.createDirectories(home.resolve("models")).resolve("plate.safetensors");
    PriorModel.learn(Plate.data(Plate.problem(), 12, 300)).save(file);
    byte[] before = Files.readAllBytes(file);
    System.setProperty("perflow.home", home.toString());
    assertTrue(
        Shell.bad("summary", "plates")
            .contains(
                "plates: there is no such file, directory or shipped model; shipped are plate"));
    for (Object named :
        new Object[] {"plate", file, home.resolve("models/../models/plate.safetensors")}) {
      String said = Shell.bad("calibrate", "--model", named, "--data", data);
      assertTrue(said.contains("plate.safetensors is a shipped model"), said);
    }
    Path own = home.resolve("own.safetensors");
    Shell.good("calibrate", "--model", "plate", "--data", data, "--out", own);
    assertArrayEquals(before, Files.readAllBytes(file));
    assertTrue(Shell.good("summary", own).out().contains("calibrated for intervals of 90 %"));
    Shell.good("calibrate", "--model", "plate", "--data", data, "--out", file); // said so
  }
}
