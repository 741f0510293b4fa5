package io.perflow.cli.studio;

/** A reconstruction in the making, which a later change of its page ends. */
final class Job {
  private volatile boolean cancelled;

  void cancel() {
    cancelled = true;
  }

  boolean cancelled() {
    return cancelled;
  }
}
