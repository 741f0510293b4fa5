package io.perflow.cli;

import java.util.concurrent.CountDownLatch;

/**
 * A shutdown hook: while it is open, Ctrl-C asks a task to end, and the JVM waits until it has been
 * closed.
 */
final class Interrupt implements AutoCloseable {
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread hook;

  Interrupt(Runnable stop) {
    hook =
        new Thread(
            () -> {
              stop.run();
              try {
                closed.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "interrupt");
    try {
      Runtime.getRuntime().addShutdownHook(hook);
    } catch (IllegalStateException e) {
      stop.run(); // Ctrl-C came before, and the JVM is ending
    }
  }

  @Override
  public void close() {
    // When the JVM is already ending, the hook cannot be removed, but then the JVM waits only for
    // this task.
    closed.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return; // the task has written its checkpoint, and the JVM ends
    }
  }
}
