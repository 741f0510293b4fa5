package io.perflow.physics.interpolation;

import java.math.BigInteger;

/**
 * Signs of determinants that decide on which side of a line or a circle a point lies.
 *
 * <p>The signs are exact, so that a triangulation cannot contradict itself, even for readings on a
 * regular grid where every test is a tie. Points are given by row and column, as multiples of
 * {@link Readings#QUANTUM}. Lines are the same in these units and in physical ones; circles are
 * physical, so they need the ratio of the spacings.
 */
final class Plane {
  // The determinant of inCircle has a relative error of about 20 roundings of its largest term.
  private static final double CERTAIN = 32 * 0x1p-53;
  private static final double WEIGHT_UNIT = 0x1p-60;

  private final double[] row;
  private final double[] column;
  private final double rowWeight; // squared spacings, the larger one 1, multiples of WEIGHT_UNIT
  private final double columnWeight;

  Plane(Readings readings) {
    row = readings.rows();
    column = readings.columns();
    Lattice lattice = readings.lattice();
    double largest = Math.max(lattice.rowSpacing(), lattice.columnSpacing());
    rowWeight = weight(lattice.rowSpacing() / largest);
    columnWeight = weight(lattice.columnSpacing() / largest);
  }

  private static double weight(double spacing) {
    return Math.max(1, Math.rint(spacing * spacing / WEIGHT_UNIT)) * WEIGHT_UNIT;
  }

  /** Returns the sign of {@link #area}: 1 when a, b and the point (r, c) turn left, 0 on a line. */
  int turn(int a, int b, double r, double c) {
    double u = row[b] - row[a];
    double v = c - column[a];
    double s = column[b] - column[a];
    double t = r - row[a];
    // Rounding keeps the order of two products; only equal ones need their rounding errors.
    double first = u * v;
    double second = s * t;
    if (first != second) {
      return first > second ? 1 : -1;
    }
    double firstError = Math.fma(u, v, -first);
    double secondError = Math.fma(s, t, -second);
    return firstError > secondError ? 1 : firstError < secondError ? -1 : 0;
  }

  /** Returns the sign of the area of three of the points. */
  int turn(int a, int b, int c) {
    return turn(a, b, row[c], column[c]);
  }

  /**
   * Returns twice the area of the triangle a, b, (r, c) in cells, which is accurate for slivers
   * too.
   */
  double area(int a, int b, double r, double c) {
    double u = row[b] - row[a];
    double v = c - column[a];
    double s = column[b] - column[a];
    double t = r - row[a];
    double first = u * v;
    double second = s * t;
    return first - second + (Math.fma(u, v, -first) - Math.fma(s, t, -second));
  }

  /**
   * Returns 1 when d is inside the circle through a, b, c, which turn left; 0 on it; -1 outside.
   */
  int inCircle(int a, int b, int c, int d) {
    double ar = row[a] - row[d];
    double ac = column[a] - column[d];
    double br = row[b] - row[d];
    double bc = column[b] - column[d];
    double cr = row[c] - row[d];
    double cc = column[c] - column[d];
    double p = rowWeight * ar * ar + columnWeight * ac * ac;
    double q = rowWeight * br * br + columnWeight * bc * bc;
    double s = rowWeight * cr * cr + columnWeight * cc * cc;
    double determinant =
        p * (br * cc - bc * cr) + q * (cr * ac - cc * ar) + s * (ar * bc - ac * br);
    double size =
        p * (Math.abs(br * cc) + Math.abs(bc * cr))
            + q * (Math.abs(cr * ac) + Math.abs(cc * ar))
            + s * (Math.abs(ar * bc) + Math.abs(ac * br));
    if (Math.abs(determinant) > CERTAIN * size) {
      return (int) Math.signum(determinant);
    }
    return exactly(ar, ac, br, bc, cr, cc);
  }

  private int exactly(double ar, double ac, double br, double bc, double cr, double cc) {
    BigInteger determinant = term(ar, ac, br, bc, cr, cc);
    determinant = determinant.add(term(br, bc, cr, cc, ar, ac));
    return determinant.add(term(cr, cc, ar, ac, br, bc)).signum();
  }

  // the lifted a times the cross product of b and c
  private BigInteger term(double ar, double ac, double br, double bc, double cr, double cc) {
    BigInteger lift = lift(rowWeight, ar).add(lift(columnWeight, ac));
    BigInteger cross =
        integer(br).multiply(integer(cc)).subtract(integer(bc).multiply(integer(cr)));
    return lift.multiply(cross);
  }

  private static BigInteger lift(double weight, double a) {
    BigInteger square = integer(a).multiply(integer(a));
    return square.multiply(BigInteger.valueOf((long) (weight / WEIGHT_UNIT)));
  }

  private static BigInteger integer(double a) {
    return BigInteger.valueOf((long) (a / Readings.QUANTUM));
  }
}
