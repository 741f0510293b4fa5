package io.perflow.tensor.cpu.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

class ParallelTest {

  // Short jobs of changing length follow each other while workers are late for the last one.
  @Test
  void everyTaskOfEveryJobRunsOnce() {
    for (int job = 0; job < 20_000; job++) {
      int tasks = 2 + job % 7;
      AtomicIntegerArray runs = new AtomicIntegerArray(16);
      Parallel.run(tasks, runs::incrementAndGet);
      for (int i = 0; i < runs.length(); i++) {
        assertEquals(i < tasks ? 1 : 0, runs.get(i), "runs of task %d of %d".formatted(i, tasks));
      }
    }
  }

  // What a thread wrote in one kernel lies in its own cache for the next.
  @Test
  void everyThreadBeginsWithTheSameShareInEveryJob() {
    Set<Thread> lower = ConcurrentHashMap.newKeySet();
    Set<Thread> upper = ConcurrentHashMap.newKeySet();
    for (int job = 0; job < 5; job++) {
      CountDownLatch both = new CountDownLatch(2);
      Parallel.run(
          2,
          task -> {
            (task == 0 ? lower : upper).add(Thread.currentThread());
            both.countDown();
            await(both);
          });
    }
    assertEquals(Set.of(Thread.currentThread()), lower);
    if (Parallel.threads() > 1) {
      assertEquals(1, upper.size(), upper.toString());
      assertFalse(upper.contains(Thread.currentThread()));
    }
  }

  @Test
  void aFailureReachesTheCallerAndTheNextJobRuns() {
    IllegalStateException failure = new IllegalStateException("task 3");
    assertSame(
        failure,
        assertThrows(
            IllegalStateException.class,
            () ->
                Parallel.run(
                    50,
                    task -> {
                      if (task == 3) {
                        throw failure;
                      }
                    })));
    AtomicInteger sum = new AtomicInteger();
    Parallel.run(10, sum::addAndGet);
    assertEquals(45, sum.get());
  }

  @Test
  void aJobInsideAJobRunsToo() {
    AtomicInteger runs = new AtomicInteger();
    Parallel.run(4, _ -> Parallel.run(5, _ -> runs.incrementAndGet()));
    assertEquals(20, runs.get());
  }

  private static Set<Thread> workers() {
    Set<Thread> found = ConcurrentHashMap.newKeySet();
    CountDownLatch all = new CountDownLatch(2); // more than one thread, so one is a worker
    Parallel.run(
        2,
        _ -> {
          found.add(Thread.currentThread());
          all.countDown();
          await(all);
        });
    found.remove(Thread.currentThread());
    return found;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await(1, TimeUnit.SECONDS); // the caller may have to do both alone
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void closingEndsTheThreadsAndTheNextJobStartsOthers() {
    Set<Thread> before = workers();
    Parallel.close();
    before.forEach(worker -> assertFalse(worker.isAlive(), worker.getName()));
    Set<Thread> after = workers();
    after.forEach(worker -> assertFalse(before.contains(worker), worker.getName()));
    Parallel.close();
    Parallel.close();
  }

  @Test
  void closingWhileOthersWorkLosesNoTask() throws InterruptedException {
    AtomicInteger runs = new AtomicInteger();
    Thread[] callers = new Thread[3];
    for (int c = 0; c < callers.length; c++) {
      callers[c] =
          Thread.startVirtualThread(
              () -> {
                for (int job = 0; job < 500; job++) {
                  Parallel.run(8, _ -> runs.incrementAndGet());
                }
              });
    }
    for (int i = 0; i < 50; i++) {
      Parallel.close();
    }
    for (Thread caller : callers) {
      caller.join();
    }
    assertEquals(3 * 500 * 8, runs.get());
  }

  @Test
  void aTaskCannotCloseAndAnInterruptDoesNotDisturbClosing() {
    assertThrows(IllegalStateException.class, () -> Parallel.run(2, _ -> Parallel.close()));
    Thread.currentThread().interrupt();
    Parallel.close();
    assertTrue(Thread.interrupted());
  }

  @Test
  void threadsTakeNothingFromTheirCaller() {
    InheritableThreadLocal<String> local = new InheritableThreadLocal<>();
    ClassLoader usual = Thread.currentThread().getContextClassLoader();
    Parallel.close();
    local.set("of the caller");
    Thread.currentThread().setContextClassLoader(new ClassLoader() {});
    try {
      Set<ClassLoader> loaders = ConcurrentHashMap.newKeySet();
      Set<String> locals = ConcurrentHashMap.newKeySet();
      Thread caller = Thread.currentThread();
      Parallel.run(
          100,
          _ -> {
            if (Thread.currentThread() != caller) {
              loaders.add(Thread.currentThread().getContextClassLoader());
              locals.add(String.valueOf(local.get()));
            }
          });
      loaders.forEach(loader -> assertSame(ClassLoader.getSystemClassLoader(), loader));
      locals.forEach(value -> assertEquals("null", value));
    } finally {
      Thread.currentThread().setContextClassLoader(usual);
      local.remove();
    }
  }
}
