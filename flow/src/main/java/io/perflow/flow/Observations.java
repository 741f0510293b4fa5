package io.perflow.flow;

import io.perflow.tensor.Check;
import io.perflow.tensor.Tensor;

/**
 * What the sensors say: y = M ⊙ x and the mask M, for a batch of fields.
 *
 * <p>Channels may share a mask, so there are G planes for C channels with G dividing C; channel c
 * is seen through plane c mod G. For two components over ten frames, u₁…u₁₀ v₁…v₁₀ with ten planes,
 * the components of a frame share one.
 *
 * @param values readings at the sensors and zero elsewhere, [batch, C, height, width]
 * @param planes 1 at the sensors and 0 elsewhere, [batch, G, height, width]
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

  /** What these sensors see of fields. */
  public static Observations of(Tensor fields, Tensor planes) {
    return new Observations(fields.mul(expand(planes, fields.dim(1))), planes);
  }

  /** The mask of every channel, [batch, C, height, width]. */
  public Tensor mask() {
    return expand(planes, values.dim(1));
  }

  /** One of the batch. */
  public Observations select(int index) {
    return new Observations(
        values.slice(0, index, index + 1).contiguous(),
        planes.slice(0, index, index + 1).contiguous());
  }

  private static Tensor expand(Tensor planes, int channels) {
    int repeats = channels / planes.dim(1);
    if (repeats == 1) {
      return planes;
    }
    Tensor[] parts = new Tensor[repeats];
    java.util.Arrays.fill(parts, planes);
    return Tensor.concat(1, parts);
  }
}
