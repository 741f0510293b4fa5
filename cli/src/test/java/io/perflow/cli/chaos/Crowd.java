package io.perflow.cli.chaos;

import io.perflow.cli.Plate;
import io.perflow.flow.OdeSolver;
import io.perflow.flow.PerFlow;
import io.perflow.physics.Readings;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.Rng;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One small flow that a crowd asks at once, half of it on platform threads and half on virtual
 * ones. Every answer is the one that a single thread gets; every tenth request is cancelled in its
 * middle and must not reach another step; the heap must not grow.
 */
final class Crowd {
  private static final int AT_ONCE = 8;
  private static final int QUESTIONS = 24;
  private static final int STEPS = 4;
  private static final int CANCELLED = 10; // every so many-th
  private static final int PARTS = 10;
  // Threads and recycled memory grow once, to what the busiest moment needs; a leak grows with
  // requests.
  private static final double SLACK = 16; // MB

  private final PerFlow flow;
  private final double[][] expected = new double[QUESTIONS][];
  private final AtomicInteger differing = new AtomicInteger();
  private final AtomicInteger late = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();
  private final AtomicLong failed = new AtomicLong();
  private final List<Double> heaps = new ArrayList<>(); // MB

  Crowd(Path home) throws IOException {
    flow = PerFlow.load(home.resolve("run/best.safetensors"));
    for (int question = 0; question < QUESTIONS; question++) {
      expected[question] = answer(question, STEPS);
    }
  }

  List<String> wrong() {
    List<String> wrong = new ArrayList<>();
    if (differing.get() > 0) {
      wrong.add(differing + " answers differ from those of a single thread");
    }
    if (late.get() > 0) {
      wrong.add(late + " cancelled requests went on for another step");
    }
    if (failed.get() > 0) {
      wrong.add(failed + " requests failed");
    }
    if (heaps.getLast() > heaps.getFirst() + SLACK) {
      wrong.add("the heap grew: %s MB".formatted(heaps));
    }
    return wrong;
  }

  String figures() {
    return "%d ended when they were cancelled, heap %s MB".formatted(ended.get(), heaps);
  }

  Crowd run(int requests) throws InterruptedException {
    for (int part = 0; part < PARTS; part++) {
      int from = (int) ((long) requests * part / PARTS);
      int to = (int) ((long) requests * (part + 1) / PARTS);
      ask(from, to, part % 2 == 1);
      System.gc();
      Runtime runtime = Runtime.getRuntime();
      long used = runtime.totalMemory() - runtime.freeMemory();
      heaps.add(Math.round(used / 1e5) / 10.0);
    }
    return this;
  }

  private void ask(int from, int to, boolean virtual) throws InterruptedException {
    Semaphore places = new Semaphore(2 * AT_ONCE); // requests that wait cost memory, too
    try (ExecutorService threads =
        virtual
            ? Executors.newVirtualThreadPerTaskExecutor()
            : Executors.newFixedThreadPool(AT_ONCE)) {
      for (int i = from; i < to; i++) {
        int request = i;
        places.acquire();
        threads.execute(
            () -> {
              try {
                serve(request);
              } catch (RuntimeException | Error e) {
                failed.incrementAndGet();
              } finally {
                places.release();
              }
            });
      }
    }
  }

  private void serve(int request) {
    int question = request % QUESTIONS;
    if (request % CANCELLED > 0) {
      if (!Arrays.equals(expected[question], answer(question, STEPS))) {
        differing.incrementAndGet();
      }
      return;
    }
    int last = 1 + request / CANCELLED % (STEPS - 1);
    int[] steps = {0};
    boolean interrupt = request % (2 * CANCELLED) == 0;
    try (Cancellation _ = Cancellation.when(() -> !interrupt && steps[0] >= last)) {
      flow.reconstruct(readings(question))
          .samples(1)
          .solver(OdeSolver.euler(STEPS))
          .listener(
              (_, _) -> {
                steps[0]++;
                if (interrupt && steps[0] == last) {
                  Thread.currentThread().interrupt();
                }
              })
          .draw(Rng.of(question));
      late.incrementAndGet();
    } catch (CancellationException e) {
      ended.incrementAndGet();
      late.addAndGet(steps[0] > last ? 1 : 0);
    } finally {
      Thread.interrupted(); // the thread serves others
    }
  }

  private double[] answer(int question, int steps) {
    return flow.reconstruct(readings(question))
        .samples(1)
        .solver(OdeSolver.euler(steps))
        .draw(Rng.of(question))
        .fields()
        .samples()
        .toDoubles();
  }

  private static Readings readings(int question) {
    return Readings.of(Plate.problem())
        .at("T", 299 + question % 3, 0.25 + 0.1 * (question % 5), 0.9)
        .build();
  }
}
