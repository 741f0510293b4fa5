package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.Perflow;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
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
        "perflow: Unknown option: '--nonsense' (see perflow doctor --help)",
        err.toString().strip());
    assertEquals("", out.toString());
  }

  @Test
  void anUnknownSubcommandIsOneLine() {
    assertEquals(2, run("dcotor"));
    assertEquals(1, err.toString().lines().count(), err.toString());
  }
}
