package gallery;

import io.perflow.cli.figure.FieldPanel;
import io.perflow.cli.figure.Figure;
import io.perflow.physics.Axis;
import io.perflow.physics.Grid;
import io.perflow.physics.constraint.Projector;
import io.perflow.physics.constraint.StaggeredFlow;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleBinaryOperator;

/**
 * A picture of velocities that ignore all walls, and of the nearest ones that are incompressible
 * and respect them: a stream past obstacles in a channel, and eddies in a lake with an island.
 */
final class Obstacles implements Picture {
  private static final int N = 80;

  private final List<String> numbers = new ArrayList<>();

  @Override
  public String name() {
    return "obstacles.png";
  }

  @Override
  public Figure figure() {
    Axis between = Axis.of("y", 0, 1, N).cells();
    StaggeredFlow channel =
        StaggeredFlow.on(new Grid(Axis.periodic("x", 0, 1, N), between))
            .around(mask(Obstacles::inObstacle));
    Tensor east = Tensor.of(new double[] {1, 0}, 1, 2, 1, 1);
    Tensor stream = Planes.smooth(N, Rng.of(1)).mul(0.25).add(east);
    StaggeredFlow lake =
        StaggeredFlow.on(new Grid(Axis.of("x", 0, 1, N).cells(), between))
            .around(mask(Obstacles::onLand));
    return Figure.of()
        .row("channel", row(channel, mask(Obstacles::inObstacle), stream, 0.09))
        .row("lake", row(lake, mask(Obstacles::onLand), Planes.smooth(N, Rng.of(5)), 0.05));
  }

  private FieldPanel[] row(StaggeredFlow law, Tensor solid, Tensor given, double flowBetween) {
    Tensor flow = Projector.onto(law).project(given);
    numbers.add(
        "largest divergence %.1f before, %.1e after"
            .formatted(largest(law.divergence(given)), largest(law.divergence(flow))));
    Tensor before = Planes.speed(given);
    Tensor after = Planes.speed(law.toCells(flow));
    double top = Math.ceil(10 * largest(after)) / 10;
    // the flow through all faces below a corner of cells
    Tensor psi = flow.slice(1, 0, 1).squeeze(0).squeeze(0).cumsum(1).mul(1.0 / N);
    return new FieldPanel[] {
      Planes.map("given: speed", Planes.without(before, solid)).range(0, top),
      Planes.map("nearest flow: speed", Planes.without(after, solid)).range(0, top).colorBar(""),
      Planes.map("its streamlines", Planes.without(Planes.streamlines(psi, flowBetween), solid))
          .range(-1.2, 1.2)
    };
  }

  private static double largest(Tensor x) {
    return x.abs().max(false).item();
  }

  // 1 where a function of the centres of cells is positive
  private static Tensor mask(DoubleBinaryOperator inside) {
    double[] mask = new double[N * N];
    for (int i = 0; i < mask.length; i++) {
      double x = (i / N + 0.5) / N;
      double y = (i % N + 0.5) / N;
      mask[i] = inside.applyAsDouble(x, y) > 0 ? 1 : 0;
    }
    return Tensor.of(mask, N, N);
  }

  private static double inObstacle(double x, double y) {
    double disc = 0.13 - Math.hypot(x - 0.3, y - 0.58);
    double pebble = 0.06 - Math.hypot(x - 0.62, y - 0.25);
    double plate = 0.025 - Math.max(Math.abs(x - 0.78), Math.abs(y - 0.72) - 0.12);
    return Math.max(disc, Math.max(pebble, plate));
  }

  private static double onLand(double x, double y) {
    double angle = Math.atan2(y - 0.5, x - 0.5);
    double shore = 0.4 + 0.05 * Math.sin(3 * angle) + 0.03 * Math.cos(5 * angle + 1);
    double island = 0.1 - Math.hypot(x - 0.58, (y - 0.56) * 1.5);
    return Math.max(Math.hypot(x - 0.5, y - 0.5) - shore, island);
  }

  @Override
  public String numbers() {
    return String.join("; ", numbers);
  }
}
