package io.perflow.physics;

import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.Projector;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The residual of one constraint for the fields of a data set.
 *
 * @param constraint the constraint as text
 * @param physical the root mean square of the residual in the units of the data
 * @param normalized the root mean square in the units of the network
 * @param rounding the part of the normalized residual that rounding explains: the residual of the
 *     same fields after they were projected and stored in the precision of the data
 */
public record DataResidual(String constraint, double physical, double normalized, double rounding) {
  /**
   * The factor by which residuals may exceed rounding, because solvers in the precision of the data
   * accumulate it over many steps.
   */
  private static final double ACCUMULATED = 100;

  /** A residual too small for any network to resolve, for every constraint. */
  private static final double NEGLIGIBLE = 1e-5;

  /** The number of fields that are measured; more would not change the result. */
  private static final int FIELDS = 200;

  /** Measures every constraint of a data set's problem. */
  static List<DataResidual> of(Dataset data) {
    List<DataResidual> found = new ArrayList<>();
    for (Constraint constraint : data.problem().constraints()) {
      found.add(of(data, constraint));
    }
    return found;
  }

  private static DataResidual of(Dataset data, Constraint constraint) {
    Normalization units = data.normalization();
    Constraint inUnits = constraint.normalized(units);
    Projector projector = Projector.onto(constraint);
    int count = Math.min(FIELDS, data.size());
    double physical = 0;
    double normalized = 0;
    double rounding = 0;
    for (int i = 0; i < count; i++) {
      int index = (int) ((long) i * data.size() / count);
      try (Scope _ = Scope.open()) {
        Tensor field = data.fields().slice(0, index, index + 1).to(DataType.F64);
        physical += constraint.meanSquare(field).item();
        normalized += inUnits.meanSquare(units.normalize(field)).item();
        Tensor stored = projector.project(field).to(data.fields().type()).to(DataType.F64);
        rounding += inUnits.meanSquare(units.normalize(stored)).item();
      }
    }
    return new DataResidual(
        data.problem().text(constraint),
        Math.sqrt(physical / count),
        Math.sqrt(normalized / count),
        Math.sqrt(rounding / count));
  }

  /** Returns whether rounding explains the residual. */
  public boolean holds() {
    return normalized <= Math.max(NEGLIGIBLE, ACCUMULATED * rounding);
  }

  /** Returns the numbers by name, for files. */
  public Map<String, Object> toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("constraint", constraint);
    json.put("rms_residual", physical);
    json.put("rms_residual_normalized", normalized);
    json.put("holds", holds());
    return json;
  }

  /** Returns the result as one line of text. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s: root mean square residual %.3g in the data's units, %.3g normalized%s",
        constraint,
        physical,
        normalized,
        holds() ? ", which is rounding" : ", more than rounding");
  }

  /**
   * Refuses a data set that violates a constraint of its problem: a flow that cannot leave the
   * constraint could never reproduce its fields.
   *
   * @throws IllegalArgumentException naming the constraint, the number and the cure
   */
  public static void refuseBroken(List<DataResidual> residuals) {
    for (DataResidual residual : residuals) {
      if (!residual.holds()) {
        throw new IllegalArgumentException(
            ("the data break the constraint %s; drop it from the problem, correct its value, or"
                    + " repair the data")
                .formatted(residual));
      }
    }
  }
}
