package io.perflow.physics;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.solver.Burgers;
import io.perflow.physics.solver.FieldGenerator;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.ShapeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GenerationTest {
  @TempDir Path directory;

  private static final Burgers BURGERS = Burgers.paper().size(8, 16).substeps(16);

  private static Generation generation(FieldGenerator generator, long seed, int samples) {
    return generation(generator, "train", seed, samples);
  }

  private static Generation generation(
      FieldGenerator generator, String split, long seed, int samples) {
    return new Generation(
        generator, split, seed, samples, DataType.F32, Scaling.UNIT, Map.of("preset", "paper"));
  }

  private Path make(String name, Generation generation, int threads) throws IOException {
    Path file = directory.resolve(name);
    generation.run(file, threads, count -> {});
    assertFalse(Files.exists(Generation.partOf(file)));
    return file;
  }

  @ParameterizedTest
  @ValueSource(strings = {".safetensors", ".npz"})
  void theFileHasTheSameBitsForAnyNumberOfThreads(String suffix) throws IOException {
    Generation generation = generation(BURGERS, 7, 23);
    byte[] one = Files.readAllBytes(make("one" + suffix, generation, 1));
    for (int threads : new int[] {2, 3, 8, 40}) {
      byte[] many = Files.readAllBytes(make("many" + suffix, generation, threads));
      assertArrayEquals(one, many, threads + " threads");
    }
  }

  @Test
  void theFileIsADatasetOfItsSamplesInTheirOrder() throws IOException {
    Generation generation = generation(BURGERS, 7, 12);
    Dataset data = Dataset.read(make("x.safetensors", generation, 3));
    assertEquals(12, data.size());
    for (int i = 0; i < 12; i++) {
      double[] sample = generation.sample(i);
      float[] rounded = new float[sample.length];
      for (int j = 0; j < sample.length; j++) {
        rounded[j] = (float) sample[j];
      }
      assertArrayEquals(rounded, data.fields().select(0, i).toFloats(), "sample " + i);
    }
    assertEquals(
        Normalization.fit(data.fields(), BURGERS.problem().groups()), data.normalization());
    assertEquals("train", data.origin().get("split"));
    assertEquals(7L, data.origin().get("seed"));
    assertEquals("paper", data.origin().get("preset"));
    assertTrue(data.origin().get("parameters").toString().contains("viscosity=0.01"));
  }

  @Test
  void samplesDependOnSeedSplitAndIndexAlone() {
    Generation generation = generation(BURGERS, 7, 5);
    double[] sample = generation.sample(3);
    assertArrayEquals(sample, generation(BURGERS, 7, 100).sample(3));
    List<double[]> others =
        List.of(
            generation.sample(4),
            generation(BURGERS, 8, 5).sample(3),
            generation(BURGERS, "test", 7, 5).sample(3));
    for (double[] other : others) {
      assertFalse(Arrays.equals(sample, other));
    }
  }

  /** Burgers that fails when it has made a number of samples, as a full disk or a kill would. */
  private record Failing(AtomicInteger left, RuntimeException failure) implements FieldGenerator {
    @Override
    public Problem problem() {
      return BURGERS.problem();
    }

    @Override
    public Map<String, Object> parameters() {
      return BURGERS.parameters();
    }

    @Override
    public double[] sample(Rng rng) {
      if (left.getAndDecrement() <= 0) {
        throw failure;
      }
      return BURGERS.sample(rng);
    }
  }

  private Path interrupted(int finished, int threads) {
    Path file = directory.resolve("x.safetensors");
    var stop = new IllegalStateException("stopped");
    var failing = new Failing(new AtomicInteger(finished), stop);
    var e =
        assertThrows(
            IllegalStateException.class,
            () -> generation(failing, 7, 20).run(file, threads, count -> {}));
    assertEquals(stop, e);
    assertFalse(Files.exists(file), "no half-written file");
    assertTrue(Files.exists(Generation.partOf(file)));
    return file;
  }

  @Test
  void aRunGoesOnWhereItWasStopped() throws IOException {
    Path whole = make("whole.safetensors", generation(BURGERS, 7, 20), 1);
    Path file = interrupted(9, 2);
    var left = new AtomicInteger(11); // no sample is made twice
    List<Integer> counts = new ArrayList<>();
    var rest = new Failing(left, new IllegalStateException("made again"));
    generation(rest, 7, 20).run(file, 2, counts::add);
    assertEquals(0, left.get());
    assertEquals(IntStream.rangeClosed(9, 20).boxed().toList(), counts);
    assertEquals(-1, Files.mismatch(whole, file));
    assertFalse(Files.exists(Generation.partOf(file)));
  }

  @Test
  void aRunThatWasInterruptedGoesOn() throws IOException {
    Path whole = make("whole.safetensors", generation(BURGERS, 7, 20), 1);
    Path file = directory.resolve("x.safetensors");
    Thread runner = Thread.currentThread();
    assertThrows(
        CancellationException.class,
        () ->
            generation(BURGERS, 7, 20)
                .run(
                    file,
                    1,
                    count -> {
                      if (count == 5) {
                        runner.interrupt();
                        LockSupport.parkNanos(200_000_000); // the runner stops the others
                      }
                    }));
    assertTrue(Thread.interrupted());
    assertTrue(Files.exists(Generation.partOf(file)));
    generation(BURGERS, 7, 20).run(file, 1, count -> {});
    assertEquals(-1, Files.mismatch(whole, file));
  }

  @Test
  void atAnyByteThePartFileWasCut() throws IOException {
    Path whole = make("whole.safetensors", generation(BURGERS, 7, 20), 1);
    Path file = interrupted(3, 1);
    byte[] part = Files.readAllBytes(Generation.partOf(file));
    for (int length = 0; length <= part.length; length += length < 300 ? 13 : 97) {
      Files.write(Generation.partOf(file), Arrays.copyOf(part, length));
      Files.deleteIfExists(file);
      generation(BURGERS, 7, 20).run(file, 2, count -> {});
      assertEquals(-1, Files.mismatch(whole, file), "cut at " + length);
    }
  }

  @Test
  void aDamagedRecordIsMadeAgain() throws IOException {
    Path whole = make("whole.safetensors", generation(BURGERS, 7, 20), 1);
    Path file = interrupted(5, 1);
    byte[] part = Files.readAllBytes(Generation.partOf(file));
    int record = 8 + 8 * 16 * 4;
    part[part.length - 2 * record - 1] ^= 1;
    Files.write(Generation.partOf(file), part);
    List<Integer> counts = new ArrayList<>();
    generation(BURGERS, 7, 20).run(file, 1, counts::add);
    assertEquals(2, counts.getFirst(), "the damaged one of five and those behind it are lost");
    assertEquals(-1, Files.mismatch(whole, file));
  }

  @Test
  void moreSamplesBuildOnAnUnfinishedRunAndFewerTakeTheirShare() throws IOException {
    Path longer = make("longer.safetensors", generation(BURGERS, 7, 25), 1);
    Path file = interrupted(9, 1);
    generation(BURGERS, 7, 25).run(file, 2, count -> {});
    assertEquals(-1, Files.mismatch(longer, file));

    Path shorter = make("shorter.safetensors", generation(BURGERS, 7, 4), 1);
    Files.delete(file);
    interrupted(9, 1);
    List<Integer> counts = new ArrayList<>();
    generation(BURGERS, 7, 4).run(file, 2, counts::add);
    assertEquals(List.of(4), counts);
    assertEquals(-1, Files.mismatch(shorter, file));
  }

  @Test
  void otherSettingsDoNotMix() throws IOException {
    Path file = interrupted(4, 1);
    for (Generation other :
        List.of(
            generation(BURGERS, 8, 20),
            generation(BURGERS, "val", 7, 20),
            generation(BURGERS.substeps(17), 7, 20))) {
      var e = assertThrows(IOException.class, () -> other.run(file, 1, count -> {}));
      assertTrue(e.getMessage().contains("other settings"), e.getMessage());
    }
    Files.writeString(Generation.partOf(file), "somebody's own notes, not to be lost");
    var e =
        assertThrows(IOException.class, () -> generation(BURGERS, 7, 20).run(file, 1, count -> {}));
    assertTrue(e.getMessage().contains("not a file of finished samples"), e.getMessage());
  }

  @Test
  void twoRunsOfOneFileAreRefused() throws IOException {
    Path file = directory.resolve("x.npz");
    List<String> messages = new ArrayList<>();
    Generation generation = generation(BURGERS, 7, 3);
    generation.run(
        file,
        1,
        count -> {
          if (count == 1) {
            var e = assertThrows(IOException.class, () -> generation.run(file, 1, c -> {}));
            messages.add(e.getMessage());
          }
        });
    String owner = "is in use by process " + ProcessHandle.current().pid() + " since ";
    assertTrue(messages.getFirst().contains(owner), messages.toString());
    assertEquals(3, Dataset.read(file).size());
  }

  /** A simulator of a user's own: a constant field, and a count of its calls. */
  private record Own(int height, int numbers, AtomicInteger asked) implements FieldGenerator {
    @Override
    public Problem problem() {
      asked.incrementAndGet();
      return Problem.named("own").axis("y", 0, 1, height).axis("x", 0, 1, 6).channel("T").build();
    }

    @Override
    public Map<String, Object> parameters() {
      return Map.of();
    }

    @Override
    public double[] sample(Rng rng) {
      double[] field = new double[numbers];
      Arrays.fill(field, rng.nextDouble());
      return field;
    }
  }

  @Test
  void aSimulatorOfOnesOwnMakesADatasetOfItsProblem() throws IOException {
    Own own = new Own(4, 24, new AtomicInteger());
    Dataset data = Dataset.read(make("own.npz", generation(own, 7, 5), 2));
    assertEquals(own.problem(), data.problem());
    assertEquals(
        (float) Rng.of(7).split("own").split("train").split(3).nextDouble(),
        data.fields().select(0, 3).toFloats()[0]);
  }

  @Test
  void moreSamplesDoNotAskForTheProblemMoreOften() throws IOException {
    AtomicInteger few = new AtomicInteger();
    make("few.npz", generation(new Own(4, 24, few), 7, 2), 1);
    AtomicInteger many = new AtomicInteger();
    make("many.npz", generation(new Own(4, 24, many), 7, 50), 1);
    assertEquals(few.get(), many.get());
  }

  @Test
  void samplesOfAnotherLengthAreRefused() {
    Generation generation = generation(new Own(4, 23, new AtomicInteger()), 7, 5);
    var e = assertThrows(ShapeException.class, () -> generation.sample(2));
    assertEquals(
        "[generate] sample 2 of own has 23 numbers, fields of shape [1, 4, 6] have 24",
        e.getMessage());
  }

  @Test
  void finishedSamplesOfAnotherGridDoNotMix() throws IOException {
    Path file = directory.resolve("own.npz");
    IntConsumer stop =
        count -> {
          if (count == 2) {
            throw new IllegalStateException("stopped");
          }
        };
    Generation small = generation(new Own(4, 24, new AtomicInteger()), 7, 5);
    assertThrows(IllegalStateException.class, () -> small.run(file, 1, stop));
    Generation large = generation(new Own(8, 48, new AtomicInteger()), 7, 5);
    var e = assertThrows(IOException.class, () -> large.run(file, 1, count -> {}));
    assertTrue(e.getMessage().contains("other settings"), e.getMessage());
  }

  @Test
  void aSolverThatBlowsUpIsNamed() {
    Burgers unstable = new Burgers(8, 16, 1e-9, 0.1, 1, 1e9, false, 1);
    Path file = directory.resolve("x.npz");
    var e =
        assertThrows(
            ArithmeticException.class, () -> generation(unstable, 7, 3).run(file, 2, count -> {}));
    assertTrue(e.getMessage().contains("[burgers] the solution grew"), e.getMessage());
    assertFalse(Files.exists(file));
    assertFalse(Files.exists(Generation.partOf(file)), "nothing was finished");
  }

  @Test
  void badRequestsAreRefusedBeforeWorkBegins() {
    assertThrows(ShapeException.class, () -> generation(BURGERS, 7, 0));
    assertThrows(ShapeException.class, () -> generation(BURGERS, 7, Integer.MAX_VALUE));
    Generation good = generation(BURGERS, 7, 2);
    assertThrows(ShapeException.class, () -> good.run(directory.resolve("x.npz"), 0, count -> {}));
    assertThrows(
        IllegalArgumentException.class, () -> good.run(directory.resolve("x.h5"), 1, c -> {}));
    var e =
        assertThrows(
            IOException.class, () -> good.run(directory.resolve("no/x.npz"), 1, count -> {}));
    assertTrue(e.getMessage().contains("create it first"), e.getMessage());
  }
}
