package io.perflow.interop;

import io.perflow.physics.Axis;
import io.perflow.physics.DataResidual;
import io.perflow.physics.Dataset;
import io.perflow.physics.Moments;
import io.perflow.physics.Problem;
import io.perflow.physics.Quantity;
import io.perflow.physics.Scaling;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A search for constraints that all fields of a data set satisfy up to rounding, as {@link
 * DataResidual} measures it, and that their problem does not state yet.
 *
 * <pre>{@code
 * for (Suggestion suggestion : Suggestions.of(found.problem(), found.fields())) {
 *   System.out.println(suggestion);  // The mean of T over the grid is 300 in all fields; …
 * }
 * }</pre>
 */
public final class Suggestions {
  /**
   * The names of axes from pole to pole, which are never periodic, however similar both ends are.
   */
  private static final Set<String> LATITUDES = Set.of("lat", "latitude");

  /**
   * The spread, in standard deviations of a quantity, above which differences are not rounding;
   * residuals decide about smaller ones.
   */
  private static final double SCREEN = 1e-2;

  private final Problem problem;
  private final Dataset data;
  private final Moments moments;
  private final List<Suggestion> found = new ArrayList<>();

  private Suggestions(Problem problem, Tensor fields) {
    this.problem = problem;
    moments = Moments.of(fields);
    Problem free = problem.with(List.of());
    data = Dataset.of(free, fields, Scaling.UNIT.fit(free, moments), Map.of());
  }

  /**
   * Returns the constraints and periods that the fields suggest.
   *
   * @param fields the fields, of shape [samples, channels, height, width], in physical units
   */
  public static List<Suggestion> of(Problem problem, Tensor fields) {
    Suggestions suggestions = new Suggestions(problem, fields);
    suggestions.periods();
    for (Quantity quantity : problem.quantities()) {
      suggestions.means(quantity.name());
      suggestions.walls(quantity.name());
    }
    suggestions.divergence();
    return suggestions.found;
  }

  /**
   * Returns the constraint that keeps the mean of a quantity over the grid, such as {@code
   * mass:T=300}.
   *
   * @throws IllegalArgumentException when that mean is not the same in all fields
   */
  public static String conserved(Problem problem, Tensor fields, String quantity) {
    problem.quantity(quantity); // throws for an unknown quantity
    Suggestions suggestions = new Suggestions(problem, fields);
    Regularities.Range mean = Regularities.of(problem, fields, quantity).mean();
    String text = mass(quantity, "", mean.value(suggestions.deviation(quantity)));
    if (!suggestions.holds(text, suggestions.data)) {
      throw new IllegalArgumentException(
          ("--conserve %s: the mean of %s over the grid is not the same in all fields, it goes from"
                  + " %.6g to %.6g; leave --conserve %s out")
              .formatted(quantity, quantity, mean.least(), mean.most(), quantity));
    }
    return text;
  }

  private static String mass(String quantity, String where, double value) {
    return "mass:%s%s=%s".formatted(quantity, where, Legal.text(value));
  }

  // ---- searches

  private void periods() {
    Map<Periodicity, List<String>> looks = new EnumMap<>(Periodicity.class);
    for (Axis axis : List.of(problem.grid().rows(), problem.grid().columns())) {
      if (!axis.periodic() && !axis.time() && !LATITUDES.contains(axis.name())) {
        Periodicity look = Periodicity.of(data.fields(), problem.grid().dimension(axis.name()));
        looks.computeIfAbsent(look, _ -> new ArrayList<>()).add(axis.name());
      }
    }
    period(
        looks.getOrDefault(Periodicity.REPEATED, List.of()),
        "since the last points repeat the first in all fields");
    period(
        looks.getOrDefault(Periodicity.LIKELY, List.of()),
        "since the first points follow on from the last in all fields");
  }

  private void period(List<String> axes, String reason) {
    if (!axes.isEmpty()) {
      boolean one = axes.size() == 1;
      String option = "--periodic " + String.join(",", axes);
      found.add(
          new Suggestion(
              "%s %s periodic, %s; if %s, add %s."
                  .formatted(
                      String.join(" and ", axes),
                      one ? "looks" : "look",
                      reason,
                      one ? "it is" : "they are",
                      option),
              option));
    }
  }

  private void means(String quantity) {
    Regularities measured = Regularities.of(problem, data.fields(), quantity);
    List<Axis> axes = List.of(problem.grid().rows(), problem.grid().columns());
    boolean along = false;
    for (int i = 0; i < axes.size(); i++) {
      String axis = axes.get(i).name();
      along |=
          constrain(
              quantity,
              measured.line(i),
              "The mean of %s along %s is %%s everywhere in all fields".formatted(quantity, axis),
              "mass:%s@%s=%%s".formatted(quantity, axis));
    }
    if (!along) {
      constrain(
          quantity,
          measured.mean(),
          "The mean of %s over the grid is %%s in all fields".formatted(quantity),
          "mass:%s=%%s".formatted(quantity));
    }
  }

