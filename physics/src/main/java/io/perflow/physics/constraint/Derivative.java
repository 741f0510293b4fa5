package io.perflow.physics.constraint;

import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The kinds of derivatives on the unit torus of two or three dimensions, given by the numbers s
 * that multiply Fourier modes: the mode (k, l) of d/dx or d/dy is i s(k) or i s(l) times that of
 * the field.
 *
 * <p>Curl, divergence and the projection between them take s from the same object, so that a curl
 * has no divergence whatever s is. Two kinds must not be mixed: velocities of a spectral curl have
 * a central-difference divergence of the order of the truncation error, not of round-off.
 */
public enum Derivative {
  /**
   * The spectral derivative s(k) = 2 pi k, exact for every resolved wave. The Nyquist wave k = n /
   * 2 has no odd derivative on the grid, so s is 0 there; grids must have even sizes.
   */
  SPECTRAL {
    @Override
    double symbol(int k, int n) {
      return 2 * k == n ? 0 : 2 * Math.PI * (2 * k < n ? k : k - n);
    }
  },

  /**
   * The central difference s(k) = n sin(2 pi k / n): (f(x + h) - f(x - h)) / 2h with h = 1 / n, on
   * any grid.
   */
  CENTRAL {
    @Override
    double symbol(int k, int n) {
      return k == 0 || 2 * k == n ? 0 : n * Math.sin(2 * Math.PI * k / n);
    }
  };

  private record Grid(Shape points, DataType type, Device device) {}

  private final Map<Grid, Multipliers> cache = new ConcurrentHashMap<>();

  /** Returns s of wave k on a grid of n points, k = 0 … n - 1. */
  abstract double symbol(int k, int n);

  /** Refuses grids to which the rule for the Nyquist wave does not apply. */
  void check(String op, Tensor field, int axes) {
    Check.rank(op, "field", field, 2 + axes);
    int[] points = points(field).toArray();
    Check.that(
        this != SPECTRAL || Arrays.stream(points).allMatch(n -> n % 2 == 0),
        op,
        "field %s has an odd grid of %s: spectral derivatives drop the Nyquist wave, which"
            + " only even grids have; use an even grid or central differences",
        field.shape(),
        Arrays.stream(points).mapToObj(String::valueOf).collect(Collectors.joining(" x ")));
  }

  private static Shape points(Tensor field) {
    return field.shape().remove(0).remove(0);
  }

  /** Returns the multipliers for the spectra of fields like this one. */
  Multipliers on(Tensor field) {
    Grid grid = new Grid(points(field), field.type(), field.device());
    return cache.computeIfAbsent(grid, this::multipliers);
  }

  /**
   * The multipliers for half spectra [batch, 2, frames, height, width / 2 + 1, (re, im)], and
   * likewise with three components and a depth.
   *
   * @param gradient i (sx, sy), of shape [2, 1, height, width / 2 + 1, 2]
   * @param curl i (sy, -sx), of the same shape; null in three dimensions, where the curl is a cross
   *     product with the gradient
   * @param normal the unit vector (sx, sy) / |s| as complex numbers, of the same shape; 0 where s
   *     is
   * @param inverseLaplacian 1 / |s|^2, of shape [height, width / 2 + 1, 2]; 0 where s is
   */
  record Multipliers(Tensor gradient, Tensor curl, Tensor normal, Tensor inverseLaplacian) {}

  private Multipliers multipliers(Grid grid) {
    int axes = grid.points.rank();
    Shape half = grid.points.with(-1, grid.points.dim(-1) / 2 + 1);
    int plane = 2 * half.size();
    double[] gradient = new double[axes * plane];
    double[] curl = new double[2 * plane];
    double[] normal = new double[axes * plane];
    double[] inverse = new double[plane];
    for (int mode = 0; mode < half.size(); mode++) {
      double[] s = symbols(mode, half, grid.points);
      double length = length(s);
      double scale = length == 0 ? 0 : 1 / length;
      int re = 2 * mode;
      int im = re + 1;
      for (int a = 0; a < axes; a++) {
        gradient[a * plane + im] = s[a];
        normal[a * plane + re] = s[a] * scale;
      }
      curl[im] = s[1];
      curl[plane + im] = -s[0];
      inverse[re] = inverse[im] = scale * scale;
    }
    Shape vector = half.insert(axes, 2).insert(0, 1).insert(0, axes);
    return new Multipliers(
        constant(grid, gradient, vector),
        axes == 2 ? constant(grid, curl, vector) : null,
        constant(grid, normal, vector),
        constant(grid, inverse, half.insert(axes, 2)));
  }

  // Returns s along each axis for a mode of the half spectrum.
  private double[] symbols(int mode, Shape half, Shape points) {
    double[] s = new double[half.rank()];
    int rest = mode;
    for (int a = s.length - 1; a >= 0; a--) {
      s[a] = symbol(rest % half.dim(a), points.dim(a));
      rest /= half.dim(a);
    }
    return s;
  }

  private static double length(double[] s) {
    double length = 0;
    for (double part : s) {
      length = Math.hypot(length, part);
    }
    return length;
  }

  private static Tensor constant(Grid grid, double[] data, Shape shape) {
    return Scope.detach(grid.device.backend().memory().upload(data, shape).to(grid.type));
  }
}
