package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.Npz;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands on a GPU do what they do on the CPU: here on the emulated one. */
class DeviceCommandsTest {
  @TempDir Path home;

  @Test
  void trainingAndReconstructionAgreeWithTheCpus() throws IOException {
    Plate.write(home);
    String table =
        Shell.good(
                Plate.train(
                    home, "--out", home.resolve("gpu"), "--uncalibrated", "--device", "emulated"))
            .out();
    assertTrue(table.contains("device      emulated"), table);
    Shell.good(Plate.train(home, "--out", home.resolve("cpu"), "--json"));
    Path model = home.resolve("cpu/best.safetensors");
    try (SafeTensors gpu = SafeTensors.read(home.resolve("gpu/best.safetensors"));
        SafeTensors cpu = SafeTensors.read(model)) {
      assertEquals(cpu.names(), gpu.names());
      for (String name : cpu.names()) {
        assertArrayEquals(cpu.load(name).toFloats(), gpu.load(name).toFloats(), 1e-4f, name);
      }
    }
    double[] cpu = mean(model, "cpu");
    assertArrayEquals(cpu, mean(model, "emulated"), 1e-3);
  }

  private double[] mean(Path model, String device) throws IOException {
    Path out = home.resolve("fields-" + device);
    Shell.good(
        "reconstruct",
        "--model",
        model,
        "--observations",
        Plate.readings(home),
        "--samples",
        1,
        "--steps",
        2,
        "--constrain",
        "dirichlet:T@y-high=295",
        "--device",
        device,
        "--out",
        out);
    Object certificate = Json.read(out.resolve("certificate.json"));
    assertEquals(device, Json.object(certificate, "certificate").get("device"));
    try (Npz fields = Npz.read(out.resolve("fields.npz"))) {
      return fields.load("mean").toDoubles();
    }
  }
}
