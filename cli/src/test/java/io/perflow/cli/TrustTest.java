package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.cli.figure.HtmlReport;
import io.perflow.flow.log.TensorBoardLog;
import io.perflow.physics.Dataset;
import io.perflow.physics.Generation;
import io.perflow.physics.Problem;
import io.perflow.physics.Scaling;
import io.perflow.physics.solver.Burgers;
import io.perflow.tensor.DataType;
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
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A result that looks right is right: a command that cannot be trusted ends with a message and a
 * nonzero exit code.
 */
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

  /** The same numbers, which are said to be in another unit. */
  @Test
  void aRunDoesNotGoOnInOtherUnits() throws IOException {
    Path run = copyOfRun("otherunits");
    Map<String, Object> json = new LinkedHashMap<>(Plate.problem().toJson());
    json.put(
        "channels", List.of(Map.of("name", "T", "unit", "C"), Map.of("name", "p", "unit", "Pa")));
    Path celsius = home.resolve("celsius.json");
    Json.write(celsius, json);
    Path data = home.resolve("celsius.safetensors");
    Plate.data(Problem.read(celsius), 12, 300).write(data);
    fails(
        "do not belong together: T in K and in C", Plate.train(home, "--data", data, "--out", run));
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

  /** Every kind of file that has checksums: its contents do not change unnoticed. */
  @Test
  void theCheckOfOtherFiles() throws IOException {
    Path made = home.resolve("made");
    Path readings = Plate.readings(home);
    Shell.good(
        "reconstruct",
        "--model",
        model,
        "--observations",
        readings,
        "--samples",
        2,
        "--steps",
        2,
        "--out",
        made);
    Path report = made.resolve("report.html");
    HtmlReport.of("plate").table(List.of("a"), List.of(List.of("1"))).write(report);
    try (TensorBoardLog log = TensorBoardLog.open(made, 3)) {
      log.write(4, Map.of("loss", 0.5));
    }
    String said = Shell.good("check", made, readings).out();
    for (String line :
        List.of(
            "certificate.json: readable: JSON",
            "fields.npz: sound: arrays, checksums of 5 arrays verified",
            "figure.png: sound: an image of ",
            "report.html: sound: a report, its checksum verified",
            ": sound: an event file, checksums of 3 records verified",
            "readings.csv: readable: a table of 5 rows and 4 columns")) {
      assertTrue(said.contains(line), said);
    }
    try (Stream<Path> files = Files.list(made)) {
      for (Path file : files.filter(f -> !f.toString().endsWith(".json")).toList()) {
        int size = (int) Files.size(file);
        // an archive ends with a directory, whose dates are nobody's concern
        int last = file.toString().endsWith(".npz") ? size / 3 : 1;
        for (int part = 0; part < 12; part++) {
          int fromEnd = last + part * (size - last) / 12;
          flip(file, fromEnd);
          String name = "%s with byte %d of %d changed".formatted(file, size - fromEnd, size);
          assertEquals(1, Shell.run("check", file).code(), name);
          flip(file, fromEnd);
        }
      }
    }
  }

  @Test
  void theCheckOfTables() throws IOException {
    Path table = home.resolve("cut.csv");
    Files.writeString(table, "# five, or more\ny,x,T\n0,1,30\n0,1\n");
    fails("1 of 1 file cannot be used", "check", table);
    assertTrue(Shell.run("check", table).out().contains("row 2 has 2 cells, the first line 3"));
    Files.writeString(table, "y,x,\"reads, all\"\n0,1,\"T, p\"\n0.5,1,\"T, p\"");
    assertTrue(Shell.run("check", table).out().contains("its last line has no end"));
    Files.writeString(table, "y;x;T\n0;1;30,5\n");
    assertTrue(Shell.good("check", table).out().contains("not checked"));
  }

  /** The files that a killed generation leaves. */
  @Test
  void theCheckOfAnUnfinishedDataSet() throws IOException {
    Path file = home.resolve("unfinished.npz");
    Burgers burgers = Burgers.paper().size(8, 16).substeps(4);
    Generation generation =
        new Generation(burgers, "train", 7, 6, DataType.F32, Scaling.UNIT, Map.of());
    assertThrows(
        CancellationException.class,
        () ->
            generation.run(
                file,
                1,
                count -> {
                  if (count == 4) {
                    throw new CancellationException();
                  }
                }));
    Path part = Generation.partOf(file);
    String said = Shell.good("check", part).out();
    assertTrue(said.matches("(?s).*: sound: 4 finished samples of burgers, .*"), said);
    Files.write(part, new byte[0]);
    assertTrue(Shell.good("check", part).out().contains("no finished sample yet"));
    Files.writeString(part, "x".repeat(500));
    assertTrue(Shell.run("check", part).out().contains("is not a file of finished samples"));
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
    fails("entry 'perflow.format': 'two' is not a version", "summary", file);
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
