package io.perflow.physics.prior;

import io.perflow.physics.Axis;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.factory.DecompositionFactory_DDRM;
import org.ejml.interfaces.decomposition.EigenDecomposition_F64;

/**
 * A complete orthonormal basis of functions along one axis. On a periodic axis these are sines and
 * cosines. On an axis with walls they are the principal components of the data along that axis,
 * those of the largest variance first.
 *
 * <p>Principal components vanish where all fields vanish and are smooth where fields are smooth, so
 * few of them are needed for any behaviour at the walls. Sines and cosines have their origin at the
 * centre of the axis's reflection. If the reflection is a symmetry of the problem, every function
 * is even or odd under it.
 *
 * @param functions the functions, one per row, [points, points], F64
 * @param waves the wave number of every function, which a sine shares with its cosine; the number
 *     of the function for principal components
 * @param odd whether a reflection of the axis changes the function's sign
 * @param variances the variances of the data along every function
 */
record AxisBasis(Tensor functions, int[] waves, boolean[] odd, double[] variances) {

  /**
   * Returns sines and cosines with the variances of data whose covariance along the axis is given.
   */
  static AxisBasis fourier(Axis axis, double[] covariance) {
    int points = axis.points();
    double centre = axis.placement() == Axis.Placement.NODES ? 0 : -0.5;
    double[] rows = new double[points * points];
    int[] waves = new int[points];
    boolean[] odd = new boolean[points];
    for (int f = 0; f < points; f++) {
      waves[f] = (f + 1) / 2;
      boolean alone = f == 0 || 2 * waves[f] == points;
      // The wave of two spacings is a sine between the points; its cosine vanishes there.
      odd[f] = f > 0 && f % 2 == 0 || 2 * waves[f] == points && centre != 0;
      double norm = Math.sqrt((alone ? 1.0 : 2.0) / points);
      for (int i = 0; i < points; i++) {
        double phase = 2 * Math.PI * waves[f] * (i - centre) / points;
        rows[f * points + i] = norm * (odd[f] ? Math.sin(phase) : Math.cos(phase));
      }
    }
    double[] variances = new double[points];
    for (int f = 0; f < points; f++) {
      variances[f] = quadratic(covariance, rows, f * points, points);
    }
    for (int f = 1; f + 1 < points; f += 2) { // a sine and its cosine are kept or left out together
      variances[f] = variances[f + 1] = (variances[f] + variances[f + 1]) / 2;
    }
    return new AxisBasis(Tensor.of(rows, points, points), waves, odd, variances);
  }

  private static double quadratic(double[] matrix, double[] vector, int at, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        sum += vector[at + i] * matrix[i * n + j] * vector[at + j];
      }
    }
    return sum;
  }

  /**
   * Returns the principal components of data.
   *
   * @param covariance the covariance of the data along the axis, row by row
   * @param mirrored whether a reflection is a symmetry, so that components are even or odd
   */
  static AxisBasis principal(double[] covariance, int points, boolean mirrored) {
    List<Component> all = new ArrayList<>();
    if (mirrored) {
      all.addAll(components(covariance, halves(points, false), points, false));
      all.addAll(components(covariance, halves(points, true), points, true));
    } else {
      double[] identity = new double[points * points];
      for (int i = 0; i < points; i++) {
        identity[i * points + i] = 1;
      }
      all.addAll(components(covariance, identity, points, false));
    }
    all.sort(Comparator.comparingDouble(c -> -c.variance));
    double[] rows = new double[points * points];
    int[] waves = new int[points];
    boolean[] odd = new boolean[points];
    double[] variances = new double[points];
    for (int f = 0; f < points; f++) {
      System.arraycopy(all.get(f).function, 0, rows, f * points, points);
      waves[f] = f;
      odd[f] = all.get(f).odd;
      variances[f] = Math.max(0, all.get(f).variance);
    }
    return new AxisBasis(Tensor.of(rows, points, points), waves, odd, variances);
  }

  private record Component(double[] function, double variance, boolean odd) {}

  // Returns an orthonormal basis, row by row, of the even or the odd functions.
  private static double[] halves(int points, boolean odd) {
    int count = odd ? points / 2 : (points + 1) / 2;
    double[] rows = new double[count * points];
    for (int f = 0; f < count; f++) {
      boolean middle = 2 * f == points - 1;
      double part = middle ? 1 : Math.sqrt(0.5);
      rows[f * points + points - 1 - f] = odd ? -part : part;
      rows[f * points + f] = part;
    }
    return rows;
  }

  // Returns the principal components within the space of some orthonormal rows.
  private static List<Component> components(
      double[] covariance, double[] rows, int points, boolean odd) {
    int count = rows.length / points;
    Tensor space = Tensor.of(rows, count, points);
    Tensor inside = space.matmul(Tensor.of(covariance, points, points)).matmul(space.transpose());
    DMatrixRMaj matrix = new DMatrixRMaj(count, count, true, inside.toDoubles());
    EigenDecomposition_F64<DMatrixRMaj> eigen = DecompositionFactory_DDRM.eig(count, true, true);
    if (!eigen.decompose(matrix)) {
      throw new IllegalStateException("[prior] principal components did not converge");
    }
    List<Component> result = new ArrayList<>();
    for (int e = 0; e < count; e++) {
      Tensor vector = Tensor.of(eigen.getEigenVector(e).data, 1, count);
      result.add(
          new Component(vector.matmul(space).toDoubles(), eigen.getEigenvalue(e).getReal(), odd));
    }
    return result;
  }

  /** Returns the sum of the variances. */
  double sum() {
    return Arrays.stream(variances).sum();
  }

  /** Returns the number of functions. */
  int size() {
    return waves.length;
  }

  /**
   * Returns the cosine of a sine and the sine of a cosine; a function without such a partner is its
   * own.
   */
  int partner(int i) {
    if (i > 0 && waves[i - 1] == waves[i]) {
      return i - 1;
    }
    return i + 1 < waves.length && waves[i + 1] == waves[i] ? i + 1 : i;
  }
}
