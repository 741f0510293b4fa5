package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Dataset;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every command that prints numbers prints them as JSON alone, or writes them to a file. */
class JsonOptionTest {
  @TempDir static Path home;
  private static Path model;

  @BeforeAll
  static void trained() throws IOException {
    Plate.write(home);
    Map<String, Object> numbers = Shell.good(Plate.train(home, "--json")).json();
    model = home.resolve("run/best.safetensors");
    assertEquals(model.toString(), numbers.get("model"));
    assertEquals(2L, numbers.get("steps"));
    assertEquals(true, numbers.get("done"));
    assertTrue(Json.number(numbers.get("validation_loss"), "loss") > 0);
  }

  private static Set<String> keys(Object... args) throws IOException {
    return Shell.good(args).json().keySet();
  }

  @Test
  void aModelIsDescribed() throws IOException {
    Map<String, Object> flow = Shell.good("summary", model, "--json").json();
    assertEquals(Plate.problem().toJson(), flow.get("problem"));
  }

  @Test
  void aReconstructionPrintsItsCertificate() throws IOException {
    Path out = home.resolve("out");
    Object[] args = {
      "reconstruct",
      "--model",
      model,
      "--observations",
      Plate.readings(home),
      "--json",
      "--samples",
      1,
      "--steps",
      2,
      "--out",
      out
    };
    Map<String, Object> certificate = Shell.good(args).json();
    assertEquals(Json.read(out.resolve("certificate.json")), certificate);
  }

  @Test
  void anEvaluationPrintsOrWritesTheSameNumbers() throws IOException {
    Object[] args = {
      "evaluate",
      "--model",
      model,
      "--data",
      home.resolve("train.safetensors"),
      "--fields",
      2,
      "--samples",
      2,
      "--steps",
      2,
      "--json"
    };
    Map<String, Object> printed = Shell.good(args).json();
    Path file = home.resolve("numbers.json");
    String text = Shell.good(Shell.with(args, file)).out();
    assertTrue(text.contains("Phys-Err"), text);
    Map<String, Object> written = Json.object(Json.read(file), "numbers");
    assertEquals(printed.keySet(), written.keySet());
    assertEquals(printed.get("rel_l2"), written.get("rel_l2"));
  }

  @Test
  void dataSetsAreCounted() throws IOException {
    Path heat = home.resolve("heat.npz");
    Map<String, Object> made =
        Shell.good("generate", "heat", "--size", 8, "--samples", 3, "--out", heat, "--json").json();
    assertEquals(3L, made.get("samples"));
    assertEquals(3L, made.get("made_now"));
    Path foreign = home.resolve("foreign.npz");
    try (Npz fields = Npz.read(heat)) {
      Npz.write(foreign, Map.of("T", fields.load("fields").select(1, 0).contiguous()));
    }
    Path problem = home.resolve("heat.json");
    Dataset.read(heat).problem().write(problem);
    Map<String, Object> taken =
        Shell.good("import", problem, foreign, "--out", home.resolve("y.npz"), "--json").json();
    assertEquals(3L, taken.get("samples"));
    Map<?, ?> residual = (Map<?, ?>) Json.list(taken.get("constraints"), "constraints").getFirst();
    assertEquals("mass=300", residual.get("constraint"));
    assertEquals(true, residual.get("holds"));
  }

  @Test
  void anExportTellsItsSize() throws IOException {
    Path small = home.resolve("small.safetensors");
    Map<String, Object> sizes =
        Shell.good("export", "--model", model, "--out", small, "--json").json();
    assertEquals(Files.size(small), sizes.get("bytes"));
    assertEquals(Files.size(model), sizes.get("bytes_before"));
  }

  @Test
  void machinesAndTimes() throws IOException {
    assertTrue(keys("doctor", "--json").containsAll(List.of("perflow", "java", "cpu", "gpu")));
    assertEquals(
        Set.of("train_ms", "threads", "peak_memory_mb"),
        keys("bench", "train", "--preset", "tiny", "--size", 16, "--steps", 1, "--json"));
    Path config = Files.writeString(home.resolve("config.json"), UNetConfig.tiny().toJson());
    assertTrue(
        keys(
                "bench",
                "unet",
                "--config",
                config,
                "--out",
                home.resolve("bench"),
                "--size",
                8,
                "--warmup",
                0,
                "--calls",
                1,
                "--device",
                "emulated",
                "--json")
            .containsAll(List.of("forward_ms", "train_ms", "forward_traffic")));
    assertTrue(
        keys("bench", "sampling", "--preset", "tiny", "--size", 16, "--calls", 1, "--json")
            .contains("burgers"));
    Path ops =
        Files.writeString(
            home.resolve("ops.json"),
            "[{\"name\": \"sum\", \"op\": \"add\", \"a\": [4], \"b\": [4]}]");
    assertEquals(Set.of("sum"), keys("bench", "ops", "--spec", ops, "--seconds", 0.01, "--json"));
  }

  @Test
  void quietCommandsPrintNothingButJson() throws IOException {
    List<Object[]> commands =
        List.of(
            new Object[] {"doctor"},
            new Object[] {"summary", model},
            new Object[] {"check", model},
            new Object[] {"export", "--model", model, "--out", home.resolve("quiet.safetensors")},
            new Object[] {
              "generate",
              "heat",
              "--size",
              8,
              "--samples",
              1,
              "--force",
              "--out",
              home.resolve("quiet.npz")
            });
    for (Object[] command : commands) {
      Shell.Result quiet = Shell.good(Shell.with(command, "--quiet"));
      assertEquals("", quiet.out() + quiet.err(), command[0].toString());
      Shell.Result numbers = Shell.good(Shell.with(command, "--quiet", "--json"));
      assertFalse(numbers.json().isEmpty(), command[0].toString());
      Path file = home.resolve("quiet.json");
      Shell.Result written = Shell.good(Shell.with(command, "--quiet", "--json=" + file));
      assertEquals("", written.out(), command[0].toString());
      assertFalse(Json.object(Json.read(file), "numbers").isEmpty());
    }
    assertTrue(Shell.good("doctor", "--quiet", "--help").out().startsWith("Usage:"));
    assertEquals(1, Shell.bad("summary", "nowhere", "--quiet").lines().count());
  }

  @Test
  void anArgumentIsNeverTakenForTheFile() throws IOException {
    byte[] before = Files.readAllBytes(model);
    assertEquals(
        Plate.problem().toJson(), Shell.good("summary", "--json", model).json().get("problem"));
    assertEquals(-1, Arrays.mismatch(before, Files.readAllBytes(model)));
    Path file = home.resolve("summary.json");
    assertFalse(Shell.good("summary", "--json=" + file, model).out().isEmpty());
    assertEquals(Plate.problem().toJson(), Json.object(Json.read(file), "summary").get("problem"));
  }
}
