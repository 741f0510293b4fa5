package io.perflow.interop;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/**
 * The results of a test whether an axis of fields looks periodic: the jump between its last and its
 * first points is then no larger than any other step.
 */
enum Periodicity {
  /** The last points repeat the first ones. */
  REPEATED,
  /** The jump is as large as a usual step. */
  LIKELY,
  /** The jump is as large as several usual steps. */
  UNLIKELY,
  /** The fields are too rough, too small, or constant at the ends, so they do not tell. */
  UNKNOWN;

  private static final int FIELDS = 200; // more fields tell nothing new
  private static final int LEAST_POINTS = 8;
  private static final double ROUNDING = 1e-5;
  private static final double SINGLE = 1e-7; // the precision of data in F32
  private static final double USUAL = 1.5;
  private static final double SMOOTH = 3;

  /** Tests an axis, 2 or 3, of fields [samples, channels, height, width]. */
  static Periodicity of(Tensor fields, int axis) {
    if (fields.dim(axis) < LEAST_POINTS) {
      return UNKNOWN;
    }
    int count = Math.min(FIELDS, fields.dim(0));
    int step = fields.dim(0) / count;
    Periodicity worst = null;
    for (int channel = 0; channel < fields.dim(1); channel++) {
      try (Scope _ = Scope.open()) {
        Tensor some = fields.slice(0, 0, count, step).slice(1, channel, channel + 1);
        Periodicity its = channel(some.to(DataType.F64), axis);
        worst = worst == null || its.ordinal() > worst.ordinal() ? its : worst;
      }
    }
    return worst;
  }

  private static Periodicity channel(Tensor x, int axis) {
    int points = x.dim(axis);
    Tensor first = x.slice(axis, 0, 1);
    double ends = norm(first.sub(first.mean(true, 0, 1, 2, 3)));
    double seam = norm(first.sub(x.slice(axis, points - 1, points)));
    double usual = norm(x.slice(axis, 1, points).sub(x.slice(axis, 0, points - 1)));
    double apart =
        norm(x.slice(axis, points / 2, points).sub(x.slice(axis, 0, points - points / 2)));
    if (usual == 0 || ends <= ROUNDING * apart) {
      return UNKNOWN;
    }
    if (seam <= ROUNDING * usual + SINGLE * norm(x)) {
      return REPEATED;
    }
    if (seam > SMOOTH * usual) {
      return UNLIKELY;
    }
    return seam <= USUAL * usual && apart > SMOOTH * usual ? LIKELY : UNKNOWN;
  }

  private static double norm(Tensor x) {
    return Math.sqrt(x.square().mean(0, 1, 2, 3).item());
  }
}
