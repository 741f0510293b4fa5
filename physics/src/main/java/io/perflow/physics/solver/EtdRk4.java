package io.perflow.physics.solver;

/**
 * The coefficients of the exponential Runge-Kutta scheme of order 4 (Cox and Matthews, 2002) for v'
 * = L v + N(v) with a real diagonal L, per entry and for one step h:
 *
 * <pre>
 *   a  = e^(hL/2) v + q N(v)              q  = h/2 phi1(hL/2)
 *   b  = e^(hL/2) v + q N(a)              f1 = h (phi1 - 3 phi2 + 4 phi3)(hL)
 *   c  = e^(hL/2) a + q (2 N(b) - N(v))   f2 = h (2 phi2 - 4 phi3)(hL)
 *   v' = e^(hL) v + f1 N(v) + f2 (N(a) + N(b)) + f3 N(c)     f3 = h (4 phi3 - phi2)(hL)
 * </pre>
 *
 * <p>phi1 = (e^z - 1) / z, phi2 = (phi1 - 1) / z and phi3 = (phi2 - 1/2) / z cancel badly near z =
 * 0; as in Kassam and Trefethen (2005) each is the mean of its values on a circle of radius 1
 * around z.
 */
record EtdRk4(double[] e, double[] e2, double[] q, double[] f1, double[] f2, double[] f3) {
  private static final int CONTOUR_POINTS = 64;

  /** Returns the coefficients for the diagonal {@code linear} and the step {@code h}. */
  static EtdRk4 of(double[] linear, double h) {
    int n = linear.length;
    EtdRk4 s =
        new EtdRk4(
            new double[n],
            new double[n],
            new double[n],
            new double[n],
            new double[n],
            new double[n]);
    for (int i = 0; i < n; i++) {
      double z = h * linear[i];
      s.e[i] = Math.exp(z);
      s.e2[i] = Math.exp(z / 2);
      s.q[i] = 0.5 * h * phi(z / 2)[0];
      double[] phi = phi(z);
      s.f1[i] = h * (phi[0] - 3 * phi[1] + 4 * phi[2]);
      s.f2[i] = h * (2 * phi[1] - 4 * phi[2]);
      s.f3[i] = h * (4 * phi[2] - phi[1]);
    }
    return s;
  }

  /** A computation of N(v) for one of the four stages of a step. */
  interface Nonlinear {
    double[] at(int stage, double[] v);
  }

  /** Takes one step of v (…, n), where the entries of L are those of the last axis. */
  double[] step(double[] v, Nonlinear n) {
    double[] nv = n.at(0, v);
    double[] a = stage(v, nv, 1, nv, 0);
    double[] na = n.at(1, a);
    double[] b = stage(v, na, 1, na, 0);
    double[] nb = n.at(2, b);
    double[] c = stage(a, nb, 2, nv, -1);
    double[] nc = n.at(3, c);
    double[] next = new double[v.length];
    for (int row = 0; row < v.length; row += e.length) {
      for (int k = 0; k < e.length; k++) {
        int i = row + k;
        next[i] = e[k] * v[i] + f1[k] * nv[i] + f2[k] * (na[i] + nb[i]) + f3[k] * nc[i];
      }
    }
    return next;
  }

  // e^(hL/2) x + q (s m + t n)
  private double[] stage(double[] x, double[] m, double s, double[] n, double t) {
    double[] y = new double[x.length];
    for (int row = 0; row < y.length; row += e.length) {
      for (int k = 0; k < e.length; k++) {
        int i = row + k;
        y[i] = e2[k] * x[i] + q[k] * (s * m[i] + t * n[i]);
      }
    }
    return y;
  }

  /** Returns phi1, phi2 and phi3 of a real number. */
  static double[] phi(double z) {
    double[] sums = new double[3];
    // The lower half of the circle gives the conjugate values.
    int points = CONTOUR_POINTS / 2;
    for (int j = 0; j < points; j++) {
      double angle = Math.PI * (j + 0.5) / points;
      double re = z + Math.cos(angle);
      double im = Math.sin(angle);
      double size = re * re + im * im;
      double growth = Math.exp(re);
      double phiRe = growth * Math.cos(im);
      double phiIm = growth * Math.sin(im);
      double factorial = 1;
      for (int order = 0; order < 3; order++) {
        double topRe = phiRe - 1 / factorial;
        phiRe = (topRe * re + phiIm * im) / size;
        phiIm = (phiIm * re - topRe * im) / size;
        sums[order] += phiRe / points;
        factorial *= order + 1;
      }
    }
    return sums;
  }
}
