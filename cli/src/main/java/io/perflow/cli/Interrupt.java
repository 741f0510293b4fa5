package io.perflow.cli;

/** While open, Ctrl-C asks a task to end and the JVM waits until it has. */
final class Interrupt implements AutoCloseable {
  private final Thread hook;

  Interrupt(Runnable stop) {
    Thread task = Thread.currentThread();
    hook =
        new Thread(
            () -> {
              stop.run();
              try {
                task.join();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "interrupt");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the JVM is ending already: the hook runs and waits for this thread
    }
  }
}
