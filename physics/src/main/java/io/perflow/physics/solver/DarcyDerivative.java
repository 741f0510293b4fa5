package io.perflow.physics.solver;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.Arrays;

/**
 * The derivative of the pressure of Darcy flow with respect to the permeability, at one
 * permeability.
 *
 * <p>A change of a changes the conductance of the faces between points and thereby the flow that
 * the old pressure drives through them. The change of the pressure compensates for it: A dp = -
 * (dA) p. Readings of the pressure need the transpose, - pᵀ (dA)ᵀ A⁻¹, so that one solve for each
 * reading gives its derivative by all permeabilities.
 */
final class DarcyDerivative {
  private final Darcy darcy;
  private final int n; // points along an axis
  private final int cells;
  private final BlockTridiagonal factor;
  // The flow that a unit of permeability on either side of a face adds through it. A face is
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

  /**
   * Returns the changes of the pressure for changes of the permeability, both [size · size, count].
   */
  Tensor tangent(Tensor changes) {
    int count = changes.dim(1);
    double[] d = changes.toDoubles();
    double[] right = new double[d.length];
    for (int u = 0; u < cells; u++) {
      if (u % n < n - 1) {
        flow(rowSides, d, right, u, u + 1, count);
      }
      if (u < cells - n) {
        flow(columnSides, d, right, u, u + n, count);
      }
      for (int f = u * count; f < (u + 1) * count; f++) {
        right[f] -= walls[u] * d[f];
      }
    }
    Tensor all = Tensor.of(right, n, n, count);
    Tensor[] rows = new Tensor[n];
    Arrays.setAll(rows, i -> all.select(0, i));
    return Tensor.concat(0, solve(rows));
  }

  private static void flow(double[][] sides, double[] d, double[] out, int u, int v, int count) {
    for (int f = 0; f < count; f++) {
      double through = sides[0][u] * d[u * count + f] + sides[1][u] * d[v * count + f];
      out[u * count + f] -= through;
      out[v * count + f] += through;
    }
  }

  /**
   * Returns, for weights of pressures, the derivatives of the weighted sums by the permeability,
   * both by the rows of the grid, [size, count]. Early rows of weights may have fewer columns, as
   * {@link BlockTridiagonal#solve} allows.
   */
  Tensor[] adjoint(Tensor... weights) {
    try (Scope scope = Scope.open()) {
      Tensor[] l = solve(weights);
      Tensor[] out = new Tensor[n];
      double[] here = l[0].toDoubles();
      double[] sum = new double[here.length]; // what the row above adds to this one
      for (int i = 0; i < n; i++) {
        int count = l[i].dim(1);
        within(i, count, here, sum);
        double[] below = i + 1 < n ? l[i + 1].toDoubles() : null;
        double[] next = new double[here.length];
        if (below != null) {
          between(i, count, here, below, sum, next);
        }
        out[i] = scope.keep(Tensor.of(sum, n, count));
        here = below;
        sum = next;
      }
      return out;
    }
  }

  // The faces between the points of a row, and those on the boundary.
  private void within(int i, int count, double[] l, double[] out) {
    for (int j = 0; j < n; j++) {
      int u = i * n + j;
      if (j < n - 1) {
        pull(rowSides[0][u], rowSides[1][u], l, j, l, j + 1, out, out, count);
      }
      for (int f = j * count; f < (j + 1) * count; f++) {
        out[f] -= walls[u] * l[f];
      }
    }
  }

  // The faces between a row and the next.
  private void between(int i, int count, double[] l, double[] below, double[] out, double[] next) {
    for (int j = 0; j < n; j++) {
      int u = i * n + j;
      pull(columnSides[0][u], columnSides[1][u], l, j, below, j, out, next, count);
    }
  }

  // Adds what a face between the points j and k contributes to the derivatives by their
  // permeabilities.
  private static void pull(
      double before,
      double after,
      double[] l,
      int j,
      double[] other,
      int k,
      double[] out,
      double[] next,
      int count) {
    for (int f = 0; f < count; f++) {
      double drop = l[j * count + f] - other[k * count + f];
      out[j * count + f] -= drop * before;
      next[k * count + f] -= drop * after;
    }
  }

  // Applies A⁻¹ to the rows of fields, which are zero where the pressure is known.
  private Tensor[] solve(Tensor... rows) {
    int edge = darcy.edge();
    Tensor[] inner = new Tensor[n - 2 * edge];
    Arrays.setAll(inner, i -> rows[i + edge].slice(0, edge, n - edge));
    // Weights on the last row alone, whose pressure is known, still count as weights.
    int last = inner.length - 1;
    inner[last] = BlockTridiagonal.widened(inner[last], rows[n - 1].dim(1));
    Tensor[] x = factor.solve(inner);
    if (edge == 0) {
      return x;
    }
    Tensor[] all = new Tensor[n];
    Arrays.fill(all, Tensor.of(new double[n * x[0].dim(1)], n, x[0].dim(1)));
    for (int i = 0; i < x.length; i++) {
      all[i + edge] = x[i].pad(0, edge, edge);
    }
    return all;
  }
}
