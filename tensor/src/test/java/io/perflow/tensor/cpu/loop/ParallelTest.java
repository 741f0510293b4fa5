package io.perflow.tensor.cpu.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
}
