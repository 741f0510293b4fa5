package io.perflow.physics.constraint;

import io.perflow.tensor.Shape;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The wording of constraints that cannot all hold. */
final class Conflict {
  private Conflict() {}

  // the command's option and the library's method, as the same message is for users of both
  private static String cure(List<? extends Constraint> all) {
    boolean readings =
        all.stream()
            .anyMatch(
                c ->
                    c instanceof Measured
                        || c instanceof AffineConstraint
                            && !(c instanceof Prescribed
                                || c instanceof Mass
                                || c instanceof DivergenceFree
                                || c instanceof PoissonEquation));
    return readings
        ? "; drop one of them, or fit the readings by least squares (--fit-sensors,"
            + " Projector.fitting)"
        : "; drop one of them";
  }

  /** Two values for one place. */
  static IllegalArgumentException of(
      Constraint a, double first, Constraint b, double second, int flat, Shape shape) {
    return new IllegalArgumentException(
        "[projector] %s and %s contradict each other: at %s one wants %s, the other %s"
                .formatted(a.name(), b.name(), place(flat, shape), first, second)
            + cure(List.of(a, b)));
  }

  /** A mean of values that are all prescribed. */
  static IllegalArgumentException ofMean(
      List<? extends Constraint> pins,
      double pinned,
      Mass mass,
      double wanted,
      int flat,
      Shape shape) {
    return new IllegalArgumentException(
        ("[projector] %s and %s contradict each other: "
                    + "at %s all values are prescribed and have mean %s, not %s")
                .formatted(names(pins), mass.name(), place(flat, shape), pinned, wanted)
            + cure(pins));
  }

  /** A set of constraints of which one is missed by the best that can be done. */
  static IllegalArgumentException among(
      List<? extends Constraint> all, Constraint missed, int sample, double by) {
    return new IllegalArgumentException(
        ("[projector] %s contradict each other: "
                    + "the nearest field misses %s of sample %d by %.3g (root mean square)")
                .formatted(names(all), missed.name(), sample, by)
            + cure(all));
  }

  /** Their names in one line. */
  static String names(List<? extends Constraint> constraints) {
    return constraints.stream().map(Constraint::name).collect(Collectors.joining(" and "));
  }

  /** [sample, channel, row, column] of a flat index. */
  static String place(int flat, Shape shape) {
    int[] index = new int[shape.rank()];
    int rest = flat;
    for (int a = index.length - 1; a >= 0; a--) {
      index[a] = rest % shape.dim(a);
      rest /= shape.dim(a);
    }
    return "[sample, channel, row, column] " + Arrays.toString(index);
  }
}
