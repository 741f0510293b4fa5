package io.perflow.flow.baseline;

import io.perflow.flow.Ensemble;
import io.perflow.flow.Observations;
import io.perflow.flow.Reconstructor;
import io.perflow.physics.Axis;
import io.perflow.physics.Grid;
import io.perflow.physics.Problem;
import io.perflow.physics.interpolation.Interpolation;
import io.perflow.physics.interpolation.Lattice;
import io.perflow.tensor.Named;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.stream.IntStream;

/**
 * A simple interpolation of the readings, channel by channel, as a system to compare with: what
 * somebody without a model would do. It knows no constraint and no uncertainty. A channel without
 * readings is 0, its mean in normalized units.
 */
public final class Interpolator implements Reconstructor {
  private final Problem problem;
  private final Interpolation kind;

  /** Interpolates readings of a problem. */
  public Interpolator(Problem problem, Interpolation kind) {
    this.problem = problem;
    this.kind = kind;
  }

  @Override
  public String name() {
    return Named.of(kind);
  }

  @Override
  public Ensemble reconstruct(Observations seen, int count, Rng rng) {
    problem.check("interpolation", seen.values());
    Grid grid = problem.grid();
    Lattice lattice =
        new Lattice(
            grid.height(),
            grid.width(),
            relative(grid.rows()),
            relative(grid.columns()),
            grid.rows().periodic(),
            grid.columns().periodic());
    double[] values = seen.values().toDoubles();
    double[] mask = seen.mask().toDoubles();
    double[] field = new double[values.length];
    for (int c = 0; c < problem.channelCount(); c++) {
      int first = c * grid.cells();
      int[] read =
          IntStream.range(0, grid.cells()).filter(cell -> mask[first + cell] != 0).toArray();
      if (read.length > 0) {
        double[] rows = IntStream.of(read).mapToDouble(cell -> cell / grid.width()).toArray();
        double[] columns = IntStream.of(read).mapToDouble(cell -> cell % grid.width()).toArray();
        double[] known = IntStream.of(read).mapToDouble(cell -> values[first + cell]).toArray();
        double[] filled = kind.fill(rows, columns, known, lattice);
        System.arraycopy(filled, 0, field, first, filled.length);
      }
    }
    Shape one = problem.batch(1);
    Tensor result = Tensor.of(field, one.toArray()).to(seen.values().type());
    return new Ensemble(result.expand(one.with(0, count)).contiguous());
  }

  // Axes of different units have no common distance: each counts as long as the other.
  private static double relative(Axis axis) {
    return axis.spacing() / (axis.to() - axis.from());
  }
}
