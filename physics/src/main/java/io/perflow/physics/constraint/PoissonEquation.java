package io.perflow.physics.constraint;

import io.perflow.physics.Axis;
import io.perflow.physics.Grid;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.tensor.Check;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Poisson's equation with known values on the boundary. One channel, the source f, is the Laplacian
 * of another, the solution u, at every inner node of a rectangle; on the rim u is prescribed. With
 * the distances a and b of neighbours along the two axes,
 *
 * <pre>
 *   (u(i-1,j) - 2 u(i,j) + u(i+1,j)) / a² + (u(i,j-1) - 2 u(i,j) + u(i,j+1)) / b² = f(i,j).
 * </pre>
 *
 * <p>The residual has the shape [batch, 1, height, width] and the units of f: the left side less
 * the right one, and on the rim the misfit of u times the stencil's factor of u(i,j). The source on
 * the rim enters no equation.
 *
 * <p>The nearest field has a closed form, also together with {@link Dirichlet} values on edges; it
 * can be combined with sensors and further constraints of either channel.
 */
public final class PoissonEquation implements AffineConstraint {
  private static final int ROWS = 2;
  private static final int COLUMNS = 3;

  private final double height; // lengths of the axes
  private final double width;
  private final int source;
  private final int solution;
  private final Dirichlet rim; // of the solution
  private final Units units;
  private final Map<Shape, Constant> eigenvalues = new ConcurrentHashMap<>(); // by [height, width]

  /**
   * The units of the constrained fields: the Laplacian of {@code scale u} is {@code gain f + mean}.
   */
  private record Units(double scale, double gain, double mean) {
    static final Units PHYSICAL = new Units(1, 1, 0);
  }

  private PoissonEquation(
      double height, double width, int source, int solution, Dirichlet rim, Units units) {
    this.height = height;
    this.width = width;
    this.source = source;
    this.solution = solution;
    this.rim = rim;
    this.units = units;
  }

  /**
   * Returns the equation on a grid: the source is channel 0, the solution is channel 1, and its
   * value on the rim is 0. The lengths of the axes count; fields may have any number of nodes, from
   * 3 along an axis.
   *
   * @throws IllegalArgumentException when an axis is one of time, is periodic, or has its points in
   *     cells
   */
  public static PoissonEquation on(Grid grid) {
    return new PoissonEquation(
        length(grid.rows()), length(grid.columns()), 0, 1, Dirichlet.ring(1), Units.PHYSICAL);
  }

  private static double length(Axis axis) {
    Check.that(
        fits(axis),
        "poisson",
        "axis %s must be one of space between walls, with points on nodes at both ends",
        axis.name());
    return axis.to() - axis.from();
  }

  private static boolean fits(Axis axis) {
    return !axis.periodic() && !axis.time() && axis.placement() == Axis.Placement.NODES;
  }

  /** Returns a copy for other channels, with 0 on the rim. */
  public PoissonEquation channels(int source, int solution) {
    Check.that(
        source >= 0 && solution >= 0 && source != solution,
        name(),
        "source %d and solution %d: they must be two channels",
        source,
        solution);
    return new PoissonEquation(height, width, source, solution, Dirichlet.ring(solution), units);
  }

  /** Returns a copy with another value of the solution on the rim. */
  public PoissonEquation value(double value) {
    return new PoissonEquation(height, width, source, solution, rim.value(value), units);
  }

  /** Returns a copy with other values on the rim, of any shape that broadcasts to a field's. */
  public PoissonEquation values(Tensor values) {
    return new PoissonEquation(height, width, source, solution, rim.values(values), units);
  }

  /** Returns the prescribed values on the rim. */
  Dirichlet rim() {
    return rim;
  }

  @Override
  public String name() {
    return "poisson";
  }

  @Override
  public Optional<String> text(Problem problem) {
    Axis rows = problem.grid().rows();
    Axis columns = problem.grid().columns();
    boolean here =
        fits(rows) && fits(columns) && length(rows) == height && length(columns) == width;
    return here && units.equals(Units.PHYSICAL) && rim.values().size() == 1
        ? ConstraintText.poisson(source, solution, rim.values().item(), problem)
        : Optional.empty();
  }

  @Override
  public Tensor residual(Tensor x) {
    Tensor inside = inside(x);
    Tensor edges = rim.residual(x).slice(1, solution, solution + 1);
    return with(units.mean == 0 ? inside : inside.sub(units.mean), edges);
  }

  @Override
  public Tensor linear(Tensor x) {
    return with(inside(x), edges(x.slice(1, solution, solution + 1)));
  }

  // [batch, 1, height - 2, width - 2]
  private Tensor inside(Tensor x) {
    check(x.shape());
    Tensor u = x.slice(1, solution, solution + 1).mul(units.scale);
    Tensor f = x.slice(1, source, source + 1).mul(units.gain);
    Tensor along = second(inner(u, COLUMNS), ROWS, steps(x.dim(ROWS), height));
    Tensor across = second(inner(u, ROWS), COLUMNS, steps(x.dim(COLUMNS), width));
    return along.add(across).sub(inner(inner(f, ROWS), COLUMNS));
  }

  // The equations of the inner nodes and those of the rim.
  private Tensor with(Tensor inside, Tensor edges) {
    return ring(inside).add(edges.mul(centre(edges.shape())));
  }

  @Override
  public Tensor adjoint(Tensor r, Shape field) {
    check(field);
    Tensor inside = inner(inner(r, ROWS), COLUMNS);
    Tensor along = second(inside.pad(ROWS, 2, 2), ROWS, steps(field.dim(ROWS), height));
    Tensor across = second(inside.pad(COLUMNS, 2, 2), COLUMNS, steps(field.dim(COLUMNS), width));
    Tensor u = along.pad(COLUMNS, 1, 1).add(across.pad(ROWS, 1, 1)).mul(units.scale);
    return into(u.add(edges(r).mul(centre(field))), solution, field)
        .sub(into(ring(inside).mul(units.gain), source, field));
  }

