package io.perflow.physics.constraint;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The wording of errors about constraints that contradict each other. */
final class Conflict {
  // Readings of a field that was stored in single precision contradict each other by its round-off.
  private static final double CONTRADICTION = 1e-5;
  private static final double NOTHING = 1e-9; // of the field: less is no contradiction

  private Conflict() {}

  // The message names the command's option and the library's method, because users of both see it.
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

  /** Returns an error about two values for one place. */
  static IllegalArgumentException of(
      Constraint a, double first, Constraint b, double second, int flat, Shape shape) {
    return new IllegalArgumentException(
        "[projector] %s and %s contradict each other: at %s one wants %s, the other %s"
                .formatted(a.name(), b.name(), place(flat, shape), first, second)
            + cure(List.of(a, b)));
  }

  /** Returns a mean of values that are all prescribed. */
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

  /** Returns a prescribed value outside its bounds. */
  static IllegalArgumentException outside(
      Prescribed pin, double pinned, double lower, double upper, int flat, Shape shape) {
    return new IllegalArgumentException(
        "[projector] %s and bounds contradict each other: at %s one wants %s, the other %s"
                .formatted(pin.name(), place(flat, shape), pinned, range(lower, upper))
            + cure(List.of(pin)));
  }

  /** Returns an error about two bounds that leave no value. */
  static IllegalArgumentException ofBounds(double lower, double upper, int channel) {
    return new IllegalArgumentException(
        ("[projector] bounds and bounds contradict each other: "
                + "channel %d is to be at least %s and at most %s; drop one of them")
            .formatted(channel, lower, upper));
  }

  /** Returns a mean that no values within their bounds have. */
  static IllegalArgumentException ofBoundedMean(
      Mass mass, double wanted, double least, double most, int flat, Shape shape) {
    return new IllegalArgumentException(
        ("[projector] %s and bounds contradict each other: "
                + "at %s the mean is to be %s, and the bounds allow %s; widen them or drop one")
            .formatted(mass.name(), place(flat, shape), wanted, range(least, most)));
  }

  // Bounds as commands write them, with an open side left out.
  private static String range(double lower, double upper) {
    return (lower == Double.NEGATIVE_INFINITY ? "" : lower)
        + ".."
        + (upper == Double.POSITIVE_INFINITY ? "" : upper);
  }

  /**
   * Refuses equations that even the best field found violates by more than rounding.
   *
   * @param all all constraints, for the message
   * @param x the field before the projection
   * @param y the nearest field found, F64
   */
  static void requireMet(
      List<? extends Constraint> all, List<AffineConstraint> equations, Tensor x, Tensor y) {
    double[] size = y.square().mean(1, 2, 3).toDoubles();
    for (AffineConstraint equation : equations) {
      double[] missed = equation.meanSquare(y).toDoubles();
      double[] before = equation.meanSquare(x).toDoubles();
      double[] zero = equation.meanSquare(x.zerosLike()).toDoubles();
      for (int s = 0; s < missed.length; s++) {
        double scale = Math.sqrt(Math.max(before[s], zero[s]));
        double by = Math.sqrt(missed[s]);
        if (by > CONTRADICTION * scale && by > NOTHING * Math.sqrt(size[s])) {
          throw among(all, equation, s, by);
        }
      }
    }
  }

  // The constraints contradict each other: even the best field violates one of them.
  private static IllegalArgumentException among(
      List<? extends Constraint> all, Constraint missed, int sample, double by) {
    return new IllegalArgumentException(
        ("[projector] %s contradict each other: "
                    + "the nearest field misses %s of sample %d by %.3g (root mean square)")
                .formatted(names(all), missed.name(), sample, by)
            + cure(all));
  }

  /** Returns the names of constraints in one line. */
  static String names(List<? extends Constraint> constraints) {
    return constraints.stream().map(Constraint::name).collect(Collectors.joining(" and "));
  }

  /** Returns [sample, channel, row, column] of a flat index. */
  private static String place(int flat, Shape shape) {
    return "[sample, channel, row, column] " + Arrays.toString(shape.index(flat));
  }
}
