package io.perflow.physics;

import io.perflow.physics.constraint.StaggeredFlow;
import io.perflow.tensor.Check;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The check that the parts of a problem are consistent; each error is a line that names them. */
final class ProblemCheck {
  /**
   * The largest number of values of a field: 256 MB in single precision, more than networks are
   * trained on.
   */
  private static final int MAX_VALUES = 1 << 26;

  private final Problem problem;
  private final Grid grid;
  private final String op;

  private ProblemCheck(Problem problem) {
    this.problem = problem;
    grid = problem.grid();
    op = "problem " + problem.name();
  }

  /** Refuses names, sizes, scales, sensors and symmetries that do not belong to one problem. */
  static void fitsTogether(Problem problem) {
    new ProblemCheck(problem).all();
  }

  private void all() {
    List<String> columns = new ArrayList<>(List.of(grid.rows().name(), grid.columns().name()));
    problem.frames().ifPresent(frames -> columns.add(frames.name()));
    problem.quantities().forEach(quantity -> columns.add(quantity.name()));
    Set<String> seen = new HashSet<>();
    for (String column : columns) {
      Check.that(seen.add(column), op, "two of its axes and quantities are named %s", column);
    }
    long values = (long) grid.cells() * problem.frameCount(); // less than 2^62
    Check.that(
        values <= MAX_VALUES / problem.quantities().size(),
        op,
        "%d quantities with %d values each: a field can have %d values",
        problem.quantities().size(),
        values,
        MAX_VALUES);
    frames();
    scales();
    if (problem.sensors().pattern() == Sensors.Pattern.LINES) {
      grid.axis(problem.sensors().axis());
    }
    problem.symmetries().forEach(this::symmetry);
    problem
        .equation()
        .ifPresent(
            equation ->
                Check.that(
                    equation.shape().equals(problem.batch(1)),
                    op,
                    "its equation is for fields %s, its fields are %s",
                    equation.shape(),
                    problem.batch(1)));
    problem.masks(); // throws for more sensors than places
  }

  // With frames, channel u1 is the first frame of u, so no quantity may have this name.
  private void frames() {
    if (problem.frames().isEmpty()) {
      return;
    }
    Set<String> names =
        problem.quantities().stream().map(Quantity::name).collect(Collectors.toSet());
    for (String quantity : names) {
      int end = quantity.length();
      while (end > 1 && quantity.charAt(end - 1) >= '0' && quantity.charAt(end - 1) <= '9') {
        end--;
        String frame = quantity.substring(end);
        Check.that(
            !names.contains(quantity.substring(0, end))
                || frame.startsWith("0")
                || frame.length() > 9
                || Integer.parseInt(frame) > problem.frameCount(),
            op,
            "quantity %s has the name of frame %s of quantity %s; rename one of them",
            quantity,
            frame,
            quantity.substring(0, end));
      }
    }
  }

  private void scales() {
    Set<String> scaled = new HashSet<>();
    for (Problem.Scale scale : problem.scales()) {
      Check.that(!scale.quantities().isEmpty(), op, "a vector or common scale of no quantities");
      for (String wanted : scale.quantities()) {
        problem.quantity(wanted);
        Check.that(
            scaled.add(wanted),
            op,
            "quantity %s is named twice in its vectors and common scales; it has one scale",
            wanted);
      }
    }
  }

  private void symmetry(Symmetry symmetry) {
    symmetry.negated().forEach(problem::quantity);
    for (String axis : symmetry.axes()) {
      Check.that(
          symmetry.kind() != Symmetry.Kind.SHIFT || grid.axis(axis).periodic(),
          op,
          "symmetry %s: axis %s has walls, only periodic axes can be shifted",
          symmetry,
          axis);
      grid.axis(axis);
    }
    Check.that(
        symmetry.kind() != Symmetry.Kind.TRANSPOSE || grid.height() == grid.width(),
        op,
        "symmetry transpose: the grid has %d x %d points, only a square one can be transposed",
        grid.height(),
        grid.width());
  }

  /**
   * Refuses a constraint on channels or a grid that the problem does not have, before training
   * starts.
   */
  static void constraintsFit(Problem problem) {
    if (problem.constraints().isEmpty()) {
      return;
    }
    new ProblemCheck(problem).facesAreNotMirrored();
    try (Scope _ = Scope.open()) {
      Tensor zero = Tensor.zeros(problem.batch(1).toArray());
      problem.constraints().forEach(constraint -> constraint.residual(zero));
    }
  }

  // The face before a cell becomes the one behind it, which is stored elsewhere.
  private void facesAreNotMirrored() {
    boolean faces = problem.constraints().stream().anyMatch(StaggeredFlow.class::isInstance);
    for (Symmetry symmetry : problem.symmetries()) {
      Check.that(
          !faces || symmetry.kind() != Symmetry.Kind.MIRROR,
          op,
          "symmetry %s: velocities on faces cannot be mirrored cell by cell; leave it out",
          symmetry);
    }
  }
}
