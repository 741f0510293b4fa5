package io.perflow.cli.reproduce;

import java.util.function.LongConsumer;

/** A listener that is told how a reproduction proceeds. */
public interface Watcher {
  /**
   * Begins a task; the returned object receives how much of the total is done, and must be closed.
   *
   * @param name the name, in a few words
   */
  Task begin(String name, long total);

  /** Reports a finished task in one line. */
  void done(String line);

  /** Lets an interruption run {@code stop} and wait, until the returned object is closed. */
  AutoCloseable interruptible(Runnable stop);

  /** A receiver of the progress of one task. */
  interface Task extends LongConsumer, AutoCloseable {
    @Override
    void close();
  }
}
