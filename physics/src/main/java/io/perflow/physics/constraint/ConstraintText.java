package io.perflow.physics.constraint;

import io.perflow.physics.Axis;
import io.perflow.physics.Grid;
import io.perflow.physics.Problem;
import io.perflow.physics.Quantity;
import io.perflow.physics.constraint.Dirichlet.Edge;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Constraints as files and commands write them, {@code NAME[:QUANTITY][@WHERE][=VALUE]}, in the
 * units of the data.
 *
 * <table>
 * <caption>The grammar</caption>
 * <tr><th>text</th><th>meaning</th></tr>
 * <tr><td>{@code dirichlet:p=0}</td><td>p is 0 on all walls of the grid</td></tr>
 * <tr><td>{@code dirichlet:T@x-low=20}</td>
 *     <td>T is 20 where the axis x begins; {@code x-high} is where it ends, {@code x} both</td></tr>
 * <tr><td>{@code mass:T=300}</td><td>the mean of T over the grid is 300</td></tr>
 * <tr><td>{@code mass:u@x=0}</td><td>the mean of u along x is 0, at every place of the other axis</td></tr>
 * <tr><td>{@code divergence-free}</td>
 *     <td>the first quantity is the velocity along the first axis, the second that along the
 *     second, and their divergence is 0; both axes are periodic. The mean flow is free: {@code
 *     mass} prescribes it</td></tr>
 * <tr><td>{@code divergence-free@faces}</td>
 *     <td>the same for velocities on the faces of cells, as {@link StaggeredFlow} has them, with
 *     walls where an axis is not periodic</td></tr>
 * <tr><td>{@code poisson:f,u=0}</td>
 *     <td>f is the Laplacian of u inside the grid, as in {@link PoissonEquation}, and u is 0 on
 *     all walls; for a problem of two quantities, {@code poisson} is enough</td></tr>
 * <tr><td>{@code energy=0.5}</td><td>the mean of (u² + v²) / 2 over the grid is 0.5</td></tr>
 * <tr><td>{@code bounds:a=3..12}</td>
 *     <td>every value of a lies between 3 and 12; {@code 0..} and {@code ..1} leave a side
 *     open</td></tr>
 * </table>
 *
 * <p>A constraint without a quantity applies to all quantities; without a value, the value is 0.
 * Bounds need a value. Several quantities are separated by commas.
 */
public final class ConstraintText {
  private static final Pattern FORM =
      Pattern.compile("([a-z-]+)(?::([^@=]+))?(?:@([^=]+))?(?:=(.+))?");
  private static final Pattern NUMBER =
      Pattern.compile("[-+]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][-+]?[0-9]+)?");
  private static final String LOW = "-low";
  private static final String HIGH = "-high";
  private static final String FACES = "faces";
  private static final String RANGE = "..";

  private ConstraintText() {}

