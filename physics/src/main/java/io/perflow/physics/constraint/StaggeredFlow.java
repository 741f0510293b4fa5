package io.perflow.physics.constraint;

import io.perflow.physics.Axis;
import io.perflow.physics.Grid;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Incompressible flow on a staggered grid, with walls and obstacles: the flow into a cell equals
 * the flow out of it, and nothing flows through a wall.
 *
 * <pre>{@code
 * Grid channel = new Grid(Axis.periodic("x", 0, 2, 128), Axis.of("y", 0, 1, 64).cells());
 * StaggeredFlow flow = StaggeredFlow.on(channel).around(solid);  // solid: [128, 64], 1 in obstacles
 * Tensor u = Projector.onto(flow).project(guess);
 * }</pre>
 *
 * <p>Velocities lie on the faces of cells (Harlow and Welch 1965). A field of F frames is [batch,
 * 2F, height, width] with u of all frames before v: u(i, j) is the velocity along the first axis
 * through the face between the cells (i - 1, j) and (i, j), v(i, j) that along the second axis
 * between (i, j - 1) and (i, j). On a periodic axis the cell before the first is the last.
 * Otherwise both ends are walls: the face before the first cell is one of those that are closed,
 * and the one behind the last cell, where nothing flows either, is not stored.
 *
 * <p>A face is closed when it is a wall or touches an obstacle. The equations are, exactly: (u(i +
 * 1, j) - u(i, j)) / dx + (v(i, j + 1) - v(i, j)) / dy = 0 in every fluid cell, and u = 0 or v = 0
 * on every closed face, those inside obstacles included. The residual has the shape [batch, 3F,
 * height, width]: the divergence, 0 in obstacles, before the velocities on closed faces, 0 on open
 * ones. Its mean square counts fluid cells and closed faces alone.
 *
 * <p>The mean flow along a periodic axis is kept by the projection. {@link Mass} prescribes it:
 * over the grid, or over the open faces with {@link Mass#within}.
 */
public final class StaggeredFlow implements AffineConstraint {
  private final Extent rows;
  private final Extent columns;
  private final Constant solid; // [height, width]; null without obstacles
  private final Constant rest; // fluid at rest, [1, channels, 1, 1]; null where that is 0
  private final Map<Shape, Faces> known = new ConcurrentHashMap<>(); // by [height, width]

  /** The length of an axis and whether it is periodic. */
  private record Extent(double length, boolean periodic) {
    private static Extent of(Axis axis) {
      return new Extent(axis.to() - axis.from(), axis.periodic());
    }

    private static boolean cells(Axis axis) {
      return axis.periodic() || axis.placement() == Axis.Placement.CELLS;
    }

    private static Extent withCells(Axis axis) {
      Check.that(
          cells(axis),
          "divergence-free",
          "axis %s has walls and its points on nodes: velocities on faces need cells between the"
              + " walls; use .cells(), or \"cells\": true in a file",
          axis.name());
      return of(axis);
    }

    boolean fits(Axis axis) {
      return cells(axis) && equals(of(axis));
    }

    Side side(int cells) {
      return new Side(cells, length / cells, periodic);
    }
  }

  private StaggeredFlow(Extent rows, Extent columns, Constant solid, Constant rest) {
    this.rows = rows;
    this.columns = columns;
    this.solid = solid;
    this.rest = rest;
  }

  /**
   * Returns the flow on a grid, with walls where an axis is not periodic. The lengths of the axes
   * count; fields may have any number of cells.
   *
   * @throws IllegalArgumentException when an axis with walls has its points on nodes
   */
  public static StaggeredFlow on(Grid grid) {
    return new StaggeredFlow(
        Extent.withCells(grid.rows()), Extent.withCells(grid.columns()), null, null);
  }

  /**
   * Returns a copy around obstacles, or in a domain of any form: the fluid may fall into several
   * parts, and cells may be enclosed.
   *
   * @param mask of shape [height, width]: 1 in obstacles and outside the domain, 0 in the fluid
   * @throws IllegalArgumentException when the mask is not of 0 and 1
   */
  public StaggeredFlow around(Tensor mask) {
    Check.rank(name(), "mask of obstacles", mask, 2);
    Masked.require(name(), mask, "1 in obstacles and 0 in the fluid");
    return new StaggeredFlow(rows, columns, Constant.of(mask), rest);
  }

  @Override
  public String name() {
    return "divergence-free";
  }

  @Override
  public Optional<String> text(Problem problem) {
    return solid == null && rest == null
        ? ConstraintText.staggered(this, problem)
        : Optional.empty();
  }

  @Override
  public Tensor residual(Tensor x) {
    return linear(moving(x));
  }

  @Override
  public Tensor meanSquare(Tensor x, Tensor g) {
    double equations = (double) on(x).equations() * x.dim(1) / 2;
    return g.square().sum(1, 2, 3).mul(1 / Math.max(1, equations));
  }

  @Override
  public Tensor linear(Tensor x) {
    Faces faces = on(x);
    return Tensor.concat(1, faces.inFluid(faces.divergence(x)), faces.closed(x));
  }

  @Override
  public Tensor adjoint(Tensor r, Shape field) {
    int frames = field.dim(1) / 2;
    Faces faces = on(field);
    Tensor divergence = faces.inFluid(r.slice(1, 0, frames));
    Tensor closed = faces.closed(r.slice(1, frames, 3 * frames));
    return faces.transposedDivergence(divergence).add(closed);
  }

  /**
   * Returns the divergence of every fluid cell, and 0 in obstacles.
   *
   * @param x velocities on faces, [batch, 2 frames, height, width]
   * @return of shape [batch, frames, height, width]
   */
  public Tensor divergence(Tensor x) {
    Faces faces = on(x);
    return faces.inFluid(faces.divergence(moving(x)));
  }

  /**
   * Returns the velocities at the centres of cells: each is the mean of the two faces of its cell.
   * They serve pictures and comparisons with other grids; no equation holds exactly for them.
   *
   * @param x velocities on faces, [batch, 2 frames, height, width]
   * @return of the same shape
   */
  public Tensor toCells(Tensor x) {
    Faces faces = on(x);
    Tensor[] parts = moving(x).split(1, x.dim(1) / 2, x.dim(1) / 2);
    return fromMoving(
        Tensor.concat(1, faces.rows().toCells(parts[0], 2), faces.columns().toCells(parts[1], 3)));
  }

  /**
   * Returns velocities on faces: each is the mean of the two cells beside it, and 0 on closed
   * faces. The result usually has a divergence, which the projector removes.
   *
   * @param x velocities at the centres of cells, [batch, 2 frames, height, width]
   * @return of the same shape
   */
  public Tensor toFaces(Tensor x) {
    Faces faces = on(x);
    Tensor[] parts = moving(x).split(1, x.dim(1) / 2, x.dim(1) / 2);
    Tensor all =
        Tensor.concat(1, faces.rows().toFaces(parts[0], 2), faces.columns().toFaces(parts[1], 3));
    return fromMoving(faces.open(all));
  }

  /**
   * Returns where velocities are free: 1 on open faces and 0 on closed ones, of shape [2 frames,
   * height, width] in double precision.
   */
  public Tensor openFaces(int frames, int height, int width) {
    try (Scope scope = Scope.open()) {
      Shape field = Shape.of(1, 2 * frames, height, width);
      Tensor ones = Tensor.full(Device.cpu(), field, DataType.F64, 1);
      return scope.keep(on(field).open(ones).squeeze(0).contiguous());
    }
  }

  /**
   * Returns the flow in other units, in which fluid at rest may have a velocity other than 0.
   *
   * @throws IllegalArgumentException when u and v of a frame have different scales
   */
  @Override
  public StaggeredFlow normalized(Normalization units) {
    DivergenceFree.requireOneScale(name(), units, 2);
    boolean shifted = units.mean().stream().anyMatch(mean -> mean != 0);
    if (rest == null && !shifted) {
      return this;
    }
    try (Scope _ = Scope.open()) {
      Tensor before = rest == null ? Tensor.of(new double[1], 1, 1, 1, 1) : rest.exact();
      return new StaggeredFlow(
          rows, columns, solid, Constant.of(Broadcasting.normalize(before, units)));
    }
  }

  /** Subtracts the velocities of fluid at rest. */
  Tensor moving(Tensor x) {
    return rest == null ? x : x.sub(rest.like(x));
  }

  /** Adds the velocities of fluid at rest. */
  Tensor fromMoving(Tensor x) {
    return rest == null ? x : x.add(rest.like(x));
  }

  /** Returns whether there are neither walls nor obstacles, so that all places are equivalent. */
  boolean uniform() {
    return rows.periodic && columns.periodic && solid == null;
  }

  /** Returns whether there are obstacles. */
  boolean obstacles() {
    return solid != null;
  }

  /** Returns whether the axes of a grid have these lengths and walls. */
  boolean fits(Grid grid) {
    return rows.fits(grid.rows()) && columns.fits(grid.columns());
  }

  /** Returns the grid of a field. */
  Faces on(Tensor x) {
    return on(Broadcasting.field(name(), x));
  }

  private Faces on(Shape field) {
    Check.that(
        field.dim(1) > 0 && field.dim(1) % 2 == 0,
        name(),
        "field %s has %d channels: velocities have u and v, an even number",
        field,
        field.dim(1));
    return known.computeIfAbsent(Shape.of(field.dim(2), field.dim(3)), this::faces);
  }

  private Faces faces(Shape grid) {
    boolean[] blocked = new boolean[grid.size()];
    if (solid != null) {
      Check.sameShape(name(), "mask of obstacles", solid.exact(), grid);
      double[] mask = solid.exact().toDoubles();
      for (int i = 0; i < mask.length; i++) {
        blocked[i] = mask[i] != 0;
      }
    }
    return new Faces(rows.side(grid.dim(0)), columns.side(grid.dim(1)), blocked);
  }
}
