package io.perflow.cli;

import java.util.concurrent.CountDownLatch;

/** While open, Ctrl-C asks a task to end, and the JVM waits until it has been closed. */
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
    // When the JVM is ending already the hook cannot be removed, but then it waits for this alone.
    closed.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return; // the task has left its checkpoint, and the JVM ends
    }
  }
}
