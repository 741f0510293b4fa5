package io.perflow.cli;

import io.perflow.cli.figure.FieldPanel;
import io.perflow.cli.figure.ReconstructionFigure;
import io.perflow.physics.Axis;
import io.perflow.physics.Problem;
import io.perflow.physics.Quantity;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The choice of maps of a problem's fields for a figure, and of their axes. */
public final class FieldFigures {
  private static final Set<String> HORIZONTAL = Set.of("x", "lon", "longitude", "east");

  private FieldFigures() {}

  /**
   * Returns a figure with the axes of a problem: time runs to the right, and so does an axis named
   * x.
   */
  public static ReconstructionFigure of(Problem problem) {
    Axis across = across(problem);
    Axis upwards = upwards(problem);
    ReconstructionFigure figure =
        ReconstructionFigure.create()
            .axes(across.label(), upwards.label())
            .extent(across.from(), end(across), upwards.from(), end(upwards));
    return secondAcross(problem) ? figure : figure.firstAxisAcross();
  }

  /** Returns a map of a field [height, width] with the same axes. */
  static FieldPanel map(Problem problem, String title, Tensor plane) {
    Axis across = across(problem);
    Axis upwards = upwards(problem);
    FieldPanel panel =
        FieldPanel.of(title, plane)
            .xAxis(across.label())
            .yAxis(upwards.label())
            .extent(across.from(), end(across), upwards.from(), end(upwards));
    return secondAcross(problem) ? panel : panel.firstAxisAcross();
  }

  /**
   * Returns whether the second axis of the grid runs to the right in maps; otherwise the first one
   * does.
   */
  public static boolean secondAcross(Problem problem) {
    return !problem.grid().rows().time() && HORIZONTAL.contains(problem.grid().columns().name());
  }

  private static Axis across(Problem problem) {
    return secondAcross(problem) ? problem.grid().columns() : problem.grid().rows();
  }

  private static Axis upwards(Problem problem) {
    return secondAcross(problem) ? problem.grid().rows() : problem.grid().columns();
  }

  // An axis of one point may have no length.
  private static double end(Axis axis) {
    return axis.to() > axis.from() ? axis.to() : axis.from() + 1;
  }

  /**
   * Adds a row for each quantity, with frames one for the first and one for the last; tensors are
   * [1, channels, height, width], and {@code truth} is null when it is not known.
   */
  public static void add(
      ReconstructionFigure figure,
      Problem problem,
      Tensor readings,
      Tensor mask,
      Tensor truth,
      Tensor mean,
      Tensor deviation) {
    for (int c : shown(problem)) {
      Quantity quantity = problem.quantities().get(c / problem.frameCount());
      String name = new Quantity(problem.channels().get(c), quantity.unit()).label();
      if (truth == null) {
        figure.field(name, plane(readings, c), plane(mask, c), plane(mean, c), plane(deviation, c));
      } else {
        figure.field(
            name,
            plane(readings, c),
            plane(mask, c),
            plane(truth, c),
            plane(mean, c),
            plane(deviation, c));
      }
    }
  }

  private static List<Integer> shown(Problem problem) {
    List<Integer> shown = new ArrayList<>();
    for (int q = 0; q < problem.quantities().size(); q++) {
      shown.add(problem.channel(q, 0));
      if (problem.frameCount() > 1) {
        shown.add(problem.channel(q, problem.frameCount() - 1));
      }
    }
    return shown;
  }

  private static Tensor plane(Tensor fields, int channel) {
    return fields.select(0, 0).select(0, channel).contiguous();
  }
}