  // The widest walls come first: all of them, then both ends of an axis, then one end.
  private void walls(String quantity) {
    List<Regularities.Range> edges = Regularities.of(problem, data.fields(), quantity).edges();
    List<Axis> axes = List.of(problem.grid().rows(), problem.grid().columns());
    double scale = deviation(quantity);
    Double[] values = new Double[4]; // null where there is no wall or no common value
    for (int i = 0; i < 4; i++) {
      boolean wall = !axes.get(i / 2).periodic();
      values[i] = wall && isSame(edges.get(i), scale) ? edges.get(i).value(scale) : null;
    }
    boolean all = true;
    for (int i = 0; i < 4; i++) {
      all &= axes.get(i / 2).periodic() || values[i] != null && values[i].equals(first(values));
    }
    if (all && first(values) != null) {
      wall(quantity, "", "on all walls", first(values));
      return;
    }
    for (int i = 0; i < 4; i += 2) {
      String axis = axes.get(i / 2).name();
      if (values[i] != null && values[i].equals(values[i + 1])) {
        wall(quantity, "@" + axis, "at both ends of " + axis, values[i]);
        continue;
      }
      if (values[i] != null) {
        wall(quantity, "@" + axis + "-low", "where %s begins".formatted(axis), values[i]);
      }
      if (values[i + 1] != null) {
        wall(quantity, "@" + axis + "-high", "where %s ends".formatted(axis), values[i + 1]);
      }
    }
  }

  private static Double first(Double[] values) {
    return Arrays.stream(values).filter(value -> value != null).findFirst().orElse(null);
  }

  private void wall(String quantity, String where, String place, double value) {
    String text = "dirichlet:%s%s=%s".formatted(quantity, where, Legal.text(value));
    if (isNew(text) && holds(text, data)) {
      constraint(
          "%s is %s %s in all fields".formatted(quantity, Legal.text(value), place),
          "--constrain " + text);
    }
  }

  // Tried in either order: the first quantity of the constraint runs along the first axis.
  private void divergence() {
    Axis rows = problem.grid().rows();
    Axis columns = problem.grid().columns();
    boolean possible =
        problem.quantities().size() == 2
            && rows.periodic()
            && columns.periodic()
            && Math.abs((rows.to() - rows.from()) / (columns.to() - columns.from()) - 1) < 1e-9;
    if (!possible || !isNew("divergence-free")) {
      return;
    }
    String first = problem.quantities().getFirst().name();
    String second = problem.quantities().getLast().name();
    String vector = "--vector %s,%s --constrain divergence-free";
    String observation = "The flow with %s along %s and %s along %s is free of divergence";
    if (holds("divergence-free", vectors(false))) {
      constraint(
          observation.formatted(first, rows.name(), second, columns.name()),
          vector.formatted(first, second));
    } else if (holds("divergence-free", vectors(true))) {
      constraint(
          observation.formatted(second, rows.name(), first, columns.name()),
          vector.formatted(second, first));
    }
  }

  // The same fields as a vector, which has one scale, its components in either order.
  private Dataset vectors(boolean exchanged) {
    List<Quantity> quantities = exchanged ? problem.quantities().reversed() : problem.quantities();
    Problem.Builder builder =
        Problem.named(problem.name()).axis(problem.grid().rows()).axis(problem.grid().columns());
    problem.frames().ifPresent(builder::frames);
    quantities.forEach(q -> builder.channel(q.name(), q.unit()));
    Problem vector =
        builder.vector(quantities.getFirst().name(), quantities.getLast().name()).build();
    Tensor fields = data.fields();
    if (exchanged) {
      int[] order = new int[fields.dim(1)];
      Arrays.setAll(order, c -> (c + order.length / 2) % order.length);
      fields = fields.gather(1, order);
    }
    return Dataset.of(vector, fields, Scaling.UNIT, Map.of());
  }

  // ---- judgement

  private boolean constrain(
      String quantity, Regularities.Range range, String observation, String constraint) {
    double scale = deviation(quantity);
    if (!isSame(range, scale)) {
      return false;
    }
    String value = Legal.text(range.value(scale));
    String text = constraint.formatted(value);
    if (!holds(text, data)) {
      return false;
    }
    if (isNew(text)) {
      constraint(observation.formatted(value), "--constrain " + text);
    }
    return true;
  }

  private double deviation(String quantity) {
    return Arrays.stream(problem.select(quantity)).mapToDouble(moments::deviation).max().orElse(0);
  }

  private static boolean isSame(Regularities.Range range, double scale) {
    return scale > 0 && range.spread() <= SCREEN * scale;
  }

  // Values may differ in their last digit, and mass=300 is mass:T=300 when there is only T.
  private boolean isNew(String text) {
    boolean alone = problem.quantities().size() == 1;
    return problem.constraints().stream()
        .map(problem::text)
        .noneMatch(
            known -> head(known).equals(head(text)) || alone && kind(known).equals(kind(text)));
  }

  private static String head(String text) {
    return text.replaceFirst("=.*", "");
  }

  private static String kind(String text) {
    return head(text).replaceFirst(":[^@]*", "");
  }

  private boolean holds(String text, Dataset fields) {
    Problem constrained = fields.problem().with(List.of(fields.problem().constraint(text)));
    return fields.with(constrained).residuals().stream().allMatch(DataResidual::holds);
  }

  private void constraint(String observation, String option) {
    found.add(
        new Suggestion("%s; keep this exactly with %s.".formatted(observation, option), option));
  }
}
