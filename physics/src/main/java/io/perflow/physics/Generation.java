package io.perflow.physics;

import io.perflow.physics.solver.FieldGenerator;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.disk.Disk;
import io.perflow.tensor.io.ArrayWriter;
import io.perflow.tensor.io.AtomicFile;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

/**
 * The generation of a data set file: each sample is computed on one thread, many at once, and an
 * interrupted run can be resumed.
 *
 * <p>Sample i is drawn only from {@code Rng.of(seed).split(name).split(split).split(i)}, so the
 * file has the same bits for any number of threads, and a longer run begins with the samples of a
 * shorter one. Finished samples are kept beside the file, in {@code FILE.part}, until the file is
 * complete; a run with the same settings finds them there. The file itself appears complete or not
 * at all.
 *
 * @param generator the generator of single samples, which knows their problem
 * @param split the name of the part of the data: train, val or test; parts are independent
 * @param seed the seed of the data
 * @param samples the number of samples
 * @param type the precision of the file
 * @param scaling the choice of the units for networks
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
  private static final int MOST_SHARDS = 64;

  public Generation {
    Check.that(samples > 0, "generate", "%d samples: ask for at least 1", samples);
    // Too many numbers for one tensor are refused now, not when all of them have been computed.
    generator.problem().batch(samples);
    notes = Map.copyOf(notes);
  }

  /** Returns the problem of the fields. */
  public Problem problem() {
    return generator.problem();
  }

  /** Returns the fields of one sample, channel after channel, in double precision. */
  public double[] sample(int index) {
    return sample(problem(), index);
  }

  // The problem is passed on, because a generator may make a new one on every call.
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
   * Generates the file.
   *
   * @param file a file named *.safetensors or *.npz, which is replaced if it exists
   * @param threads the number of samples computed at once
   * @param finished receives the number of finished samples, first those of an earlier run; may be
   *     called from any thread, but not by two at once
   * @throws IOException when writing fails; finished samples are kept for the next run
   * @throws CancellationException when the thread is interrupted or cancelled; likewise
   */
  public void run(Path file, int threads, IntConsumer finished) throws IOException {
    DatasetFile.Kind.of(file);
    run(file, threads, finished, this::assemble);
  }

  /**
   * Generates a plain npz file, like one written by another tool: an array (samples, rows,
   * columns), with frames (samples, frames, rows, columns), for each quantity, and arrays of
   * coordinates named like the axes. Threads and finished samples are handled as in {@link #run}.
   *
   * @param file a file named *.npz, which is replaced if it exists
   */
  public void runPlain(Path file, int threads, IntConsumer finished) throws IOException {
    Check.that(
        file.toString().toLowerCase(Locale.ROOT).endsWith(".npz"),
        "generate",
        "%s: a plain file is named *.npz",
        file);
    run(file, threads, finished, this::assemblePlain);
  }

  /** An assembly of finished samples into a file. */
  private interface Assembly {
    void make(Samples part, Path file) throws IOException;
  }

  /** The finished samples by their number. */
  private interface Samples {
    Tensor read(int index) throws IOException;
  }

  private void run(Path file, int threads, IntConsumer finished, Assembly assembly)
      throws IOException {
    Check.that(threads > 0, "generate", "%d threads: at least 1 is needed", threads);
    try (PartFile part = PartFile.open(partOf(file), identity(), sampleShape().size(), type)) {
      try {
        fill(part, new Shard(0, samples), threads, finished);
        assembly.make(part::read, file);
      } catch (IOException e) {
        throw new IOException(
            "%s; %d finished samples are kept in %s, run again to continue"
                .formatted(e.getMessage(), part.countBelow(samples), partOf(file)),
            e);
      }
      part.discard();
    }
  }

  // ---- by several machines

  /**
   * A range of samples that one machine computes.
   *
   * @param from the first sample
   * @param to the sample after the last one
   */
  public record Shard(int from, int to) implements Serializable {}

  /**
   * Divides all samples into shards. The shards depend on the number of samples alone, so that a
   * new run finds those that an earlier one has finished.
   */
  public List<Shard> shards() {
    int size = (samples + MOST_SHARDS - 1) / MOST_SHARDS;
    List<Shard> shards = new ArrayList<>();
    for (int from = 0; from < samples; from += size) {
      shards.add(new Shard(from, Math.min(samples, from + size)));
    }
    return shards;
  }

  /**
   * Computes the samples of a shard and keeps them beside the file, complete or not at all. Any
   * number of processes may do so at once, even for the same shard. A shard that exists already is
   * left as it is.
   *
   * @param file the file that {@link #join} will write, in a directory that all machines share
   */
  public void make(Shard shard, Path file, int threads) throws IOException {
    Path done = shardOf(file, shard);
    if (Files.exists(done)) {
      try (PartFile found = open(done)) {
        if (found.countBelow(samples) == shard.to() - shard.from()) {
          return;
        }
      }
    }
    Path own = done.resolveSibling(done.getFileName() + "." + UUID.randomUUID());
    try (PartFile part = open(own)) {
      fill(part, shard, threads, _ -> {});
    } catch (IOException | RuntimeException e) {
      Disk.current().delete(own);
      throw e;
    }
    AtomicFile.move(own, done);
  }

  private PartFile open(Path path) throws IOException {
    return PartFile.open(path, identity(), sampleShape().size(), type);
  }

  private static Path shardOf(Path file, Shard shard) {
    return Path.of(partOf(file) + "-%d-%d".formatted(shard.from(), shard.to()));
  }

  /**
   * Joins the shards into the file that {@link #run} or {@link #runPlain} would write, with the
   * same bytes, and removes the shards and whatever lost machines have left behind.
   */
  public void join(Path file, boolean plain) throws IOException {
    List<Shard> shards = shards();
    List<PartFile> parts = new ArrayList<>();
    try {
      for (Shard shard : shards) {
        parts.add(open(shardOf(file, shard)));
      }
      int size = shards.getFirst().to();
      Samples all = index -> parts.get(index / size).read(index);
      if (plain) {
        assemblePlain(all, file);
      } else {
        assemble(all, file);
      }
      parts.forEach(PartFile::discard);
    } finally {
      for (PartFile part : parts) {
        part.close();
      }
    }
    Path directory = file.toAbsolutePath().getParent();
    try (DirectoryStream<Path> left =
        Files.newDirectoryStream(directory, partOf(file).getFileName() + "-*")) {
      for (Path stray : left) {
        Disk.current().delete(stray);
      }
    }
  }

  /** Returns the file in which the finished samples of an unfinished file are kept. */
  public static Path partOf(Path file) {
    return file.resolveSibling(file.getFileName() + ".part");
  }

  /**
   * Describes a file of finished samples in words: how many there are, of which problem, and
   * whether the last one is cut short. A run that makes the file may be under way.
   *
   * @throws io.perflow.tensor.io.FileFormatException when it is not such a file
   */
  public static String describePart(Path part) throws IOException {
    return PartFile.describe(part);
  }

  private Shape sampleShape() {
    return problem().batch(1).remove(0);
  }

  // This is everything that a sample depends on, except its index. Neither the number of samples
  // nor the units are part of it: finished samples serve a longer run as well.
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

  private void fill(PartFile part, Shard shard, int threads, IntConsumer finished)
      throws IOException {
    Problem problem = problem();
    int[] count = {part.countBelow(samples)};
    finished.accept(count[0]);
    AtomicInteger next = new AtomicInteger(shard.from());
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Runnable work =
        () -> {
          try {
            for (int i; (i = next.getAndIncrement()) < shard.to() && failure.get() == null; ) {
              if (!part.contains(i)) {
                part.append(i, sample(problem, i));
                synchronized (count) {
                  finished.accept(++count[0]);
                }
              }
            }
          } catch (Throwable e) { // the caller must receive any exception
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

  // The worker threads do not see a cancellation of the calling thread, so that thread checks for
  // it from time to time.
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

  // Goes twice through the samples in their order, because the notes at the head of the file hold
  // the units.
  private void assemble(Samples part, Path file) throws IOException {
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

  // Goes through the samples once for each quantity, because an npz file holds one array after
  // another.
  private void assemblePlain(Samples part, Path file) throws IOException {
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
