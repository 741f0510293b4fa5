package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Dataset;
import io.perflow.physics.Problem;
import io.perflow.physics.Scaling;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A result that looks right is right: what cannot be trusted ends with a line and not with 0. */
class TrustTest {
  @TempDir static Path home;
  private static Path model;

  @BeforeAll
  static void trained() throws IOException {
    Plate.write(home);
    Shell.good(Plate.train(home, "--json"));
    model = home.resolve("run/best.safetensors");
  }

  private static void fails(String expected, Object... args) {
    String said = Shell.bad(args);
    assertTrue(said.contains(expected), said);
  }

  private static void flip(Path file, int fromEnd) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - fromEnd] ^= 1;
    Files.write(file, bytes);
  }

  private static Path copyOfRun(String name) throws IOException {
    Path copy = Files.createDirectory(home.resolve(name));
    try (var files = Files.list(home.resolve("run"))) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    return copy;
  }

  @Test
  void aReadingThatCannotBeMet() throws IOException {
    Path csv = Files.writeString(home.resolve("absurd.csv"), "y,x,T\n0.5,1,1e30\n");
    fails(
        "the samples do not satisfy their constraints: mass:T=300 is missed by",
        "reconstruct",
        "--model",
        model,
        "--observations",
        csv,
        "--exact-sensors",
        "--samples",
        2,
        "--out",
        home.resolve("absurd"));
    assertFalse(Files.exists(home.resolve("absurd")));
  }

  @Test
  void dataWithoutVariation() throws IOException {
    Tensor flat = Tensor.zeros(4, 2, 8, 12).add(5);
    Path data = home.resolve("flat.safetensors");
    Problem free = Plate.problem().with(List.of());
    Dataset.of(free, flat, Scaling.UNIT, Map.of()).write(data);
    for (String system : List.of("flow", "kriging")) {
      fails(
          "[data] T is 5.0 everywhere in all samples",
          "train",
          "--data",
          data,
          "--system",
          system,
          "--out",
          home.resolve("flat"));
    }
    assertFalse(Files.exists(home.resolve("flat")));
  }

  @Test
  void aRunDoesNotGoOnWithOtherData() throws IOException {
    Path run = copyOfRun("otherdata");
    Path data = home.resolve("other.safetensors");
    Plate.data(Plate.problem(), 11, 300).write(data);
    fails("belongs to a run with other settings", Plate.train(home, "--data", data, "--out", run));
  }

  @Test
  void theCheckOfARun() throws IOException {
    String out = Shell.good("check", home.resolve("run"), home.resolve("problem.json")).out();
    assertTrue(out.contains("best.safetensors: sound: a model, checksums of "), out);
    assertTrue(out.contains("last.safetensors: sound: a checkpoint, checksums of "), out);
    assertTrue(out.contains("train.csv: sound: a table of 2 steps"), out);
    assertTrue(out.contains("problem.json: sound: the problem plate"), out);
    Shell.good("check", home.resolve("train.safetensors"), "--json");
    Path damaged = copyOfRun("flipped").resolve("best.safetensors");
    flip(damaged, 1);
    Shell.Result result = Shell.run("check", damaged);
    assertEquals(1, result.code());
    assertTrue(result.out().contains("is damaged: checksum"), result.out());
    assertEquals("perflow: 1 of 1 file cannot be used: " + damaged, result.err().strip());
    fails("is damaged: checksum", "summary", damaged);
  }

  @Test
  void aFileWithoutChecksumsIsReadWithANote() throws IOException {
    // another writer's order of metadata: the checksums are not where they count
    byte[] bytes = Files.readAllBytes(model);
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    String moved =
        text.replaceFirst(
            "\\{\"__metadata__\":\\{\"perflow.crc32c\"", "{ \"__metadata__\":{\"perflow.crc32C\"");
    int header = (int) ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong();
    byte[] old = moved.getBytes(StandardCharsets.ISO_8859_1);
    ByteBuffer.wrap(old).order(ByteOrder.LITTLE_ENDIAN).putLong(header + 1);
    Path file = Files.write(home.resolve("old.safetensors"), old);
    try (SafeTensors open = SafeTensors.read(file)) {
      assertFalse(open.hasChecksums());
    }
    Shell.Result result =
        Shell.good(
            "reconstruct",
            "--model",
            file,
            "--observations",
            Plate.readings(home),
            "--samples",
            2,
            "--steps",
            2,
            "--out",
            home.resolve("old"));
    assertTrue(result.err().contains("old.safetensors has no checksums"), result.err());
  }

  @Test
  void aNetworkOfAnySizeIsAnsweredAtOnce() throws IOException {
    String network = Plate.NETWORK.replace("\"blocks\": 1", "\"blocks\": 100000");
    Path json = Files.writeString(home.resolve("huge.json"), network);
    fails(
        json + ": [unet config] blocks 100000 must be at most 256",
        "train",
        home,
        "--out",
        home.resolve("huge"),
        "--network",
        json);
  }

  /** A model whose text asks for a larger network than its tensors are. */
  @Test
  void aModelThatClaimsMoreThanItHolds() throws IOException {
    Map<String, Tensor> tensors;
    Map<String, String> notes;
    try (SafeTensors open = SafeTensors.read(model)) {
      tensors = open.loadAll();
      notes = new LinkedHashMap<>(open.metadata());
    }
    notes.put("flow", notes.get("flow").replace("\"widths\":[8]", "\"widths\":[8192]"));
    Path file = home.resolve("claims.safetensors");
    SafeTensors.write(file, tensors, notes);
    fails("and the file holds", "summary", file);
  }

  /** Cases that fuzzing found: answers without the file, with its control characters, with null. */
  @Test
  void answersNameTheFile() throws IOException {
    Path prior = home.resolve("prior");
    Shell.good("train", home, "--system", "kriging", "--out", prior, "--json");
    Path sound = prior.resolve("best.safetensors");
    Path file = home.resolve("forged.safetensors");
    forge(sound, file, "use", "\u001b[2J", "");
    fails(file + ": use '\ufffd[2J' is unknown: choose one of", "summary", file);
    forge(sound, file, "use", "kriging", "prior/rows");
    fails(file + ": entry 'prior': tensor prior/rows is missing", "summary", file);
    forge(model, file, "calibration", "[]", "");
    fails(file + ": json: calibration must be an object, found an array of 0", "summary", file);
    forge(model, file, "perflow.format", "two", "");
    fails("entry 'perflow.format': 'two' is no version", "summary", file);
    Path json = Files.writeString(home.resolve("number.json"), "7");
    fails(
        json + ": json: config must be an object, found 7",
        "train",
        home,
        "--out",
        home.resolve("seven"),
        "--network",
        json);
  }

  // another note, and without a tensor if one is named
  private static void forge(Path sound, Path file, String note, String text, String without)
      throws IOException {
    try (SafeTensors open = SafeTensors.read(sound)) {
      Map<String, Tensor> tensors = new LinkedHashMap<>(open.loadAll());
      Map<String, String> notes = new LinkedHashMap<>(open.metadata());
      tensors.remove(without);
      notes.put(note, text);
      SafeTensors.write(file, tensors, notes);
    }
  }

  @Test
  void controlCharactersStayInTheirFiles() throws IOException {
    Map<String, Object> json = new LinkedHashMap<>(Plate.problem().toJson());
    json.put("channels", List.of(Map.of("name", "T", "unit", "K\u001b[2J"), Map.of("name", "p")));
    Path file = home.resolve("escape.json");
    Json.write(file, json);
    Shell.Result result = Shell.run("summary", file);
    assertFalse((result.out() + result.err()).contains("\u001b"), result.out());
  }

  /** In a process of its own, with little memory. */
  @Test
  void tooLittleMemoryIsOneLine() throws Exception {
    Path commas = home.resolve("commas.csv");
    Files.writeString(commas, "y,x,T" + ",".repeat(40_000_000) + "\n");
    for (List<String> args :
        List.of(
            List.of(
                "reconstruct",
                "--model",
                model.toString(),
                "--observations",
                commas.toString(),
                "--out",
                home.resolve("none").toString()),
            List.of(
                "generate",
                "burgers",
                "--size",
                "8192",
                "--samples",
                "1",
                "--out",
                home.resolve("none.safetensors").toString()))) {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(List.of("--add-modules=jdk.incubator.vector", "-Xmx96m", "-cp"));
      command.add(System.getProperty("java.class.path"));
      command.add(Main.class.getName());
      command.addAll(args);
      // A line of progress appears after a second, so it depends on the machine.
      command.add("--quiet");
      Path output = home.resolve("output.txt");
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      assertTrue(process.waitFor(120, TimeUnit.SECONDS));
      List<String> lines =
          Files.readAllLines(output).stream().filter(l -> !l.contains("incubator")).toList();
      assertEquals(1, process.exitValue(), lines.toString());
      assertEquals(1, lines.size(), lines.toString());
      assertTrue(lines.getFirst().startsWith("perflow: "), lines.toString());
    }
  }
}
