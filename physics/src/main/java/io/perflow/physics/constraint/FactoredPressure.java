package io.perflow.physics.constraint;

import io.perflow.tensor.Tensor;
import java.util.Arrays;

/**
 * A solver for the pressure around obstacles of any form, by a sparse factor of D Dᵀ that is
 * computed once for a mask.
 *
 * <p>The pressure of one cell in each connected part of the fluid is set to 0, without which D Dᵀ
 * would be singular: the equation that this cell loses follows from the others, because what leaves
 * one cell of the part enters another. A cell without an open face is a part of its own.
 */
final class FactoredPressure implements Pressure {
  private final int[] cellOf; // the cell of each unknown
  private final SparseCholesky factor;

  FactoredPressure(Faces faces) {
    Side rows = faces.rows();
    Side columns = faces.columns();
    int[] part = parts(faces, rows.cells() * columns.cells());
    int[] order =
        NestedDissection.order(rows.cells(), columns.cells(), rows.periodic(), columns.periodic());
    // The root of a part is its cell of pressure 0, and a solid cell is its own root.
    cellOf = Arrays.stream(order).filter(cell -> part[cell] != cell).toArray();
    factor = new SparseCholesky(matrix(faces, part.length).upper());
  }

  // The connected parts of the fluid: for each cell the root of the tree it belongs to.
  private static int[] parts(Faces faces, int count) {
    int[] parent = new int[count];
    Arrays.setAll(parent, cell -> cell);
    for (int cell = 0; cell < count; cell++) {
      for (int component = 0; component < 2; component++) {
        int neighbour = faces.neighbour(component, cell);
        if (neighbour >= 0) {
          parent[root(parent, neighbour)] = root(parent, cell);
        }
      }
    }
    Arrays.setAll(parent, cell -> root(parent, cell));
    return parent;
  }

  private static int root(int[] parent, int cell) {
    int at = cell;
    while (parent[at] != at) {
      parent[at] = parent[parent[at]]; // halves the path for later searches
      at = parent[at];
    }
    return at;
  }

  private GraphLaplacian matrix(Faces faces, int count) {
    int[] unknownOf = new int[count];
    Arrays.fill(unknownOf, GraphLaplacian.GROUND);
    for (int k = 0; k < cellOf.length; k++) {
      unknownOf[cellOf[k]] = k;
    }
    GraphLaplacian matrix = new GraphLaplacian(cellOf.length);
    for (int cell = 0; cell < count; cell++) {
      for (int component = 0; component < 2; component++) {
        int neighbour = faces.neighbour(component, cell);
        if (neighbour >= 0 && neighbour != cell) { // what leaves through one end enters the other
          double spacing = (component == 0 ? faces.rows() : faces.columns()).spacing();
          matrix.join(unknownOf[cell], unknownOf[neighbour], 1 / (spacing * spacing));
        }
      }
    }
    return matrix;
  }

  @Override
  public Tensor of(Tensor divergence) {
    double[] d = divergence.toDoubles();
    double[] q = new double[d.length];
    int plane = divergence.dim(2) * divergence.dim(3);
    double[] unknowns = new double[cellOf.length];
    for (int from = 0; from < d.length; from += plane) {
      for (int k = 0; k < unknowns.length; k++) {
        unknowns[k] = d[from + cellOf[k]];
      }
      factor.solve(unknowns);
      for (int k = 0; k < unknowns.length; k++) {
        q[from + cellOf[k]] = unknowns[k];
      }
    }
    return divergence.device().backend().memory().upload(q, divergence.shape());
  }
}
