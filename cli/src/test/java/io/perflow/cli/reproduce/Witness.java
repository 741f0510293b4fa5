package io.perflow.cli.reproduce;

import java.util.ArrayList;
import java.util.List;

/** Counts what is done, and may ask the first trainings to stop. */
final class Witness implements Watcher {
  final List<String> lines = new ArrayList<>();
  int stops;

  @Override
  public Task begin(String name, long total) {
    return new Task() {
      @Override
      public void accept(long done) {}

      @Override
      public void close() {}
    };
  }

  @Override
  public void done(String line) {
    lines.add(line);
  }

  @Override
  public AutoCloseable interruptible(Runnable stop) {
    if (stops-- > 0) {
      stop.run();
    }
    return () -> {};
  }
}
