package io.perflow.physics.constraint;

import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How d/dx and d/dy are taken on the unit torus, by the numbers s they multiply Fourier modes with:
 * the mode (k, l) of a derivative is i s(k) or i s(l) times that of the field.
 *
 * <p>Curl, divergence and the projection between them take s from the same object, so that a curl
 * has no divergence whatever s is. Mixing two of them does not work: velocities of a spectral curl
 * have a central-difference divergence of the order of the truncation error, not of round-off.
 */
public enum Derivative {
  /**
   * s(k) = 2 pi k, exact for every resolved wave. The Nyquist wave k = n / 2 has no odd derivative
   * on the grid, so s is 0 there; grids must have even sizes.
   */
  SPECTRAL {
    @Override
    double symbol(int k, int n) {
      return 2 * k == n ? 0 : 2 * Math.PI * (2 * k < n ? k : k - n);
    }
  },

  /** s(k) = n sin(2 pi k / n): (f(x + h) - f(x - h)) / 2h with h = 1 / n, on any grid. */
  CENTRAL {
    @Override
    double symbol(int k, int n) {
      return k == 0 || 2 * k == n ? 0 : n * Math.sin(2 * Math.PI * k / n);
    }
  };

  private record Grid(int height, int width, DataType type, Device device) {}

  private final Map<Grid, Multipliers> cache = new ConcurrentHashMap<>();

  /** s of wave k on a grid of n points, k = 0 … n - 1. */
  abstract double symbol(int k, int n);

  /** Refuses grids on which the rule for the Nyquist wave makes no sense. */
  void check(String op, Tensor field) {
    Check.rank(op, "field", field, 4);
    int h = field.dim(2);
    int w = field.dim(3);
    Check.that(
        this != SPECTRAL || h % 2 == 0 && w % 2 == 0,
        op,
        "field %s has an odd grid of %d x %d: spectral derivatives drop the Nyquist wave, which"
            + " only even grids have; use an even grid or central differences",
        field.shape(),
        h,
        w);
  }

  /** What the spectra of fields like this one are multiplied with. */
  Multipliers on(Tensor field) {
    Grid grid = new Grid(field.dim(2), field.dim(3), field.type(), field.device());
    return cache.computeIfAbsent(grid, this::multipliers);
  }

  /**
   * Multipliers for half spectra [batch, 2, frames, height, width / 2 + 1, (re, im)].
   *
   * @param gradient i (sx, sy), of shape [2, 1, height, width / 2 + 1, 2]
   * @param curl i (sy, -sx), of the same shape
   * @param normal the unit vector (sx, sy) / |s| as complex numbers, of the same shape; 0 where s
   *     is
   * @param inverseLaplacian 1 / |s|^2, of shape [height, width / 2 + 1, 2]; 0 where s is
   */
  record Multipliers(Tensor gradient, Tensor curl, Tensor normal, Tensor inverseLaplacian) {}

  private Multipliers multipliers(Grid grid) {
    int h = grid.height;
    int half = grid.width / 2 + 1;
    int plane = h * half * 2;
    double[] gradient = new double[2 * plane];
    double[] curl = new double[2 * plane];
    double[] normal = new double[2 * plane];
    double[] inverse = new double[plane];
    for (int i = 0; i < h; i++) {
      for (int j = 0; j < half; j++) {
        double sx = symbol(i, h);
        double sy = symbol(j, grid.width);
        double length = Math.hypot(sx, sy);
        double scale = length == 0 ? 0 : 1 / length;
        int re = 2 * (i * half + j);
        int im = re + 1;
        gradient[im] = sx;
        gradient[plane + im] = sy;
        curl[im] = sy;
        curl[plane + im] = -sx;
        normal[re] = sx * scale;
        normal[plane + re] = sy * scale;
        inverse[re] = inverse[im] = scale * scale;
      }
    }
    Shape pair = Shape.of(2, 1, h, half, 2);
    return new Multipliers(
        constant(grid, gradient, pair),
        constant(grid, curl, pair),
        constant(grid, normal, pair),
        constant(grid, inverse, Shape.of(h, half, 2)));
  }

  private static Tensor constant(Grid grid, double[] data, Shape shape) {
    return Scope.detach(grid.device.backend().upload(data, shape).to(grid.type));
  }
}
