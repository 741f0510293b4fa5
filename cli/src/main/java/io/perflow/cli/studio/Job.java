package io.perflow.cli.studio;

/** A reconstruction in the making, which a later change of its page ends. */
final class Job {
  /** Thrown where a job notices that its result is no longer wanted. */
  static final class Cancelled extends RuntimeException {
    private static final long serialVersionUID = 1;

    Cancelled() {
      super("cancelled", null, false, false);
    }
  }

  private volatile boolean cancelled;

  void cancel() {
    cancelled = true;
  }

  /**
   * The one place where a job ends early. It is called between samples and, by listeners, between
   * the steps of a sampler.
   */
  void check() {
    if (cancelled) {
      throw new Cancelled();
    }
  }
}
