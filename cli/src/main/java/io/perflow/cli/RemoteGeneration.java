package io.perflow.cli;

import io.perflow.nn.distributed.Engine;
import io.perflow.physics.Generation;

/** The work of making shards of a data set on executors. */
record RemoteGeneration(RemoteCommand command) implements Engine.Work<Generation.Shard, Integer> {
  @Override
  public Integer of(Generation.Shard shard) {
    return RemoteCommand.worded(
        () -> {
          command.parse(GenerateCommand.class).make(shard);
          return shard.to() - shard.from();
        });
  }
}
