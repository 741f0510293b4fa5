package io.perflow.cluster.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.cli.Main;
import io.perflow.nn.distributed.Engine;
import io.perflow.nn.distributed.Gang;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Processes that mpiexec starts find the bits of threads, and end with a reason. */
final class MpiTest {
  @TempDir Path directory;

  static List<Launcher> launchers() {
    return Launcher.all();
  }

  @Test
  void thereIsAnMpiToTest() {
    assertTrue(!launchers().isEmpty(), "mpiexec is not on the PATH: install MPICH or Open MPI");
  }

  private static List<Long> threads(int ranks) {
    try (Engine engine = Engine.local(ranks)) {
      return engine.gang(Gang.of(ranks), new Programs.Sums());
    }
  }

  private static void expect(int exit, String line, Launcher.Ended ended) {
    assertTrue(ended.out().contains(line), "'%s' is not in: %s".formatted(line, ended.out()));
    if (exit == 0) {
      assertEquals(0, ended.exit(), ended.out());
    } else {
      assertNotEquals(0, ended.exit(), ended.out());
    }
  }

  @ParameterizedTest
  @MethodSource("launchers")
  void sumsHaveTheBitsOfThreads(Launcher mpi) throws Exception {
    for (int ranks = 1; ranks <= 4; ranks++) {
      Launcher.Ended ended = mpi.run(directory, ranks, "sums");
      expect(0, "found " + threads(ranks), ended);
      expect(0, "found begun by rank 0", ended);
    }
    expect(0, "found " + threads(2), mpi.run(directory, 3, "fewer"));
  }

  @ParameterizedTest
  @MethodSource("launchers")
  void itemsAreSharedAndKeepTheirOrder(Launcher mpi) throws Exception {
    Launcher.Ended ended = mpi.run(directory, 3, "items");
    expect(1, "found [0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100]", ended);
    expect(1, "found item 4: no square of -4", ended);
  }

  @ParameterizedTest
  @MethodSource("launchers")
  void trainingHasTheWeightsOfOneProcess(Launcher mpi) throws Exception {
    String weights = undisturbed();
    for (int ranks : new int[] {2, 3}) {
      String run = directory.resolve("run" + ranks).toString();
      expect(0, same(weights, ranks), mpi.run(directory, ranks, "train", run));
    }
  }

  private String undisturbed() {
    try (Engine engine = Engine.local(1)) {
      String run = directory.resolve("one").toString();
      return engine.gang(Gang.of(1), new Programs.Training(run, "")).getFirst().toString();
    }
  }

  private static String same(String weights, int ranks) {
    return "found " + Collections.nCopies(ranks, weights);
  }

  @ParameterizedTest
  @MethodSource("launchers")
  void aJobWhoseRankDiesGoesOnWhenStartedAgain(Launcher mpi) throws Exception {
    String run = directory.resolve("dies").toString();
    assertNotEquals(0, mpi.run(directory, 2, "dies", run).exit());
    expect(0, same(undisturbed(), 2), mpi.run(directory, 2, "train", run));
  }

  @ParameterizedTest
  @MethodSource("launchers")
  void aRankThatFailsIsNamedWithItsReason(Launcher mpi) throws Exception {
    String run = directory.resolve("fails").toString();
    expect(1, "found rank 1: out of order", mpi.run(directory, 3, "fails", run));
  }

  @ParameterizedTest
  @MethodSource("launchers")
  void aRankThatFallsSilentIsNamedAfterTheDeadline(Launcher mpi) throws Exception {
    String run = directory.resolve("stops").toString();
    Launcher.Ended ended = mpi.run(directory, 3, "stops", run);
    // rank 0 notices first, or hears it from rank 2
    assertTrue(
        ended
            .out()
            .matches(
                "(?s).*found rank 1 (did not answer within 5 s|is lost, as another rank reports)"
                    + ", during step 8.*"),
        ended.out());
    assertNotEquals(0, ended.exit());
  }

  @ParameterizedTest
  @MethodSource("launchers")
  void mistakesAreToldInOneLine(Launcher mpi) throws Exception {
    expect(1, "the ranks do different things", mpi.run(directory, 2, "misfits"));
    expect(1, "3 ranks are asked for, and mpiexec has started 2", mpi.run(directory, 2, "more"));
    assertEquals(3, mpi.run(directory, 2, "exit").exit());
  }

  @ParameterizedTest
  @MethodSource("launchers")
  void aFileThatARankMissesIsToldAsTheCommandTellsIt(Launcher mpi) throws Exception {
    String[] train = {MpiMain.class.getName(), Main.class.getName(), "--master", "mpi", "train"};
    List<String> line = new ArrayList<>(List.of(train));
    line.addAll(List.of("--data", "nowhere.safetensors", "--out", directory + "/run"));
    Launcher.Ended ended = mpi.run(directory, 2, List.of(), line.toArray(String[]::new));
    expect(1, "nowhere.safetensors: there is no such file", ended);
  }

  @ParameterizedTest
  @MethodSource("launchers")
  void aLibraryThatIsNoneOrThatOfAnotherMpiIsNamed(Launcher mpi) throws Exception {
    String[] sums = Launcher.program("sums");
    expect(
        1,
        "nowhere.so cannot be loaded as the MPI library",
        mpi.run(directory, 1, List.of("-Dperflow.mpi=/nowhere.so"), sums));
    expect(
        1,
        "libz.so.1 is no MPI library",
        mpi.run(directory, 1, List.of("-Dperflow.mpi=libz.so.1"), sums));
    if (launchers().size() == 2) {
      String other = mpi.command().endsWith("mpich") ? "libmpi.so.40" : "libmpich.so.12";
      expect(
          1,
          "2 processes were started, and " + other + " sees 1",
          mpi.run(directory, 2, List.of("-Dperflow.mpi=" + other), sums));
    }
  }
}
