package io.perflow.physics;

import io.perflow.tensor.Check;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.List;

/**
 * A sampler that draws masks of 0 and 1 from the {@linkplain Sensors distribution} of a problem's
 * sensors, of shape [batch, planes, height, width].
 *
 * <pre>{@code
 * MaskSampler masks = problem.with(Sensors.points(500)).masks();
 * Tensor planes = masks.draw(rng, 24);        // (24, 2, 128, 128), 500 ones in each plane
 * Tensor y = field.mul(problem.expand(planes)); // what the sensors see
 * }</pre>
 *
 * <p>If the number of sensors is a range, each sample draws its number uniformly, once for all its
 * planes, and draws the places plane by plane. A draw advances the stream, so that the next one
 * differs.
 */
public final class MaskSampler {
  /** A pattern that marks k sensors in a plane of zeros that begins at an offset. */
  private interface Pattern {
    void mark(Rng rng, int k, float[] out, int offset);
  }

  private final Problem problem;
  private final Sensors law;
  private final Pattern pattern;

  private MaskSampler(Problem problem, Pattern pattern) {
    this.problem = problem;
    this.law = problem.sensors();
    this.pattern = pattern;
  }

  /**
   * Returns a sampler of the masks of a problem.
   *
   * @throws io.perflow.tensor.ShapeException when the grid has fewer points than sensors
   */
  static MaskSampler of(Problem problem) {
    return new MaskSampler(
        problem,
        switch (problem.sensors().pattern()) {
          case POINTS -> points(problem);
          case LINES -> lines(problem);
          case FIXED -> fixed(problem);
        });
  }

  private static Pattern points(Problem problem) {
    Grid grid = problem.grid();
    int cells = grid.cells();
    checkRoom(problem, cells, "points of the %d x %d grid".formatted(grid.height(), grid.width()));
    return (rng, k, out, offset) -> {
      for (int cell : rng.choice(cells, k)) {
        out[offset + cell] = 1;
      }
    };
  }

  private static Pattern lines(Problem problem) {
    Grid grid = problem.grid();
    String axis = problem.sensors().axis();
    boolean columns = grid.dimension(axis) == 3;
    int there = grid.axis(axis).points();
    checkRoom(problem, there, "points along axis " + axis);
    int width = grid.width();
    int length = grid.cells() / there;
    return (rng, k, out, offset) -> {
      for (int chosen : rng.choice(there, k)) {
        for (int i = 0; i < length; i++) {
          out[offset + (columns ? i * width + chosen : chosen * width + i)] = 1;
        }
      }
    };
  }

  private static Pattern fixed(Problem problem) {
    Grid grid = problem.grid();
    List<List<Double>> places = problem.sensors().places();
    int[] cells = new int[places.size()];
    for (int i = 0; i < cells.length; i++) {
      int row = nearest(grid.rows(), places.get(i).get(0));
      cells[i] = row * grid.width() + nearest(grid.columns(), places.get(i).get(1));
    }
    return (_, _, out, offset) -> {
      for (int cell : cells) {
        out[offset + cell] = 1;
      }
    };
  }

  private static int nearest(Axis axis, double coordinate) {
    return (int) Math.round(axis.position(coordinate)) % axis.points();
  }

  private static void checkRoom(Problem problem, int there, String what) {
    int most = problem.sensors().most();
    Check.that(most <= there, "sensors", "%d sensors, but there are only %d %s", most, there, what);
  }

  /**
   * Draws masks for a batch: [batch, planes, height, width], F32 on the CPU, ones at the sensors.
   */
  public Tensor draw(Rng rng, int batch) {
    int cells = problem.grid().cells();
    int planes = problem.planes();
    float[] out = new float[Math.multiplyExact(Math.multiplyExact(batch, planes), cells)];
    for (int b = 0; b < batch; b++) {
      int k =
          law.fewest() < law.most()
              ? law.fewest() + rng.nextInt(law.most() - law.fewest() + 1)
              : law.fewest();
      for (int plane = 0; plane < planes; plane++) {
        pattern.mark(rng, k, out, (b * planes + plane) * cells);
      }
    }
    return Tensor.of(out, batch, planes, problem.grid().height(), problem.grid().width());
  }

  @Override
  public String toString() {
    return law.toString();
  }
}
