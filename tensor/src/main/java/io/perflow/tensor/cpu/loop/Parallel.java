package io.perflow.tensor.cpu.loop;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
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
 * <p>Every thread begins with a share of consecutive tasks, the same one in every job, and helps
 * with those of others when it has done its own. So the part of a tensor that a thread has written
 * is the one that it reads in the next kernel, and lies in its own cache: a sum of two tensors of 8
 * MB on two threads takes four fifths of the time that it takes where threads draw tasks in turn.
 *
 * <p>Jobs do not nest and do not queue: a call made from inside a task, or while another thread's
 * job holds the workers, is carried out by the calling thread alone. So any number of threads may
 * call, platform and virtual ones.
 */
public final class Parallel {
  // A U-Net step issues a kernel every few tens of microseconds; waking a parked thread costs about
  // as much, so workers stay awake that long and no longer.
  private static final long SPIN_NANOS = 50_000;

  // Numbers of 8 bytes on two cache lines, which processors fetch together.
  private static final int LINE = 16;

  // Longer than the slice of time that another process may take from a worker.
  private static final long PATIENCE_NANOS = 10_000_000;

  private static final ReentrantLock OWNER = new ReentrantLock();
  private static final ThreadLocal<Boolean> INSIDE = ThreadLocal.withInitial(() -> false);

  private static volatile Worker[] workers = new Worker[0];

  // The job. There is one at a time, and it is not an object: a step of a network has hundreds.
  // Only the thread that holds OWNER writes body, tasks and helpers, before it opens the job.
  private static IntConsumer body;
  private static int tasks;
  private static int helpers;
  private static volatile Throwable failure;

  // Number of the newest job, written last when it is opened.
  private static volatile long newest;

  /**
   * The tasks of each share that nobody has taken, for all threads there are, each on a cache line
   * of its own. High half: number of the job, so that a late worker knows its own; low half: how
   * many. Counting down, a job that is over shows zero whatever is written for the next one.
   */
  private static volatile AtomicLongArray shares = new AtomicLongArray(LINE);

  /** Tasks of the job that are over. */
  private static final AtomicInteger DONE = new AtomicInteger();

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

  /**
   * Ends the threads after the job they are in and returns when they are gone; the next job starts
   * new ones. Jobs that are called meanwhile are carried out by their callers.
   *
   * @throws IllegalStateException when a task calls it, which would wait for itself
   */
  public static void close() {
    if (INSIDE.get()) {
      throw new IllegalStateException("[threads] a task cannot end the threads that it runs on");
    }
    OWNER.lock();
    try {
      for (Worker worker : workers) {
        worker.dismiss();
      }
      join(workers);
      workers = new Worker[0];
    } finally {
      OWNER.unlock();
    }
  }

  private static void join(Worker... team) {
    boolean interrupted = false;
    for (Worker worker : team) {
      while (worker.isAlive()) {
        try {
          worker.join();
        } catch (InterruptedException e) {
          interrupted = true; // a dismissed thread ends within microseconds
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void runShared(int count, IntConsumer work) {
    int others = Math.min(threads, count) - 1;
    Worker[] team = hire(others);
    body = work;
    tasks = count;
    helpers = others;
    failure = null;
    DONE.set(0);
    long number = newest + 1 & 0xffffffffL;
    for (int share = 0; share <= others; share++) {
      shares.set(share * LINE, number << 32 | end(share) - end(share - 1));
    }
    newest = number; // opens the job: all of the above is seen by who sees this
    for (int i = 0; i < others; i++) {
      team[i].wake();
    }
    work(number, 0);
    awaitAll(count);
    body = null; // the arrays of the last job must not stay with it
    if (failure != null) {
      throw sneaky(failure);
    }
  }

  // A worker may wait for a lock whose next owner is a virtual thread that has no carrier. So a
  // virtual caller gives its own carrier away when the end is long in coming.
  private static void awaitAll(int count) {
    boolean virtual = Thread.currentThread().isVirtual();
    long since = virtual ? System.nanoTime() : 0;
    while (DONE.get() < count) {
      if (virtual && System.nanoTime() - since > PATIENCE_NANOS) {
        Thread.yield();
      } else {
        Thread.onSpinWait();
      }
    }
  }

  /** Takes and runs tasks of a job until none is left, those of share {@code own} first. */
  private static void work(long number, int own) {
    AtomicLongArray untaken = shares;
    int count = untaken.length() / LINE;
    INSIDE.set(true);
    int finished = 0;
    try {
      for (int i = 0; i < count; i++) {
        int share = (own + i) % count;
        for (int task; (task = take(untaken, share, number)) >= 0; finished++) {
          if (failure == null) {
            body.accept(task);
          }
        }
      }
    } catch (Throwable t) { // the caller must hear of it, and the count must close all the same
      failure = t;
      finished++;
      for (int share = 0; share < count; share++) {
        for (; take(untaken, share, number) >= 0; finished++) {}
      }
    } finally {
      INSIDE.set(false);
      if (finished > 0) {
        DONE.addAndGet(finished);
      }
    }
  }

  /**
   * A task of a share of the given job that nobody has taken, or -1. A job is not over while a task
   * is untaken or not reported as done, so what is read of it after taking one is its own.
   */
  private static int take(AtomicLongArray untaken, int share, long number) {
    while (true) {
      long ticket = untaken.get(share * LINE);
      int left = (int) ticket;
      if (ticket >>> 32 != number || left == 0) {
        return -1;
      }
      if (untaken.compareAndSet(share * LINE, ticket, ticket - 1)) {
        return end(share) - left;
      }
    }
  }

  /** The task after the last one of a share. */
  private static int end(int share) {
    return (int) ((long) tasks * (share + 1) / (helpers + 1));
  }

  private static Worker[] hire(int count) {
    Worker[] team = workers;
    if (team.length >= count) {
      return team;
    }
    Worker[] grown = java.util.Arrays.copyOf(team, count);
    shares = new AtomicLongArray((count + 1) * LINE);
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

  private static final class Worker extends Thread {
    private final int index;
    private volatile boolean parked;
    private volatile boolean dismissed;

    // Without the thread locals and the class loader of the caller, which may be an application
    // that a server replaces before this thread ends.
    Worker(int index) {
      super(null, null, "perflow-" + (index + 1), 0, false);
      this.index = index;
      setDaemon(true);
    }

    void dismiss() {
      dismissed = true;
      LockSupport.unpark(this);
    }

    void wake() {
      if (parked) {
        LockSupport.unpark(this);
      }
    }

    @Override
    public void run() {
      long last = 0;
      long idleSince = System.nanoTime();
      while (!dismissed) {
        long number = newest;
        if (number != last) {
          last = number;
          if (index < helpers) {
            work(number, index + 1);
            idleSince = System.nanoTime();
          }
        } else if (System.nanoTime() - idleSince < SPIN_NANOS) {
          Thread.onSpinWait();
        } else {
          doze(last);
          idleSince = System.nanoTime();
        }
      }
    }

    private void doze(long last) {
      parked = true;
      if (newest == last && !dismissed) {
        LockSupport.park(this);
      }
      parked = false;
    }
  }
}
