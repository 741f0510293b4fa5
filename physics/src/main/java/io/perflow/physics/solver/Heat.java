package io.perflow.physics.solver;

import io.perflow.physics.Axis;
import io.perflow.physics.Problem;
import io.perflow.physics.Sensors;
import io.perflow.physics.constraint.Mass;
import io.perflow.physics.field.CosineField;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The steady temperature of an insulated square plate that is heated and cooled at random: -Laplace
 * T = q with no flux through the walls, and a given mean temperature. This is a small problem for
 * experiments and not one of the paper's.
 *
 * <p>A sample is T in kelvin at the centres of size x size cells. The source q is a {@link
 * CosineField} times {@code strength}; cosines are the eigenvectors of the problem, so a cosine
 * transform, a division by pi^2 (k^2 + l^2) and the transform back solve it exactly. The mean of q
 * is zero, so that of T is the given one.
 *
 * @param size points along each axis, at least 4
 * @param mean the mean temperature in kelvin
 * @param strength standard deviations of the source, in kelvin per area
 * @param alpha smoothness of the source
 * @param tau inverse length scale of the source
 */
public record Heat(int size, double mean, double strength, double alpha, double tau)
    implements FieldGenerator {
  /** Checks the parameters. */
  public Heat {
    Parameters.atLeast("heat", "size", size, 4);
    Parameters.positive("heat", "mean", mean);
    Parameters.positive("heat", "strength", strength);
    Parameters.positive("heat", "alpha", alpha);
    Parameters.positive("heat", "tau", tau);
  }

  /** Returns 64 x 64 points around 300 K, with variations of some tens of kelvin. */
  public static Heat standard() {
    return new Heat(64, 300, 1000, 2, 8);
  }

  /** Returns the same at another resolution. */
  public Heat size(int points) {
    return new Heat(points, mean, strength, alpha, tau);
  }

  /** Returns the problem of the temperature, whose mean is known. */
  @Override
  public Problem problem() {
    return Problem.named("heat")
        .axis(Axis.of("y", 0, 1, size).unit("m").cells())
        .axis(Axis.of("x", 0, 1, size).unit("m").cells())
        .channel("T", "K")
        .constrain(Mass.mean(mean))
        .sensors(Sensors.points(Math.min(30, size * size)))
        .symmetries("mirror:y", "mirror:x", "transpose")
        .simulator(this)
        .build();
  }

  @Override
  public double[] sample(Rng rng) {
    return solve(new CosineField(size, alpha, tau).sample(rng));
  }

  /**
   * Returns the temperature (size, size) for a source at the centres of the cells; the mean of the
   * source is ignored.
   *
   * @throws IllegalArgumentException when the source has another number of values or one that is
   *     not finite
   */
  public double[] solve(double[] source) {
    Parameters.length("heat", "source", source.length, size * size);
    Parameters.finite("heat", "source", source);
    try (Scope _ = Scope.open()) {
      Tensor q = Tensor.of(source, size, size);
      double[] modes = Fourier.dct2(Fourier.dct2(q, 0), 1).toDoubles();
      modes[0] = 0;
      for (int i = 1; i < modes.length; i++) {
        double k = i / size;
        double l = i % size;
        modes[i] *= strength / (Math.PI * Math.PI * (k * k + l * l));
      }
      Tensor deviation = Fourier.idct2(Fourier.idct2(Tensor.of(modes, size, size), 0), 1);
      return deviation.add(mean).toDoubles();
    }
  }

  @Override
  public Map<String, Object> parameters() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("equation", "heat");
    map.put("size", size);
    map.put("mean", mean);
    map.put("strength", strength);
    map.put("source", new CosineField(size, alpha, tau).parameters());
    return map;
  }
}
