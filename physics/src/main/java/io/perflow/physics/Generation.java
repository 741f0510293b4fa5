package io.perflow.physics;

import io.perflow.physics.solver.FieldGenerator;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.ArrayWriter;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

/**
 * Makes a data set file: every sample on one thread, many at once, and able to go on after an end
 * that came too early.
 *
 * <p>Sample i is drawn from {@code Rng.of(seed).split(name).split(split).split(i)} and from nothing
 * else, so the file has the same bits for any number of threads, and a longer run begins with the
 * samples of a shorter one. Finished samples are kept beside the file, in {@code FILE.part}, until
 * the file is complete; a run with the same settings finds them there. The file itself appears
 * complete or not at all.
 *
 * @param generator makes one sample, and knows the problem it is of
 * @param split name of the part of the data: train, val or test; parts are independent
 * @param seed chooses the data
 * @param samples how many
 * @param type precision of the file
 * @param scaling how the units for networks are chosen
 * @param notes further entries for the {@linkplain Dataset#origin origin}
 */
public record Generation(
    FieldGenerator generator,
    String split,
    long seed,
    int samples,
    DataType type,
    Scaling scaling,
    Map<String, Object> notes) {
  private static final long LOOK_MILLIS = 100;

  public Generation {
    Check.that(samples > 0, "generate", "%d samples: ask for at least 1", samples);
    // refuses more numbers than one tensor can hold now, not when all of them are made
    generator.problem().batch(samples);
    notes = Map.copyOf(notes);
  }

  /** What the fields are of. */
  public Problem problem() {
    return generator.problem();
  }

  /** The fields of one sample, channel after channel, in double precision. */
  public double[] sample(int index) {
    return sample(problem(), index);
  }

  // The problem is handed on: a generator may make it anew whenever it is asked.
  private double[] sample(Problem problem, int index) {
    double[] fields =
        generator.sample(Rng.of(seed).split(problem.name()).split(split).split(index));
    Shape shape = problem.batch(1).remove(0);
    Check.that(
        fields.length == shape.size(),
        "generate",
        "sample %d of %s has %d numbers, fields of shape %s have %d",
        index,
        problem.name(),
        fields.length,
        shape,
        shape.size());
    for (double value : fields) {
      Check.that(
          Double.isFinite(value),
          "generate",
          "sample %d of %s holds %s: the solver did not stay stable",
          index,
          problem.name(),
          value);
    }
    return fields;
  }

  /**
   * Makes the file.
   *
   * @param file named *.safetensors or *.npz; replaced if it exists
   * @param threads samples in the making at a time
   * @param finished told the number of samples there are so far, first those of an earlier run; may
   *     be called from any thread, but not by two at once
   * @throws IOException when the disk refuses; finished samples are kept for the next run
   * @throws CancellationException when the thread is interrupted or cancelled; likewise
   */
  public void run(Path file, int threads, IntConsumer finished) throws IOException {
    DatasetFile.Kind.of(file);
    run(file, threads, finished, this::assemble);
  }

  /**
   * Makes a plain npz file, as another tool would: an array (samples, rows, columns), with frames
   * (samples, frames, rows, columns), for each quantity, and arrays of coordinates named like the
   * axes. What {@link #run} says of threads and finished samples holds here, too.
   *
   * @param file named *.npz; replaced if it exists
   */
  public void runPlain(Path file, int threads, IntConsumer finished) throws IOException {
    Check.that(
        file.toString().toLowerCase(Locale.ROOT).endsWith(".npz"),
        "generate",
        "%s: a plain file is named *.npz",
        file);
    run(file, threads, finished, this::assemblePlain);
  }

  /** Puts finished samples together in a file. */
  private interface Assembly {
    void make(PartFile part, Path file) throws IOException;
  }

  private void run(Path file, int threads, IntConsumer finished, Assembly assembly)
      throws IOException {
    Check.that(threads > 0, "generate", "%d threads: at least 1 is needed", threads);
    try (PartFile part = PartFile.open(partOf(file), identity(), sampleShape().size(), type)) {
      try {
        fill(part, threads, finished);
        assembly.make(part, file);
      } catch (IOException e) {
        throw new IOException(
            "%s; %d finished samples are kept in %s, run again to go on"
                .formatted(e.getMessage(), part.countBelow(samples), partOf(file)),
            e);
      }
      part.discard();
    }
  }

  /** Where the finished samples of an unfinished file are kept. */
  public static Path partOf(Path file) {
    return file.resolveSibling(file.getFileName() + ".part");
  }

  private Shape sampleShape() {
    return problem().batch(1).remove(0);
  }

  // All that a sample depends on, but for its index. Neither the number of samples nor the units
  // are part of it: finished samples serve a longer run as well.
  private String identity() {
    Map<String, Object> identity = new LinkedHashMap<>();
    identity.put("problem", problem().name());
    identity.put("split", split);
    identity.put("seed", seed);
    identity.put("type", type.name());
    identity.put("shape", sampleShape().toArray());
    identity.put("parameters", generator.parameters());
    return Json.write(identity);
  }

  private void fill(PartFile part, int threads, IntConsumer finished) throws IOException {
    Problem problem = problem();
    int[] count = {part.countBelow(samples)};
    finished.accept(count[0]);
    AtomicInteger next = new AtomicInteger();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Runnable work =
        () -> {
          try {
            for (int i; (i = next.getAndIncrement()) < samples && failure.get() == null; ) {
              if (!part.contains(i)) {
                part.append(i, sample(problem, i));
                synchronized (count) {
                  finished.accept(++count[0]);
                }
              }
            }
          } catch (Throwable e) { // whatever it is, the caller must hear of it
            failure.compareAndSet(null, e);
          }
        };
    List<Thread> team = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      team.add(Thread.ofPlatform().name("generate-" + (t + 1)).daemon().start(work));
    }
    join(team, failure);
    switch (failure.get()) {
      case null -> {}
      case IOException e -> throw e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new IllegalStateException(e);
    }
  }

  // The team does not see what cancels the calling thread, which looks for it now and then.
  private static void join(List<Thread> team, AtomicReference<Throwable> failure) {
    boolean interrupted = false;
    for (Thread thread : team) {
      while (thread.isAlive()) {
        try {
          thread.join(LOOK_MILLIS);
          Cancellation.check();
        } catch (InterruptedException e) {
          interrupted = true;
          failure.compareAndSet(
              null, new CancellationException("the generation was ended: it was interrupted"));
        } catch (CancellationException e) {
          failure.compareAndSet(null, e);
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  // Twice through the samples in their order, as the notes at the head of the file hold the units.
  private void assemble(PartFile part, Path file) throws IOException {
    Problem problem = problem();
    Moments moments = new Moments(problem.channelCount());
    for (int i = 0; i < samples; i++) {
      moments.add(part.read(i).toDoubles());
    }
    Variation.check(problem, moments, type);
    Shape shape = problem.batch(samples);
    Normalization units = scaling.fit(problem, moments);
    String text = DatasetFile.notes(problem, units, origin());
    DatasetFile.write(
        file,
        text,
        type,
        shape,
        fields -> {
          for (int i = 0; i < samples; i++) {
            fields.append(part.read(i).reshape(shape.remove(0)));
          }
        });
  }

  // Once through the samples for each quantity, as an npz file holds one array after another.
  private void assemblePlain(PartFile part, Path file) throws IOException {
    Problem problem = problem();
    Grid grid = problem.grid();
    int frames = problem.frameCount();
    Shape plane = Shape.of(1, frames, grid.height(), grid.width());
    Shape one = problem.frames().isPresent() ? plane : plane.remove(1);
    try (Npz.Writer npz = Npz.writer(file)) {
      for (int q = 0; q < problem.quantities().size(); q++) {
        String name = problem.quantities().get(q).name();
        try (ArrayWriter array = npz.begin(name, type, one.with(0, samples))) {
          for (int i = 0; i < samples; i++) {
            Tensor field = part.read(i).reshape(problem.batch(1));
            array.append(field.slice(1, q * frames, (q + 1) * frames).reshape(one));
          }
          array.commit();
        }
      }
      for (Axis axis : Readings.axes(problem)) {
        double[] coordinates = new double[axis.points()];
        Arrays.setAll(coordinates, axis::coordinate);
        npz.add(axis.name(), Tensor.of(coordinates, coordinates.length));
      }
      npz.commit();
    }
  }

  private Map<String, Object> origin() {
    Map<String, Object> origin = new LinkedHashMap<>();
    origin.put("split", split);
    origin.put("seed", seed);
    origin.put("scaling", scaling.toString());
    origin.put("parameters", generator.parameters());
    notes.keySet().stream().sorted().forEach(key -> origin.put(key, notes.get(key)));
    return origin;
  }
}
