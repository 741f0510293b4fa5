package io.perflow.cli;

import io.perflow.nn.distributed.EngineException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Serializable;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A command of which another process of a cluster carries out a part: its arguments, and the
 * directory to which its paths are relative.
 */
record RemoteCommand(List<String> arguments, String directory) implements Serializable {
  /** Returns the command that is running. */
  static RemoteCommand of(CommandSpec spec) {
    List<String> arguments = spec.root().commandLine().getParseResult().originalArgs();
    return new RemoteCommand(List.copyOf(arguments), Path.of("").toAbsolutePath().toString());
  }

  /** Part of a command. */
  interface Part<R> {
    R run() throws IOException;
  }

  /**
   * Carries out a part of the command. Of an exception only the text travels, so a file's is put
   * into the words that the command itself would use.
   */
  static <R> R worded(Part<R> part) {
    try {
      return part.run();
    } catch (IOException e) {
      throw new EngineException(Main.reason(e), e);
    }
  }

  /** Returns the command there, which prints nothing. */
  <C> C parse(Class<C> type) {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    return parse(type, nowhere, nowhere, Screen.NONE);
  }

  /** Returns the command there, which prints to these. */
  <C> C parse(Class<C> type, PrintWriter out, PrintWriter err, Screen screen) {
    CommandLine line = Main.commandLine(out, err, screen);
    line.registerConverter(Path.class, text -> Path.of(directory).resolve(text));
    CommandLine.ParseResult parsed = line.parseArgs(arguments.toArray(String[]::new));
    return type.cast(parsed.subcommand().commandSpec().userObject());
  }
}
