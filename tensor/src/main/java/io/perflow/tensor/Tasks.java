package io.perflow.tensor;

import io.perflow.tensor.cpu.loop.Parallel;
import java.util.function.IntConsumer;

/** Runs an application's own work, such as the solves of an equation, on the library's threads. */
public final class Tasks {
  private Tasks() {}

  /**
   * Runs {@code body} once for each of 0 … count - 1, in any order and on as many threads as {@link
   * Settings#threads} says, and returns when all are done. Tasks must not wait for each other. An
   * operation on tensors inside a task uses only the task's thread.
   */
  public static void run(int count, IntConsumer body) {
    Parallel.run(count, body);
  }

  /**
   * Ends the library's threads and returns when they are gone; work that follows starts new ones.
   * Call it when an application that a server may replace shuts down: these threads are daemons and
   * end with the JVM, but until then they keep the classes of the library in memory.
   *
   * @throws IllegalStateException when a task calls it, which would wait for itself
   */
  public static void close() {
    Parallel.close();
  }
}
