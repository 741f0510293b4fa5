package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Manual pages and completions contain every command and option. */
class ManualTest {
  private static CommandLine command() {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    return Main.commandLine(nowhere, nowhere, Screen.NONE);
  }

  @Test
  void everyCommandHasAPageWithEveryOption() {
    Map<String, String> pages = Manual.pages();
    assertTrue(pages.containsKey("perflow.1"));
    for (Map.Entry<String, CommandLine> sub : command().getSubcommands().entrySet()) {
      String page = pages.get("perflow-" + sub.getKey() + ".1");
      for (OptionSpec option : sub.getValue().getCommandSpec().options()) {
        String name = option.longestName().replace("-", "\\-");
        assertTrue(page.contains(name), sub.getKey() + " lacks " + name);
      }
      assertFalse(page.contains("${") || page.contains("%%"), page);
    }
  }

  @Test
  void completionsKnowCommandsAndOptions() {
    for (String script : Manual.completions().values()) {
      for (String word : new String[] {"reconstruct", "--exact-sensors", "--verbose"}) {
        assertTrue(script.contains(word), word);
      }
    }
  }

  @Test
  void zshHasWhatItLacksAndCompletesAtTheFirstTab() {
    String zsh = Manual.completions().get("_perflow");
    assertTrue(zsh.startsWith("#compdef perflow\n"), zsh.substring(0, 40));
    assertTrue(zsh.indexOf("compopt()") < zsh.indexOf("type compopt"), "compopt is of bash alone");
    assertTrue(zsh.endsWith("\n_bash_complete -o default -F _complete_perflow\n"));
  }

  @Test
  void bashAcceptsTheScript(@TempDir Path home) throws IOException, InterruptedException {
    Assumptions.assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "there is no bash");
    Path script = home.resolve("perflow.bash");
    Files.writeString(script, Manual.completions().get("perflow.bash"));
    Process bash = new ProcessBuilder("/bin/bash", "-n", script.toString()).inheritIO().start();
    assertEquals(0, bash.waitFor());
  }
}
