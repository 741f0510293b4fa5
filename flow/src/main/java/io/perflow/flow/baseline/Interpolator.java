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
import io.perflow.tensor.Tasks;
import io.perflow.tensor.Tensor;
import java.util.stream.IntStream;

/**
 * A baseline that interpolates the readings, channel by channel, and needs no model. It ignores
 * constraints and has no uncertainty. A channel without readings is 0, which is its mean in
 * normalized units.
 */
public final class Interpolator implements Reconstructor {
  private final Problem problem;
  private final Interpolation kind;

  /** Creates an interpolator of readings of a problem. */
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
    Lattice lattice = lattice(grid);
    double[] values = seen.values().toDoubles();
    double[] mask = seen.mask().toDoubles();
    double[] field = new double[values.length];
    Tasks.run(problem.channelCount(), c -> fill(c, values, mask, lattice, field));
    Shape one = problem.batch(1);
    Tensor result = Tensor.of(field, one.toArray()).to(seen.values().type());
    return new Ensemble(result.expand(one.with(0, count)).contiguous());
  }

  // Channels lie apart, so that each can have its thread.
  private void fill(int channel, double[] values, double[] mask, Lattice lattice, double[] field) {
    Grid grid = problem.grid();
    int first = channel * grid.cells();
    int[] read = IntStream.range(0, grid.cells()).filter(cell -> mask[first + cell] != 0).toArray();
    if (read.length > 0) {
      double[] rows = IntStream.of(read).mapToDouble(cell -> cell / grid.width()).toArray();
      double[] columns = IntStream.of(read).mapToDouble(cell -> cell % grid.width()).toArray();
      double[] known = IntStream.of(read).mapToDouble(cell -> values[first + cell]).toArray();
      double[] filled = kind.fill(rows, columns, known, lattice);
      System.arraycopy(filled, 0, field, first, filled.length);
    }
  }

  // Axes of different units have no common distance, so each counts as long as the other.
  private static Lattice lattice(Grid grid) {
    Axis rows = grid.rows();
    Axis columns = grid.columns();
    boolean comparable = rows.time() == columns.time() && rows.unit().equals(columns.unit());
    return new Lattice(
        grid.height(),
        grid.width(),
        spacing(rows, comparable),
        spacing(columns, comparable),
        rows.periodic(),
        columns.periodic());
  }

  private static double spacing(Axis axis, boolean comparable) {
    double length = comparable ? 1 : axis.to() - axis.from();
    double spacing = axis.spacing() / length;
    return spacing > 0 ? spacing : 1; // an axis of a single point may have length 0
  }
}
