package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.Perflow;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), Screen.NONE, args);
  }

  @Test
  void versionIsTheLibrarys() {
    assertEquals(0, run("--version"));
    assertEquals("perflow " + Perflow.version(), out.toString().strip());
  }

  @Test
  void helpListsTheSubcommands() {
    assertEquals(0, run("--help"));
    assertTrue(out.toString().contains("doctor"), out.toString());
  }

  @Test
  void noArgumentsGiveTheHelp() {
    assertEquals(0, run());
    assertTrue(out.toString().startsWith("Usage: perflow"), out.toString());
  }

  @Test
  void doctorNamesTheJavaVersion() {
    assertEquals(0, run("doctor"));
    assertTrue(out.toString().contains(Runtime.version().toString()), out.toString());
  }

  @Test
  void aMistakeIsOneLineAndExitCodeTwo() {
    assertEquals(2, run("doctor", "--nonsense"));
    assertEquals(
        "perflow: perflow doctor has no option '--nonsense' (see perflow doctor --help)",
        err.toString().strip());
    assertEquals("", out.toString());
  }

  @Test
  void aMisspeltCommandIsRecognized() {
    assertEquals(2, run("recontruct"));
    assertEquals(
        "perflow: there is no command 'recontruct'; did you mean reconstruct? (see perflow --help)",
        err.toString().strip());
  }

  @Test
  void aMisspeltOptionIsRecognizedThoughTheRightOneIsRequired() {
    assertEquals(2, run("evaluate", "--modle=x", "--data", "y"));
    assertEquals(
        "perflow: perflow evaluate has no option '--modle'; did you mean --model? (see perflow"
            + " evaluate --help)",
        err.toString().strip());
  }

  @Test
  void helpOfACommandIsThatOfItsOption() {
    assertEquals(0, run("help", "train"));
    String help = out.toString();
    out.getBuffer().setLength(0);
    assertEquals(0, run("train", "--help"));
    assertEquals(out.toString(), help);
  }

  @Test
  void quietSaysNothingAndVerboseSaysMore() {
    assertEquals(0, run("doctor", "--quiet"));
    assertEquals("", out.toString() + err);
    assertEquals(0, run("doctor", "--verbose"));
    assertTrue(err.toString().contains("perflow: took "), err.toString());
  }

  @Test
  void aMissingFileIsNamedAsMissing() {
    assertEquals(1, run("summary", "nowhere.safetensors"));
    assertEquals("perflow: nowhere.safetensors: there is no such file", err.toString().strip());
  }

  @Test
  void aFileInTheWayIsNamed(@TempDir Path home) throws IOException {
    Path file = Files.writeString(home.resolve("file"), "");
    assertEquals(
        1, run("generate", "burgers", "--samples", "1", "--out", file.resolve("x.npz").toString()));
    assertTrue(err.toString().contains("file"), err.toString());
    assertEquals(1, err.toString().lines().count(), err.toString());
  }
}
