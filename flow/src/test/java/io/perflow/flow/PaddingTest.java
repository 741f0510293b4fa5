package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Axis;
import io.perflow.physics.Grid;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.Sensors;
import io.perflow.physics.constraint.Certificate;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Grids that the factor of a U-Net does not divide. */
class PaddingTest {
  @TempDir Path directory;

  private static Axis axis(String name, int points, boolean periodic) {
    return periodic ? Axis.periodic(name, 0, 1, points) : Axis.of(name, 0, 1, points);
  }

  @Property(tries = 60)
  void croppingUndoesPadding(
      @ForAll @IntRange(min = 1, max = 20) int height,
      @ForAll @IntRange(min = 1, max = 20) int width,
      @ForAll @IntRange(min = 1, max = 9) int factor,
      @ForAll boolean down,
      @ForAll boolean across) {
    Grid grid = new Grid(axis("y", height, down), axis("x", width, across));
    Padding padding = Padding.of(grid, factor);
    Tensor x = Rng.of(1).normal(Shape.of(2, 3, height, width));
    Tensor padded = padding.pad(x);
    assertEquals((height + factor - 1) / factor * factor, padded.dim(2));
    assertEquals((width + factor - 1) / factor * factor, padded.dim(3));
    assertEquals(height % factor == 0 && width % factor == 0, padding.isEmpty());
    Tensor cropped = padding.crop(padded);
    assertEquals(x.shape(), cropped.shape());
    assertArrayEquals(x.toFloats(), cropped.toFloats());
  }

  @Test
  void axesAreContinuedByTheirPeriodOrTheValueAtTheWall() {
    Grid grid = new Grid(axis("y", 1, false), axis("x", 5, true));
    Tensor row = Tensor.of(new float[] {0, 1, 2, 3, 4}, 1, 1, 1, 5);
    Padding round = new Padding(null, Padding.of(grid, 4).columns(), grid);
    assertArrayEquals(new float[] {4, 0, 1, 2, 3, 4, 0, 1}, round.pad(row).toFloats());
    Grid walls = new Grid(axis("y", 1, false), axis("x", 5, false));
    Padding level = new Padding(null, Padding.of(walls, 4).columns(), walls);
    assertArrayEquals(new float[] {0, 0, 1, 2, 3, 4, 4, 4}, level.pad(row).toFloats());
  }

  private static Problem.Builder sized(boolean down, boolean across) {
    return Problem.named("odd")
        .axis(axis("y", 10, down))
        .axis(axis("x", 14, across))
        .sensors(Sensors.points(3));
  }

  // a factor of 4 makes 12 x 16 points of 10 x 14
  private void trainsAndHolds(Problem problem, FlowConfig.Head head, String quantity)
      throws IOException {
    FlowConfig config = Small.config(problem, 0);
    assertEquals(head, config.head());
    assertEquals(4, config.network().multiple());
    RectifiedFlow flow = Small.flow(config);
    TrainConfig settings = TrainConfig.fast(2, 2, 1);
    DataSource data = DataSource.of(problem, Small.fields(flow, 4), settings);
    new Trainer(flow, data, settings, directory.resolve(problem.name() + quantity)).train();
    Readings readings = Readings.of(problem).at(quantity, 0.1, 0.5, 0.5).build();
    Reconstruction made =
        PerFlow.of(flow)
            .reconstruct(readings)
            .samples(2)
            .solver(OdeSolver.euler(3))
            .draw(Rng.of(5));
    assertTrue(made.fields().samples().square().mean().item() > 1e-4);
    assertEquals(problem.constraints().size(), made.certificate().worst().size());
    for (Certificate.Entry entry : made.certificate().worst()) {
      assertEquals(0, entry.physical().max(), 1e-11, entry.constraint());
    }
  }

  @Test
  void aPeriodicFlowOfAnySizeTrainsAndHoldsItsConstraints() throws IOException {
    Problem problem =
        sized(true, true)
            .channel("u")
            .channel("v")
            .vector("u", "v")
            .constrain("divergence-free")
            .build();
    trainsAndHolds(problem, FlowConfig.Head.STREAM_FUNCTION, "u");
  }

  @Test
  void aWalledFieldOfAnySizeTrainsAndHoldsItsConstraints() throws IOException {
    Problem problem =
        sized(false, false)
            .channel("T")
            .constrain("mass:T=0.2")
            .constrain("dirichlet:T=-1")
            .build();
    trainsAndHolds(problem, FlowConfig.Head.DIRECT, "T");
  }

  @Test
  void aChannelOfAnySizeTrainsAndHoldsItsConstraints() throws IOException {
    Problem problem = sized(false, true).channel("T").constrain("mass:T@x=0").build();
    trainsAndHolds(problem, FlowConfig.Head.DIRECT, "T");
  }

  @Test
  void aLineTrainsAndHoldsItsConstraints() throws IOException {
    Problem problem =
        Problem.named("rod")
            .axis(Axis.of("y", 0, 1, 1))
            .axis(Axis.of("x", 0, 1, 30))
            .channel("T")
            .constrain("mass:T=0.2")
            .sensors(Sensors.points(3))
            .build();
    trainsAndHolds(problem, FlowConfig.Head.DIRECT, "T");
  }

  @Test
  void networksWrapRoundOnlyWhereNothingIsInTheWay() {
    Problem problem =
        Problem.named("half")
            .axis(axis("y", 10, true))
            .axis(axis("x", 16, true))
            .channel("T")
            .build();
    FlowConfig config = Small.config(problem, 0);
    assertEquals(config.network(), config.network().periodic(false, true));
  }
}
