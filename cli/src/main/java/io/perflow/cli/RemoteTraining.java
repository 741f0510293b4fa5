package io.perflow.cli;

import io.perflow.nn.distributed.Collective;
import io.perflow.nn.distributed.Engine;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Serializable;
import java.io.StringWriter;

/** One rank of a training, on an executor. */
record RemoteTraining(RemoteCommand command, int shards)
    implements Engine.RankWork<RemoteTraining.Printed> {
  /** How a command ended and what it said. */
  record Printed(int exit, String out, String err) implements Serializable {}

  @Override
  public Printed of(Collective ranks) throws IOException {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    TrainCommand train =
        command.parse(TrainCommand.class, new PrintWriter(out), new PrintWriter(err));
    int exit = train.train(ranks, shards);
    return new Printed(exit, out.toString(), err.toString());
  }
}
