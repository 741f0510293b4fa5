package io.perflow.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.flow.FieldErrors;
import io.perflow.flow.FlowSampler;
import io.perflow.flow.Judge;
import io.perflow.flow.Observations;
import io.perflow.flow.OdeSolver;
import io.perflow.flow.RectifiedFlow;
import io.perflow.nn.Initializer;
import io.perflow.nn.distributed.CarriedFile;
import io.perflow.nn.distributed.Collective;
import io.perflow.nn.distributed.Engine;
import io.perflow.nn.distributed.Gang;
import io.perflow.nn.distributed.Parcel;
import io.perflow.nn.distributed.PerProcess;
import io.perflow.nn.distributed.Reduction;
import io.perflow.nn.distributed.Wire;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Ensembles, sensor sweeps and news of ranks, on executors that are real processes. */
@Timeout(120)
@ExtendWith(Cluster.class)
final class SharedWorkTest {
  private static final int FIELDS = 4;

  @TempDir Path directory;
  private PerProcess<RectifiedFlow> model;

  @BeforeEach
  void writeModel() throws IOException {
    RectifiedFlow flow = TinyFlow.flow();
    Initializer.nonZero(flow.network(), Rng.of(2));
    Path file = directory.resolve("model.safetensors");
    flow.save(file);
    CarriedFile carried = CarriedFile.of(file);
    Files.delete(file); // executors have no other copy
    String place = directory.toString();
    model =
        PerProcess.of(
            () -> {
              Files.createTempFile(Path.of(place), ProcessHandle.current().pid() + "-", ".loaded");
              return carried.read(RectifiedFlow::load);
            });
  }

  /** Every process that had a part to do has loaded the model once. */
  private void assertLoadedOnceByProcess() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      List<String> processes =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.endsWith(".loaded"))
              .map(name -> name.substring(0, name.indexOf('-')))
              .filter(process -> !process.equals("" + ProcessHandle.current().pid()))
              .toList();
      assertTrue(!processes.isEmpty(), "no executor has loaded the model");
      assertEquals(processes.stream().distinct().toList(), processes);
    }
  }

  private static FlowSampler sampler(RectifiedFlow flow) {
    return FlowSampler.of(flow).solver(OdeSolver.of("euler", 2)).batch(2);
  }

  /** A test field with some sensors. */
  private record Case(int sensors, int field) implements Serializable {}

  /** Judges cases. */
  private record Sweep(PerProcess<RectifiedFlow> model) implements Engine.Work<Case, FieldErrors> {
    @Override
    public FieldErrors of(Case item) throws Exception {
      RectifiedFlow flow = model.get();
      Problem problem = flow.config().problem();
      problem = problem.with(problem.sensors().count(item.sensors, item.sensors));
      Tensor fields = TinyFlow.fields(FIELDS);
      Tensor planes = problem.masks().draw(Rng.of(item.sensors), FIELDS);
      Judge judge = new Judge(sampler(flow), problem, TinyFlow.UNITS, 2, true);
      return judge.errors(
          fields.slice(0, item.field, item.field + 1).contiguous(),
          Observations.of(fields, planes).select(item.field),
          Rng.of(3).split(item.field));
    }
  }

  @Test
  void aSensorSweepFindsTheErrorsOfOneProcess() throws IOException {
    List<Case> cases =
        Stream.of(2, 4, 8)
            .flatMap(s -> IntStream.range(0, FIELDS).mapToObj(field -> new Case(s, field)))
            .toList();
    Sweep sweep = new Sweep(model);
    List<FieldErrors> found = Cluster.engine().map(cases, sweep);
    List<FieldErrors> expected = Engine.local(1).map(cases, sweep);
    for (int i = 0; i < cases.size(); i++) {
      assertEquals(expected.get(i).relativeL2(), found.get(i).relativeL2(), "" + cases.get(i));
      assertEquals(expected.get(i).misfit(), found.get(i).misfit(), "" + cases.get(i));
    }
    assertLoadedOnceByProcess();
  }

  /** Draws two samples from some readings, beginning with a number. */
  private record Drawing(PerProcess<RectifiedFlow> model) implements Engine.Work<Integer, Parcel> {
    @Override
    public Parcel of(Integer first) throws Exception {
      return Parcel.of(draw(model.get(), first, 2));
    }
  }

  private static Tensor draw(RectifiedFlow flow, int first, int count) {
    Problem problem = flow.config().problem();
    Tensor field = TinyFlow.UNITS.denormalize(TinyFlow.fields(1));
    Readings readings = Readings.observe(problem, field, problem.masks().draw(Rng.of(4), 1));
    return sampler(flow).draw(readings, count, Rng.of(5).from(first)).samples();
  }

  @Test
  void anEnsembleHasTheSamplesOfOneProcess() throws Exception {
    List<Parcel> parts = Cluster.engine().map(List.of(0, 2, 4, 6), new Drawing(model));
    Tensor found = Tensor.concat(0, parts.stream().map(Parcel::tensor).toArray(Tensor[]::new));
    assertArrayEquals(draw(model.get(), 0, 8).toFloats(), found.toFloats());
    assertLoadedOnceByProcess();
  }

  @Test
  void halfThePrecisionOnTheWireGivesAllRanksTheSameWeights() {
    TinyTraining training = new TinyTraining(directory.toString(), Trouble.none());
    Gang rough = Gang.of(2).sums(Reduction.FIXED_ORDER, Wire.BF16);
    List<Long> found = Cluster.engine().gang(rough, training);
    assertEquals(found.get(0), found.get(1));
    TinyTraining alone = new TinyTraining(directory.resolve("alone").toString(), Trouble.none());
    assertNotEquals(Engine.local(1).gang(Gang.of(1), alone).getFirst(), found.getFirst());
  }

  /** Tells how far it is and waits until the first news have been heard. */
  private record Telling(String heard) implements Engine.RankWork<Integer> {
    @Override
    public Integer of(Collective ranks) throws InterruptedException {
      ranks.tell("begun by rank " + ranks.rank());
      while (ranks.rank() == 0 && Files.notExists(Path.of(heard))) {
        TimeUnit.MILLISECONDS.sleep(50);
      }
      for (int step = 0; step < 3; step++) {
        ranks.tell(step);
      }
      return ranks.rank();
    }
  }

  @Test
  void newsOfTheFirstRankAreHeardWhileItIsAtWork() {
    Path heard = directory.resolve("heard");
    List<Serializable> news = new ArrayList<>();
    Gang gang =
        Gang.of(2)
            .listener(
                each -> {
                  news.add(each);
                  try {
                    Files.writeString(heard, "");
                  } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                  }
                });
    assertEquals(List.of(0, 1), Cluster.engine().gang(gang, new Telling(heard.toString())));
    assertEquals(List.of("begun by rank 0", 0, 1, 2), news);
  }
}
