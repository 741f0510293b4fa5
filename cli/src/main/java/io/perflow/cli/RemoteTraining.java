package io.perflow.cli;

import io.perflow.nn.distributed.Collective;
import io.perflow.nn.distributed.Engine;
import io.perflow.nn.unet.UNetConfig;
import java.io.PrintWriter;
import java.io.Serializable;
import java.io.StringWriter;
import java.util.function.Consumer;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The work of one rank of a training, on an executor. Output of the first rank goes to the process
 * that runs the command; the result is the exit code.
 *
 * @param shards the number of parts of a batch unless the user has set it
 * @param network the network that the user has chosen, as JSON; empty for none
 * @param watched whether the progress is shown
 * @param terminal whether it is shown on a terminal
 */
record RemoteTraining(
    RemoteCommand command, int shards, String network, boolean watched, boolean terminal)
    implements Engine.RankWork<Integer> {
  private enum Where {
    OUT,
    ERR,
    SCREEN
  }

  /** A text that a rank has printed. */
  private record Printed(Where where, String text) implements Serializable {}

  /** Returns the training of a command that is running. */
  static RemoteTraining of(CommandSpec spec, int shards, UNetConfig network) {
    Screen screen = PerflowCommand.of(spec).screen();
    return new RemoteTraining(
        RemoteCommand.of(spec),
        shards,
        network == null ? "" : network.toJson(),
        screen.watched(),
        screen.terminal());
  }

  @Override
  public Integer of(Collective ranks) {
    PrintWriter out = printer(ranks, Where.OUT);
    PrintWriter err = printer(ranks, Where.ERR);
    Screen screen = watched ? new Screen(printer(ranks, Where.SCREEN), terminal) : Screen.NONE;
    TrainCommand train = command.parse(TrainCommand.class, out, err, screen);
    int exit =
        RemoteCommand.worded(
            () -> train.train(ranks, shards, network.isEmpty() ? null : UNetConfig.parse(network)));
    out.flush();
    err.flush();
    return exit;
  }

  private static PrintWriter printer(Collective ranks, Where where) {
    StringWriter text =
        new StringWriter() {
          @Override
          public void flush() {
            if (!getBuffer().isEmpty()) {
              ranks.tell(new Printed(where, toString()));
              getBuffer().setLength(0);
            }
          }
        };
    return new PrintWriter(text, true);
  }

  /** Prints what the first rank has printed, and other news as notes. */
  static Consumer<Serializable> printing(CommandSpec spec) {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Screen screen = PerflowCommand.of(spec).screen();
    return news -> {
      if (news instanceof Printed(Where where, String text)) {
        PrintWriter writer =
            switch (where) {
              case OUT -> out;
              case ERR -> err;
              case SCREEN -> screen.writer();
            };
        writer.print(text);
        writer.flush();
      } else {
        err.println("note: " + news);
        err.flush();
      }
    };
  }
}
