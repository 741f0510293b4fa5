package io.perflow.physics.constraint;

import io.perflow.physics.Problem;
import io.perflow.tensor.Check;
import io.perflow.tensor.Tensor;
import java.util.Optional;

/**
 * A fixed kinetic energy: the mean of (u² + v²) / 2 over the grid is E, for every frame.
 *
 * <p>Fields are [batch, 2F, height, width] as in {@link DivergenceFree}; the residual, mean - E, is
 * [batch, F]. The manifold is a sphere for each frame, so flows on it need {@link
 * Projector#project} after every step.
 */
public final class KineticEnergy implements Constraint {
  private final Constant energy; // [batch or 1, frames or 1]

  private KineticEnergy(Tensor energy) {
    this.energy = Constant.of(energy);
  }

  /** Prescribes one energy for all frames of all samples. */
  public static KineticEnergy of(double energy) {
    return of(Tensor.of(new double[] {energy}, 1, 1));
  }

  /**
   * Prescribes an energy for every frame.
   *
   * @param energy the energies, of shape [frames] or [batch, frames], extents of 1 standing for
   *     all; positive
   */
  public static KineticEnergy of(Tensor energy) {
    Check.that(
        energy.rank() == 1 || energy.rank() == 2,
        "kinetic energy",
        "energy %s must be [frames] or [batch, frames]",
        energy.shape());
    Tensor numbers = Broadcasting.fourAxes("kinetic energy", "energy", energy);
    for (double number : numbers.toDoubles()) {
      Check.that(number > 0, "kinetic energy", "energy %s must be positive", number);
    }
    return new KineticEnergy(numbers.reshape(numbers.dim(2), numbers.dim(3)));
  }

  @Override
  public String name() {
    return "kinetic energy";
  }

  @Override
  public Optional<String> text(Problem problem) {
    return energy.exact().size() == 1
        ? ConstraintText.energy(energy.exact().item(), problem)
        : Optional.empty();
  }

  @Override
  public Tensor residual(Tensor x) {
    Check.rank(name(), "field", x, 4);
    Check.that(
        x.dim(1) > 0 && x.dim(1) % 2 == 0,
        name(),
        "field %s has %d channels: velocities have u and v, an even number",
        x.shape(),
        x.dim(1));
    int frames = x.dim(1) / 2;
    Tensor wanted = energy.like(x);
    boolean fits =
        (wanted.dim(0) == 1 || wanted.dim(0) == x.dim(0))
            && (wanted.dim(1) == 1 || wanted.dim(1) == frames);
    Check.that(
        fits,
        name(),
        "energies %s do not fit field %s of %d frames",
        wanted.shape(),
        x.shape(),
        frames);
    Tensor squares = x.square().mean(2, 3).reshape(x.dim(0), 2, frames);
    return squares.sum(1).mul(0.5).sub(wanted);
  }
}
