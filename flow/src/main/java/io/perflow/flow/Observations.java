package io.perflow.flow;

import io.perflow.physics.Normalization;
import io.perflow.physics.Readings;
import io.perflow.tensor.Check;
import io.perflow.tensor.Device;
import io.perflow.tensor.Tensor;
import java.util.Arrays;

/**
 * Readings on the grid as networks receive them: y = M ⊙ x and the mask M, for a batch of fields,
 * in normalized units. {@link io.perflow.physics.Readings} holds readings in physical units at any
 * place.
 *
 * <p>Channels may share a mask, so there are G planes for C channels with G dividing C; channel c
 * is seen through plane c mod G. For two components over ten frames, u₁…u₁₀ v₁…v₁₀ with ten planes,
 * the components of a frame share one.
 *
 * @param values the readings at the sensors and zero elsewhere, [batch, C, height, width]
 * @param planes 1 at the sensors and 0 elsewhere, [batch, G, height, width]; preferably on the CPU,
 *     where nearest sensors are searched
 */
public record Observations(Tensor values, Tensor planes) {

  /** Checks that the shapes belong together. */
  public Observations {
    Check.rank("observations", "values", values, 4);
    Check.rank("observations", "mask", planes, 4);
    Check.that(
        values.dim(0) == planes.dim(0)
            && values.dim(2) == planes.dim(2)
            && values.dim(3) == planes.dim(3)
            && planes.dim(1) > 0
            && values.dim(1) % planes.dim(1) == 0,
        "observations",
        "values %s and mask %s: batch, height and width must agree and the channels of the mask"
            + " must divide those of the values",
        values.shape(),
        planes.shape());
  }

  /** Reads fields at these sensors. */
  public static Observations of(Tensor fields, Tensor planes) {
    Tensor mask = expand(planes.to(fields.type()).to(fields.device()), fields.dim(1));
    return new Observations(fields.mul(mask), planes);
  }

  /**
   * Returns readings in physical units as observations on the grid, normalized by the units of a
   * flow.
   */
  public static Observations of(Readings readings, Normalization units) {
    Readings.Raster raster = readings.raster();
    return of(units.normalize(raster.values()), raster.planes());
  }

  /** Returns the mask of every channel, [batch, C, height, width], beside the values. */
  public Tensor mask() {
    return expand(planes.to(values.device()), values.dim(1));
  }

  /** Returns the observations of one field of the batch. */
  public Observations select(int index) {
    return new Observations(
        values.slice(0, index, index + 1).contiguous(),
        planes.slice(0, index, index + 1).contiguous());
  }

  /** Returns the same with the values on a device. */
  public Observations to(Device device) {
    return new Observations(values.to(device), planes);
  }

  private static Tensor expand(Tensor planes, int channels) {
    int repeats = channels / planes.dim(1);
    if (repeats == 1) {
      return planes;
    }
    Tensor[] parts = new Tensor[repeats];
    Arrays.fill(parts, planes);
    return Tensor.concat(1, parts);
  }
}