  /**
   * Parses a constraint.
   *
   * @throws IllegalArgumentException naming the fault and the possible forms
   */
  public static Constraint parse(String text, Problem problem) {
    Matcher form = FORM.matcher(text.strip());
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "constraint '%s' is not NAME[:QUANTITY][@WHERE][=VALUE], such as mass:%s=0.5"
              .formatted(text, problem.channels().getFirst()));
    }
    try {
      return parse(form, problem);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "constraint '%s': %s".formatted(text.strip(), e.getMessage()), e);
    }
  }

  private static Constraint parse(Matcher form, Problem problem) {
    int[] channels = form.group(2) == null ? new int[0] : problem.select(form.group(2));
    return switch (form.group(1)) {
      case "dirichlet" ->
          Dirichlet.edges(edges(form.group(3), problem.grid()), channels).value(value(form, 0.0));
      case "mass" -> {
        int[] axes =
            form.group(3) == null
                ? new int[] {2, 3}
                : new int[] {problem.grid().dimension(form.group(3).strip())};
        yield Mass.over(axes).channels(channels).value(value(form, 0.0));
      }
      case "divergence-free" -> {
        plain(form, 2, 4);
        yield divergenceFree(form.group(3), problem);
      }
      case "poisson" -> {
        plain(form, 3);
        yield poisson(channels, problem).value(value(form, 0.0));
      }
      case "energy" -> {
        plain(form, 2, 3);
        Constraint energy = KineticEnergy.of(value(form, null));
        refuse(noVector(problem));
        yield energy;
      }
      case "bounds" -> {
        plain(form, 3);
        yield bounds(form.group(4)).channels(channels);
      }
      default ->
          throw new IllegalArgumentException(
              ("'%s' is unknown; there are dirichlet, mass, divergence-free, poisson, energy and"
                      + " bounds")
                  .formatted(form.group(1)));
    };
  }

  private static Constraint divergenceFree(String where, Problem problem) {
    if (where == null) {
      refuse(noDivergence(problem));
      return DivergenceFree.spectral();
    }
    if (!where.strip().equals(FACES)) {
      throw new IllegalArgumentException(
          "velocities lie on grid points, or on faces of cells with @%s; '@%s' is unknown"
              .formatted(FACES, where.strip()));
    }
    refuse(noVelocity(problem));
    return StaggeredFlow.on(problem.grid());
  }

  // Applies to all channels when none is named.
  private static PoissonEquation poisson(int[] channels, Problem problem) {
    int count = channels.length == 0 ? problem.channels().size() : channels.length;
    if (count != 2) {
      throw new IllegalArgumentException(
          "it needs two quantities, first the source and then the solution, as in poisson:f,u;"
              + " here are %d".formatted(count));
    }
    PoissonEquation equation = PoissonEquation.on(problem.grid());
    return channels.length == 0 ? equation : equation.channels(channels[0], channels[1]);
  }

  private static void refuse(Optional<String> reason) {
    if (reason.isPresent()) {
      throw new IllegalArgumentException(reason.get());
    }
  }

  /** Returns the reason why the fields of a problem are not velocities; empty if they are. */
  private static Optional<String> noVelocity(Problem problem) {
    int quantities = problem.quantities().size();
    return quantities == 2
        ? Optional.empty()
        : Optional.of(
            "it needs two quantities, the components of a velocity; %s has %d"
                .formatted(problem.name(), quantities));
  }

  /**
   * Returns the reason why the squares of two quantities cannot be added; empty if they are one
   * vector.
   */
  private static Optional<String> noVector(Problem problem) {
    Optional<String> reason = noVelocity(problem);
    if (reason.isPresent() || problem.groups().size() == 1) {
      return reason;
    }
    List<String> names = problem.quantities().stream().map(Quantity::name).toList();
    return Optional.of(
        ("it needs the components of a velocity, and %s and %s of %s are not a vector; if they are,"
                + " say so: \"vectors\": [[\"%s\", \"%s\"]] in problem.json, Problem.vector in"
                + " Java")
            .formatted(names.get(0), names.get(1), problem.name(), names.get(0), names.get(1)));
  }

  /** Returns the reason why the divergence is undefined here; empty if it is defined. */
  private static Optional<String> noDivergence(Problem problem) {
    Axis rows = problem.grid().rows();
    Axis columns = problem.grid().columns();
    if (!rows.periodic() || !columns.periodic()) {
      return Optional.of(
          "it needs two periodic axes, and %s has walls; divergence-free@%s allows them"
              .formatted((rows.periodic() ? columns : rows).name(), FACES));
    }
    double height = rows.to() - rows.from();
    double width = columns.to() - columns.from();
    if (Math.abs(height - width) > 1e-9 * Math.max(height, width)) {
      return Optional.of(
          "it needs axes of one length, %s has %s and %s has %s"
              .formatted(rows.name(), height, columns.name(), width));
    }
    return noVelocity(problem);
  }

  private static EnumSet<Edge> edges(String where, Grid grid) {
    EnumSet<Edge> edges = EnumSet.noneOf(Edge.class);
    if (where == null) {
      addWalls(edges, grid.rows(), Edge.FIRST_ROW, Edge.LAST_ROW);
      addWalls(edges, grid.columns(), Edge.FIRST_COLUMN, Edge.LAST_COLUMN);
      if (edges.isEmpty()) {
        throw new IllegalArgumentException("both axes are periodic, so there is no boundary");
      }
      return edges;
    }
    String side = where.strip();
    String name =
        side.endsWith(LOW) || side.endsWith(HIGH) ? side.substring(0, side.lastIndexOf('-')) : side;
    if (grid.axis(name).periodic()) {
      throw new IllegalArgumentException("axis %s is periodic and has no ends".formatted(name));
    }
    boolean rows = grid.dimension(name) == 2;
    if (!side.endsWith(HIGH)) {
      edges.add(rows ? Edge.FIRST_ROW : Edge.FIRST_COLUMN);
    }
    if (!side.endsWith(LOW)) {
      edges.add(rows ? Edge.LAST_ROW : Edge.LAST_COLUMN);
    }
    return edges;
  }

  private static void addWalls(EnumSet<Edge> edges, Axis axis, Edge first, Edge last) {
    if (!axis.periodic()) {
      edges.add(first);
      edges.add(last);
    }
  }

  private static double value(Matcher form, Double otherwise) {
    String text = form.group(4);
    if (text == null && otherwise != null) {
      return otherwise;
    }
    double value = text == null ? Double.NaN : finite(text);
    if (Double.isNaN(value)) {
      throw new IllegalArgumentException("a finite number is needed after '='");
    }
    return value;
  }

  // Returns NaN for anything else. Double.parseDouble alone would accept 300d and 0x1p3, which no
  // reader of a file expects.
  private static double finite(String text) {
    boolean number = NUMBER.matcher(text.strip()).matches();
    double value = number ? Double.parseDouble(text) : Double.NaN;
    return Double.isFinite(value) ? value : Double.NaN;
  }

  private static Bounds bounds(String text) {
    int dots = text == null ? -1 : text.indexOf(RANGE);
    double lower = dots < 0 ? Double.NaN : side(text.substring(0, dots), Double.NEGATIVE_INFINITY);
    double upper = dots < 0 ? Double.NaN : side(text.substring(dots + 2), Double.POSITIVE_INFINITY);
    if (Double.isNaN(lower) || Double.isNaN(upper) || RANGE.equals(text.strip())) {
      throw new IllegalArgumentException(
          "a range of finite numbers is needed after '=', such as 3..12, 0.. or ..1");
    }
    if (lower > upper) {
      throw new IllegalArgumentException(
          "the lower bound %s is above the upper bound %s; swap them"
              .formatted(number(lower), number(upper)));
    }
    return Bounds.between(lower, upper);
  }

  private static double side(String text, double open) {
    return text.isBlank() ? open : finite(text);
  }

  private static void plain(Matcher form, int... groups) {
    String[] names = {"quantity", "place", "value"};
    for (int group : groups) {
      if (form.group(group) != null) {
        throw new IllegalArgumentException(
            "it takes no %s; leave it out".formatted(names[group - 2]));
      }
    }
  }

  // ---- the way back

  static Optional<String> divergenceFree(Problem problem) {
    return noDivergence(problem).isEmpty() ? Optional.of("divergence-free") : Optional.empty();
  }

  static Optional<String> staggered(StaggeredFlow flow, Problem problem) {
    return noVelocity(problem).isEmpty() && flow.fits(problem.grid())
        ? Optional.of("divergence-free@" + FACES)
        : Optional.empty();
  }

  static Optional<String> poisson(int source, int solution, double value, Problem problem) {
    int channels = problem.channels().size();
    if (Math.max(source, solution) >= channels) {
      return Optional.empty();
    }
    boolean all = channels == 2 && source == 0;
    String which = all ? "" : quantities(new int[] {source, solution}, problem);
    return Optional.of("poisson" + which + "=" + number(value));
  }

  static Optional<String> energy(double value, Problem problem) {
    return noVector(problem).isEmpty() ? Optional.of("energy=" + number(value)) : Optional.empty();
  }

  static Optional<String> dirichlet(
      EnumSet<Edge> edges, int[] channels, double value, Problem problem) {
    Grid grid = problem.grid();
    String head = "dirichlet" + quantities(channels, problem);
    for (String where : places(grid)) {
      if (edges(where, grid).equals(edges)) {
        return Optional.of(head + (where == null ? "" : "@" + where) + "=" + number(value));
      }
    }
    return Optional.empty();
  }

  // The texts that can follow @ for a boundary; null for no text.
  private static List<String> places(Grid grid) {
    List<String> places = new ArrayList<>();
    for (Axis axis : List.of(grid.rows(), grid.columns())) {
      if (!axis.periodic()) {
        places.addAll(List.of(axis.name(), axis.name() + LOW, axis.name() + HIGH));
      }
    }
    if (!places.isEmpty()) {
      places.addFirst(null);
    }
    return places;
  }

  static String mass(int[] axes, int[] channels, double value, Problem problem) {
    Grid grid = problem.grid();
    String where =
        axes.length == 2 ? "" : "@" + (axes[0] == 2 ? grid.rows() : grid.columns()).name();
    return "mass" + quantities(channels, problem) + where + "=" + number(value);
  }

  static String bounds(int[] channels, double lower, double upper, Problem problem) {
    return "bounds"
        + quantities(channels, problem)
        + "="
        + (Double.isInfinite(lower) ? "" : number(lower))
        + RANGE
        + (Double.isInfinite(upper) ? "" : number(upper));
  }

  private static String quantities(int[] channels, Problem problem) {
    return channels.length == 0 ? "" : ":" + problem.names(channels);
  }

  /**
   * Returns the shortest digits that read back as the same number, without a trailing {@code .0}.
   */
  private static String number(double value) {
    String text = Double.toString(value);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }
}