  // Returns the stencil's factor of u(i,j), in these units.
  private double centre(Shape field) {
    double a = steps(field.dim(ROWS), height);
    double b = steps(field.dim(COLUMNS), width);
    return -2 * (a * a + b * b) * units.scale;
  }

  // Zeros inside.
  private static Tensor edges(Tensor x) {
    return x.sub(ring(inner(inner(x, ROWS), COLUMNS)));
  }

  // Zeros for the rim.
  private static Tensor ring(Tensor inside) {
    return inside.pad(ROWS, 1, 1).pad(COLUMNS, 1, 1);
  }

  private static Tensor into(Tensor one, int channel, Shape field) {
    return one.pad(1, channel, field.dim(1) - 1 - channel);
  }

  /**
   * Returns (AAᵀ)⁻¹ r except for what inner nodes have in common with the rim; it is the exact
   * inverse for r that vanishes there.
   */
  @Override
  public Tensor precondition(Tensor r, Shape field) {
    try (Scope scope = Scope.open()) {
      Tensor inside = inner(inner(r, ROWS), COLUMNS);
      Tensor l = eigenvalues(field).like(r).mul(units.scale);
      Tensor solved = waves(inside, l.square().add(units.gain * units.gain));
      double centre = centre(field);
      return scope.keep(ring(solved).add(edges(r).mul(1 / (centre * centre))));
    }
  }

  /**
   * Returns the solutions that vanish on the rim, in physical units.
   *
   * @param sources [batch, 1, height, width]; their values on the rim are ignored
   * @return [batch, 1, height, width]
   */
  public Tensor solve(Tensor sources) {
    Check.rank(name(), "sources", sources, 4);
    requireNodes(sources.shape());
    try (Scope scope = Scope.open()) {
      Tensor f = inner(inner(sources, ROWS), COLUMNS);
      return scope.keep(ring(waves(f, eigenvalues(sources.shape()).like(f))));
    }
  }

  // Returns the waves sin(pi k x) sin(pi l y) of r, each divided by its number. Two transforms
  // along an axis multiply by twice its steps, which is included here, in one division.
  private static Tensor waves(Tensor r, Tensor numbers) {
    double twice = 4.0 * (r.dim(ROWS) + 1) * (r.dim(COLUMNS) + 1);
    Tensor modes = Fourier.dst1(Fourier.dst1(r, ROWS), COLUMNS);
    return Fourier.dst1(Fourier.dst1(modes.div(numbers.mul(twice)), ROWS), COLUMNS);
  }

  // The eigenvalues of the stencil between zeros, [height - 2, width - 2].
  private Constant eigenvalues(Shape field) {
    return eigenvalues.computeIfAbsent(
        Shape.of(field.dim(ROWS), field.dim(COLUMNS)),
        grid -> {
          double[] along = eigenvalues(grid.dim(0), height);
          double[] across = eigenvalues(grid.dim(1), width);
          double[] sums = new double[along.length * across.length];
          for (int i = 0; i < sums.length; i++) {
            sums[i] = along[i / across.length] + across[i % across.length];
          }
          return Constant.of(Tensor.of(sums, along.length, across.length));
        });
  }

  private static double[] eigenvalues(int nodes, double length) {
    double steps = steps(nodes, length);
    double[] numbers = new double[nodes - 2];
    for (int k = 0; k < numbers.length; k++) {
      // Computes 2 cos x - 2 without its cancellation.
      double sine = Math.sin(0.5 * Math.PI * (k + 1) / (nodes - 1));
      numbers[k] = -4 * sine * sine * steps * steps;
    }
    return numbers;
  }

  // Converts to the unit of length.
  private static double steps(int nodes, double length) {
    return (nodes - 1) / length;
  }

  private static Tensor inner(Tensor x, int axis) {
    return x.slice(axis, 1, x.dim(axis) - 1);
  }

  // (x(i-1) - 2 x(i) + x(i+1)) steps²
  private static Tensor second(Tensor x, int axis, double steps) {
    int n = x.dim(axis);
    Tensor outer = x.slice(axis, 0, n - 2).add(x.slice(axis, 2, n));
    return outer.addScaled(inner(x, axis), -2).mul(steps * steps);
  }

  /**
   * Returns the same equation between normalized channels; the mean of u drops out of the
   * Laplacian.
   */
  @Override
  public PoissonEquation normalized(Normalization more) {
    requireChannels(more.channels(), "normalization of %d channels".formatted(more.channels()));
    Units both =
        new Units(
            units.scale * more.scale().get(solution),
            units.gain * more.scale().get(source),
            units.mean + units.gain * more.mean().get(source));
    return new PoissonEquation(height, width, source, solution, rim.normalized(more), both);
  }

  private void check(Shape field) {
    Check.that(field.rank() == 4, name(), "field %s must have four axes", field);
    requireChannels(field.dim(1), "field " + field);
    requireNodes(field);
  }

  private void requireChannels(int channels, String of) {
    Check.that(
        Math.max(source, solution) < channels,
        name(),
        "%s: the source is channel %d and the solution channel %d",
        of,
        source,
        solution);
  }

  private void requireNodes(Shape field) {
    Check.that(
        field.dim(ROWS) >= 3 && field.dim(COLUMNS) >= 3,
        name(),
        "the grid of %s has no inner nodes: 3 nodes along each axis are needed",
        field);
  }
}
