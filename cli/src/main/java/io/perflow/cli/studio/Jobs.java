package io.perflow.cli.studio;

import io.perflow.tensor.Cancellation;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** The jobs of all pages: one for each, and one turn at the processors at a time. */
final class Jobs {
  private final Map<String, Job> byPage = new HashMap<>();
  // fair: pages take turns, sample by sample
  private final ReentrantLock turn = new ReentrantLock(true);

  /** A new job for a page; the one it had is cancelled. */
  synchronized Job begin(String page) {
    Job job = new Job();
    Job before = byPage.put(page, job);
    if (before != null) {
      before.cancel();
    }
    return job;
  }

  synchronized void end(String page, Job job) {
    byPage.remove(page, job);
  }

  synchronized void cancelAll() {
    byPage.values().forEach(Job::cancel);
  }

  /**
   * Runs a part of a job when it is its turn.
   *
   * @throws java.util.concurrent.CancellationException within a step when the job is cancelled
   */
  <T> T turn(Job job, Supplier<T> part) {
    turn.lock();
    try (Cancellation _ = Cancellation.when(job::cancelled)) {
      Cancellation.check();
      return part.get();
    } finally {
      turn.unlock();
    }
  }
}
