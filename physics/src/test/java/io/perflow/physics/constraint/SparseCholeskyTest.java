package io.perflow.physics.constraint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.perflow.tensor.Rng;
import java.util.Arrays;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.junit.jupiter.api.Test;

class SparseCholeskyTest {

  /** A random network against a dense solver. */
  @Property(tries = 60)
  void solvesWhatADenseSolverSolves(
      @ForAll @IntRange(min = 1, max = 40) int nodes, @ForAll long seed) {
    Rng rng = Rng.of(seed);
    GraphLaplacian sparse = new GraphLaplacian(nodes);
    DMatrixRMaj dense = new DMatrixRMaj(nodes, nodes);
    int[] edges = new int[nodes];
    for (int a = 0; a < nodes; a++) {
      join(sparse, dense, a, GraphLaplacian.GROUND, 0.01 + rng.nextDouble());
      for (int more = 0; more < 3; more++) {
        int b = rng.nextInt(nodes);
        if (b != a && edges[Math.max(a, b)] < 4) { // the same two may be joined twice
          edges[Math.max(a, b)]++;
          join(sparse, dense, a, b, rng.nextDouble());
        }
      }
    }
    double[] r = IntStream.range(0, nodes).mapToDouble(i -> 2 * rng.nextDouble() - 1).toArray();
    DMatrixRMaj expected = new DMatrixRMaj(nodes, 1);
    CommonOps_DDRM.solve(dense, DMatrixRMaj.wrap(nodes, 1, r.clone()), expected);
    new SparseCholesky(sparse.upper()).solve(r);
    assertArrayEquals(expected.data, r, 1e-10);
  }

  private static void join(GraphLaplacian sparse, DMatrixRMaj dense, int a, int b, double weight) {
    sparse.join(a, b, weight);
    dense.add(a, a, weight);
    if (b != GraphLaplacian.GROUND) {
      dense.add(b, b, weight);
      dense.add(a, b, -weight);
      dense.add(b, a, -weight);
    }
  }

  @Test
  void aNodeThatIsNotJoinedIsRefused() {
    GraphLaplacian lone = new GraphLaplacian(2);
    lone.join(0, GraphLaplacian.GROUND, 1);
    var e = assertThrows(IllegalArgumentException.class, () -> new SparseCholesky(lone.upper()));
    assertEquals(
        "[sparse cholesky] the matrix is not positive definite: pivot 1 of 2 is 0.0",
        e.getMessage());
  }

  @Property(tries = 40)
  void aDissectionNamesEveryCellOnce(
      @ForAll @IntRange(min = 1, max = 20) int height,
      @ForAll @IntRange(min = 1, max = 20) int width,
      @ForAll boolean rows,
      @ForAll boolean columns) {
    int[] order = NestedDissection.order(height, width, rows, columns);
    Arrays.sort(order);
    assertArrayEquals(IntStream.range(0, height * width).toArray(), order);
  }
}
