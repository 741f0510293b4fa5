package io.perflow.cli.reproduce;

import java.util.function.LongConsumer;

/** Is told how a reproduction proceeds. */
public interface Watcher {
  /**
   * Returns a task begins; the result is told how much of the total is done, and must be closed.
   *
   * @param name in a few words
   */
  Task begin(String name, long total);

  /** A task is done: one line. */
  void done(String line);

  /** While the result is open, an interruption runs {@code stop} and waits for it to be closed. */
  AutoCloseable interruptible(Runnable stop);

  /** Told about one task. */
  interface Task extends LongConsumer, AutoCloseable {
    @Override
    void close();
  }
}
