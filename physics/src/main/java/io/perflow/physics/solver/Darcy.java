package io.perflow.physics.solver;

import io.perflow.physics.Axis;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Sensors;
import io.perflow.physics.constraint.Dirichlet;
import io.perflow.physics.equation.Causes;
import io.perflow.physics.field.CosineField;
import io.perflow.physics.prior.GaussianPrior;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tasks;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The equation of Darcy flow, -div(a grad p) = 1 on the unit square with p = 0 on its boundary, for
 * a random permeability of two values.
 *
 * <p>A sample is (2, size, size): the permeability a, then the pressure p. The permeability is
 * {@code high} where a {@link CosineField} is at least 0 and {@code low} elsewhere: 12 and 3, as in
 * DiffusionPDE (Huang et al., 2024); the demonstration code of the Fourier neural operator has 4.
 *
 * <p>{@link Grid#NODES}, the default, puts values at x = i / (size - 1), so that the outer ring of
 * p lies on the boundary and is exactly 0, as a hard constraint requires. {@link Grid#CELLS} is the
 * finite-volume method on size x size cells, whose pressures at cell centres are not zero on the
 * outer ring; it is within 0.1 % of DiffusionPDE's generator, which interpolates a to nodes and p
 * back by cubic splines and thereby produces negative permeabilities at some jumps. The
 * permeability at a face is the arithmetic mean of its sides, or the {@link Face#HARMONIC} mean,
 * which is that of one-dimensional flow across a jump.
 *
 * <p>The equation is solved by conjugate gradients with a multigrid preconditioner to a relative
 * residual of 1e-12.
 *
 * @param size points along each axis, at least 3
 * @param high permeability where the field is at least 0
 * @param low permeability elsewhere
 * @param alpha smoothness of the field
 * @param tau inverse length scale of the field
 * @param grid where the values lie
 * @param face permeability between two points
 */
public record Darcy(
    int size, double high, double low, double alpha, double tau, Grid grid, Face face)
    implements FieldGenerator, TwoFields {
  private static final double TOLERANCE = 1e-12;

  /** The places where the values lie. */
  public enum Grid {
    /** Values lie at nodes, including those on the boundary. */
    NODES,
    /** Values lie at the centres of cells; the boundary is half a cell away. */
    CELLS
  }

  /** The mean of two permeabilities that applies to the face between them. */
  public enum Face {
    /** (a + b) / 2. */
    ARITHMETIC,
    /** 2 a b / (a + b). */
    HARMONIC;

    private double mean(double a, double b) {
      return this == ARITHMETIC ? 0.5 * (a + b) : 2 * a * b / (a + b);
    }

    /** Returns the derivative of the mean by its first side. */
    double slope(double a, double b) {
      return this == ARITHMETIC ? 0.5 : 2 * (b / (a + b)) * (b / (a + b));
    }
  }

  /** Checks the parameters. */
  public Darcy {
    Parameters.atLeast("darcy", "size", size, 3);
    Parameters.positive("darcy", "high", high);
    Parameters.positive("darcy", "low", low);
    Parameters.positive("darcy", "alpha", alpha);
    Parameters.positive("darcy", "tau", tau);
  }

  /** Returns the benchmark: 128 x 128 nodes, permeabilities 12 and 3, alpha = 2, tau = 3. */
  public static Darcy standard() {
    return new Darcy(128, 12, 3, 2, 3, Grid.NODES, Face.ARITHMETIC);
  }

  /** Returns the same at another resolution. */
  public Darcy size(int size) {
    return new Darcy(size, high, low, alpha, tau, grid, face);
  }

  /** Returns the same with other permeabilities. */
  public Darcy permeability(double high, double low) {
    return new Darcy(size, high, low, alpha, tau, grid, face);
  }

  /** Returns the same on another grid. */
  public Darcy grid(Grid grid) {
    return new Darcy(size, high, low, alpha, tau, grid, face);
  }

  /** Returns the same with another mean at faces. */
  public Darcy face(Face face) {
    return new Darcy(size, high, low, alpha, tau, grid, face);
  }

  /** Returns the distribution of the field whose sign determines the permeability. */
  public CosineField levelSet() {
    return new CosineField(size, alpha, tau);
  }

  /**
   * Returns the problem of the permeability a and the pressure p. At nodes p is 0 on the rim of the
   * grid; at cell centres the boundary is half a cell away from the rim, and there is no
   * constraint.
   */
  @Override
  public Problem problem() {
    Axis x = Axis.of("x", 0, 1, size);
    Axis y = Axis.of("y", 0, 1, size);
    Problem.Builder builder =
        Problem.named("darcy")
            .axis(grid == Grid.NODES ? x : x.cells())
            .axis(grid == Grid.NODES ? y : y.cells())
            .channel("a")
            .channel("p")
            .sensors(Sensors.points(Math.clamp(size * size / 32, 1, 500)))
            .symmetries("mirror:x", "mirror:y", "transpose")
            .simulator(this)
            .equation(this);
    return (grid == Grid.NODES ? builder.constrain(Dirichlet.ring(1)) : builder).build();
  }

  @Override
  public double[] sample(Rng rng) {
    double[] a = levelSet().sample(rng);
    for (int i = 0; i < a.length; i++) {
      a[i] = a[i] >= 0 ? high : low;
    }
    double[] p = pressure(a, TOLERANCE);
    double[] both = new double[2 * a.length];
    System.arraycopy(a, 0, both, 0, a.length);
    System.arraycopy(p, 0, both, a.length, p.length);
    return both;
  }

  /**
   * Returns the pressure for any permeability and source, all (size, size) on this grid.
   *
   * @throws IllegalArgumentException when there is another number of values, a permeability that is
   *     not positive, or a source that is not finite
   */
  public double[] solve(double[] a, double[] source) {
    return solve(a, source, TOLERANCE);
  }

  private double[] solve(double[] a, double[] source, double tolerance) {
    Parameters.length("darcy", "permeability", a.length, size * size);
    Parameters.length("darcy", "source", source.length, size * size);
    Parameters.finite("darcy", "source", source);
    for (double value : a) {
      Parameters.positive("darcy", "permeability", value);
    }
    int edge = edge();
    Stencil equations = equations(a);
    double[] b = equations.grid();
    for (int i = 1; i <= equations.rows; i++) {
      System.arraycopy(source, (i - 1 + edge) * size + edge, b, equations.at(i, 1), equations.cols);
    }
    double[] x = new Multigrid(equations).solve(b, tolerance);
    double[] p = new double[size * size];
    for (int i = 1; i <= equations.rows; i++) {
      System.arraycopy(x, equations.at(i, 1), p, (i - 1 + edge) * size + edge, equations.cols);
    }
    return p;
  }

  /** Returns the width of the ring of known values. */
  int edge() {
    return grid == Grid.NODES ? 1 : 0;
  }

  /** Returns one over the square of the distance of neighbours. */
  double scale() {
    double cells = grid == Grid.NODES ? size - 1 : size;
    return cells * cells;
  }

  /**
   * Returns the conductance that a unit of permeability at a point adds to the walls next to it.
   */
  double wallConductance(int point) {
    int row = point / size;
    int col = point % size;
    int walls = 0;
    if (grid == Grid.CELLS) {
      walls = (row == 0 ? 1 : 0) + (row == size - 1 ? 1 : 0);
      walls += (col == 0 ? 1 : 0) + (col == size - 1 ? 1 : 0);
    }
    return 2 * scale() * walls;
  }

  /** Returns the five-point equations of the unknown pressures. */
  Stencil equations(double[] a) {
    int edge = edge();
    int unknowns = size - 2 * edge;
    double scale = scale();
    Stencil s = new Stencil(unknowns, unknowns);
    for (int i = 1; i <= unknowns; i++) {
      for (int j = 1; j <= unknowns; j++) {
        int p = s.at(i, j);
        int row = i - 1 + edge;
        int col = j - 1 + edge;
        double north = scale * conductance(a, row, col, row - 1, col);
        double south = scale * conductance(a, row, col, row + 1, col);
        double west = scale * conductance(a, row, col, row, col - 1);
        double east = scale * conductance(a, row, col, row, col + 1);
        s.centre[p] = north + south + west + east;
        s.south[p] = i < unknowns ? -south : 0;
        s.east[p] = j < unknowns ? -east : 0;
      }
    }
    return s;
  }

  /**
   * Returns the conductance of the face between two neighbours; beyond the grid lies a wall, half a
   * cell away.
   */
  private double conductance(double[] a, int row, int col, int otherRow, int otherCol) {
    double here = a[row * size + col];
    boolean wall = otherRow < 0 || otherCol < 0 || otherRow == size || otherCol == size;
    return wall ? 2 * here : face.mean(here, a[otherRow * size + otherCol]);
  }

  // ---- the equation: the pressure follows from the permeability

  @Override
  public Tensor fields(Tensor causes) {
    return fields(causes, TOLERANCE);
  }

  /**
   * Returns the fields of causes; the residual of the pressure is at most this fraction of the
   * source.
   */
  Tensor fields(Tensor causes, double tolerance) {
    int cells = causes();
    double[] a = causes.toDoubles();
    double[] both = new double[2 * a.length];
    Tasks.run(
        causes.dim(0),
        i -> {
          double[] own = Arrays.copyOfRange(a, i * cells, (i + 1) * cells);
          System.arraycopy(own, 0, both, 2 * i * cells, cells);
          System.arraycopy(pressure(own, tolerance), 0, both, (2 * i + 1) * cells, cells);
        });
    return Tensor.of(both, causes.dim(0), 2, size, size);
  }

  // NaN for a permeability that is not positive.
  private double[] pressure(double[] a, double tolerance) {
    double[] ones = new double[a.length];
    Arrays.fill(ones, 1);
    if (Arrays.stream(a).allMatch(v -> v > 0 && v < Double.POSITIVE_INFINITY)) {
      return solve(a, ones, tolerance);
    }
    Arrays.fill(ones, Double.NaN);
    return ones;
  }

  @Override
  public Tensor tangent(Tensor cause, Tensor directions) {
    double[] a = cause.toDoubles();
    DarcyDerivative derivative = new DarcyDerivative(this, a, pressure(a, TOLERANCE));
    int[] each = {directions.dim(0), 1, size, size};
    Tensor changes = derivative.tangent(directions.transpose().contiguous());
    Tensor pressures = changes.transpose().contiguous();
    return Tensor.concat(1, directions.reshape(each), pressures.reshape(each));
  }

  /**
   * Returns the distribution of a permeability with two values, given by the sign of the
   * {@linkplain #levelSet field}. A Gaussian prior of the permeability would describe it poorly.
   */
  @Override
  public Causes law(GaussianPrior prior, Normalization units) {
    return new LevelSetCauses(this, units);
  }

  @Override
  public Map<String, Object> parameters() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("equation", "darcy");
    map.put("size", size);
    map.put("high", high);
    map.put("low", low);
    map.put("levelSet", levelSet().parameters());
    map.put("grid", grid.name().toLowerCase(Locale.ROOT));
    map.put("face", face.name().toLowerCase(Locale.ROOT));
    return map;
  }
}
