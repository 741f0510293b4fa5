package io.perflow.tensor.cpu;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;

/**
 * The library's own threads.
 *
 * <p>A kernel cuts its work into tasks and hands them to {@link #run}. The cut must not depend on
 * the number of threads wherever it shows in the result (sums), so that a result has the same bits
 * for any number of threads. The calling thread takes part; the others are daemons that spin for a
 * moment after a job, because the next one usually follows within microseconds, and then sleep.
 *
 * <p>Jobs do not nest and do not queue: a call made from inside a task, or while another thread's
 * job holds the workers, is carried out by the calling thread alone.
 */
public final class Parallel {
  // A U-Net step issues a kernel every few tens of microseconds; waking a parked thread costs about
  // as much, so workers stay awake that long and no longer.
  private static final long SPIN_NANOS = 50_000;

  private static final ReentrantLock OWNER = new ReentrantLock();
  private static final ThreadLocal<Boolean> INSIDE = ThreadLocal.withInitial(() -> false);

  private static volatile Worker[] workers = new Worker[0];
  private static volatile Job job;
  private static volatile int threads = initialThreads();

  private Parallel() {}

  /** Number of threads that take part in a job, the calling one included. */
  public static int threads() {
    return threads;
  }

  /**
   * Sets the number of threads; results do not depend on it.
   *
   * @throws IllegalArgumentException when {@code count} is not between 1 and 1024
   */
  public static void threads(int count) {
    if (count < 1 || count > 1024) {
      throw new IllegalArgumentException("[threads] " + count + " is not between 1 and 1024");
    }
    threads = count;
  }

  /**
   * Runs {@code body} once for each of 0 … tasks - 1, in any order, and returns when all are done.
   */
  public static void run(int tasks, IntConsumer body) {
    if (tasks <= 1 || threads == 1 || INSIDE.get() || !OWNER.tryLock()) {
      for (int i = 0; i < tasks; i++) {
        body.accept(i);
      }
      return;
    }
    try {
      runShared(tasks, body);
    } finally {
      OWNER.unlock();
    }
  }

  private static void runShared(int tasks, IntConsumer body) {
    int helpers = Math.min(threads, tasks) - 1;
    Worker[] team = hire(helpers);
    Job mine = new Job(tasks, helpers, body);
    job = mine;
    for (int i = 0; i < helpers; i++) {
      team[i].wake();
    }
    mine.work();
    mine.await();
    job = null;
    if (mine.failure != null) {
      throw sneaky(mine.failure);
    }
  }

  private static Worker[] hire(int count) {
    Worker[] team = workers;
    if (team.length >= count) {
      return team;
    }
    Worker[] grown = java.util.Arrays.copyOf(team, count);
    for (int i = team.length; i < count; i++) {
      grown[i] = new Worker(i);
      grown[i].start();
    }
    workers = grown;
    return grown;
  }

  private static int initialThreads() {
    Integer asked = Integer.getInteger("perflow.threads");
    return asked == null ? Runtime.getRuntime().availableProcessors() : Math.clamp(asked, 1, 1024);
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> RuntimeException sneaky(Throwable t) throws T {
    throw (T) t; // a task's exception reaches the caller as it was thrown
  }

  private static final class Job {
    final int tasks;
    final int helpers;
    private IntConsumer body;
    final AtomicInteger next = new AtomicInteger();
    final AtomicInteger done = new AtomicInteger();
    volatile Throwable failure;

    Job(int tasks, int helpers, IntConsumer body) {
      this.tasks = tasks;
      this.helpers = helpers;
      this.body = body;
    }

    void work() {
      INSIDE.set(true);
      int finished = 0;
      try {
        for (int i; (i = next.getAndIncrement()) < tasks; finished++) {
          if (failure == null) {
            body.accept(i);
          }
        }
      } catch (Throwable t) { // the caller must hear of it, and the count must close all the same
        failure = t;
        finished++;
        for (; next.getAndIncrement() < tasks; finished++) {}
      } finally {
        INSIDE.set(false);
        done.addAndGet(finished);
      }
    }

    void await() {
      while (done.get() < tasks) {
        Thread.onSpinWait();
      }
      body = null; // a worker remembers its last job; its arrays must not stay with it
    }
  }

  private static final class Worker extends Thread {
    private final int index;
    private volatile boolean parked;

    Worker(int index) {
      super("perflow-" + (index + 1));
      this.index = index;
      setDaemon(true);
    }

    void wake() {
      if (parked) {
        LockSupport.unpark(this);
      }
    }

    @Override
    public void run() {
      Job last = null;
      long idleSince = System.nanoTime();
      while (true) {
        Job current = job;
        if (current != null && current != last && index < current.helpers) {
          last = current;
          current.work();
          idleSince = System.nanoTime();
        } else if (System.nanoTime() - idleSince < SPIN_NANOS) {
          Thread.onSpinWait();
        } else {
          sleep(last);
          idleSince = System.nanoTime();
        }
      }
    }

    private void sleep(Job last) {
      parked = true;
      Job current = job;
      if (current == null || current == last) {
        LockSupport.park(this);
      }
      parked = false;
    }
  }
}
