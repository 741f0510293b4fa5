package io.perflow.physics.solver;

import io.perflow.tensor.Tensor;

/**
 * How the pressure of Darcy flow changes with the permeability, near one permeability.
 *
 * <p>A change of a changes the conductance of the faces between points and thereby the flow that
 * the old pressure drives through them. The pressure makes up for it: A dp = - (dA) p. Readings of
 * the pressure need the transpose, - pᵀ (dA)ᵀ A⁻¹, so that one solve for each reading gives its
 * derivative by all permeabilities.
 */
final class DarcyDerivative {
  private final Darcy darcy;
  private final int n; // points along an axis
  private final int cells;
  private final BlockTridiagonal factor;
  // What a unit of permeability on either side of a face adds to the flow through it. A face is
  // counted by the point before it, on a row or in a column.
  private final double[][] rowSides;
  private final double[][] columnSides;
  private final double[] walls; // the same for faces on the boundary

  DarcyDerivative(Darcy darcy, double[] a, double[] p) {
    this.darcy = darcy;
    n = darcy.size();
    cells = n * n;
    factor = new BlockTridiagonal(darcy.equations(a));
    rowSides = new double[2][cells];
    columnSides = new double[2][cells];
    walls = new double[cells];
    for (int u = 0; u < cells; u++) {
      if (u % n < n - 1) {
        sides(rowSides, a, p, u, u + 1);
      }
      if (u < cells - n) {
        sides(columnSides, a, p, u, u + n);
      }
      walls[u] = darcy.wallConductance(u) * p[u];
    }
  }

  private void sides(double[][] sides, double[] a, double[] p, int u, int v) {
    double drop = darcy.scale() * (p[u] - p[v]);
    sides[0][u] = drop * darcy.face().slope(a[u], a[v]);
    sides[1][u] = drop * darcy.face().slope(a[v], a[u]);
  }

  /** The changes of the pressure for changes of the permeability, both [count, size · size]. */
  Tensor tangent(Tensor changes) {
    double[] d = changes.toDoubles();
    double[] right = new double[d.length];
    for (int at = 0; at < d.length; at += cells) {
      for (int u = 0; u < cells; u++) {
        if (u % n < n - 1) {
          flow(rowSides, d, right, at, u, 1);
        }
        if (u < cells - n) {
          flow(columnSides, d, right, at, u, n);
        }
        right[at + u] -= walls[u] * d[at + u];
      }
    }
    return Tensor.of(solve(right), changes.dim(0), cells);
  }

  private static void flow(double[][] sides, double[] d, double[] out, int at, int u, int step) {
    int i = at + u;
    double through = sides[0][u] * d[i] + sides[1][u] * d[i + step];
    out[i] -= through;
    out[i + step] += through;
  }

  /**
   * For weights of pressures, the derivatives of the weighted sums by the permeability, both
   * [count, size · size].
   */
  Tensor adjoint(Tensor weights) {
    double[] l = solve(weights.toDoubles());
    double[] out = new double[l.length];
    for (int at = 0; at < l.length; at += cells) {
      for (int u = 0; u < cells; u++) {
        if (u % n < n - 1) {
          pull(rowSides, l, out, at, u, 1);
        }
        if (u < cells - n) {
          pull(columnSides, l, out, at, u, n);
        }
        out[at + u] -= walls[u] * l[at + u];
      }
    }
    return Tensor.of(out, weights.dim(0), cells);
  }

  private static void pull(double[][] sides, double[] l, double[] out, int at, int u, int step) {
    int i = at + u;
    double drop = l[i] - l[i + step];
    out[i] -= drop * sides[0][u];
    out[i + step] -= drop * sides[1][u];
  }

  // A⁻¹ for fields (count, size, size), zero where the pressure is known
  private double[] solve(double[] fields) {
    int count = fields.length / cells;
    int edge = darcy.edge();
    int m = n - 2 * edge;
    double[] right = new double[m * m * count];
    for (int i = 0; i < m * m; i++) {
      int u = (i / m + edge) * n + i % m + edge;
      for (int f = 0; f < count; f++) {
        right[i * count + f] = fields[f * cells + u];
      }
    }
    double[] x = factor.solve(Tensor.of(right, m, m, count)).toDoubles();
    double[] out = new double[fields.length];
    for (int i = 0; i < m * m; i++) {
      int u = (i / m + edge) * n + i % m + edge;
      for (int f = 0; f < count; f++) {
        out[f * cells + u] = x[i * count + f];
      }
    }
    return out;
  }
}
