package gallery;

import io.perflow.cli.figure.FieldPanel;
import io.perflow.physics.field.PeriodicField;
import io.perflow.physics.field.Variance;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/** The flows in a plane: smooth random ones, and maps of their speed and of their streamlines. */
final class Planes {
  private Planes() {}

  /**
   * Draws velocities [1, 2, n, n] of unit variance with swirls of about a quarter of the square.
   */
  static Tensor smooth(int n, Rng rng) {
    PeriodicField law = PeriodicField.of(Shape.of(n, n), 3, 9, Variance.NOMINAL);
    Tensor u = Tensor.of(law.sample(rng.split("u")), 1, 1, n, n);
    Tensor v = Tensor.of(law.sample(rng.split("v")), 1, 1, n, n);
    return Tensor.concat(1, u, v).mul(1 / law.std());
  }

  /** Returns a map of a field [n, n] over (x, y) on the unit square. */
  static FieldPanel map(String title, Tensor field) {
    return FieldPanel.of(title, field).firstAxisAcross();
  }

  /** Returns the speed of velocities [1, 2, n, n]. */
  static Tensor speed(Tensor velocity) {
    return velocity.square().sum(1).sqrt().squeeze(0);
  }

  /** Returns a field with no numbers where a mask is 1. */
  static Tensor without(Tensor field, Tensor mask) {
    return mask.where(Tensor.of(new double[] {Double.NaN}, 1), field);
  }

  /**
   * Returns waves of a stream function, whose crests are streamlines with the same flow between any
   * two.
   */
  static Tensor streamlines(Tensor psi, double flowBetween) {
    return psi.mul(2 * Math.PI / flowBetween).cos();
  }
}
