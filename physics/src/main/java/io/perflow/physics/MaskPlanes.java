package io.perflow.physics;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;

/**
 * Which channels are observed by the same sensors: a plane is one set of sensors on the grid, and
 * channel c is seen through plane c mod {@code count}.
 *
 * <p>One plane is shared by all channels; as many planes as channels are independent; ten planes
 * for u1 … u10 v1 … v10 give every frame sensors of its own, which its two components share.
 * Networks are given each plane once, fields are masked channel by channel; {@link #expand} leads
 * from the one to the other.
 *
 * @param channels channels of a field
 * @param count distinct planes, a divisor of the channels
 * @param height rows of the grid
 * @param width columns of the grid
 */
public record MaskPlanes(int channels, int count, int height, int width) {

  public MaskPlanes {
    Check.that(
        channels > 0 && count > 0 && channels % count == 0,
        "mask planes",
        "%d planes for %d channels: each plane must serve the same number of channels",
        count,
        channels);
    Check.that(
        height > 0 && width > 0, "mask planes", "a grid of %d x %d has no cell", height, width);
  }

  /** All channels are observed at the same places. */
  public static MaskPlanes shared(int channels, int height, int width) {
    return new MaskPlanes(channels, 1, height, width);
  }

  /** Every channel is observed at places of its own. */
  public static MaskPlanes independent(int channels, int height, int width) {
    return new MaskPlanes(channels, channels, height, width);
  }

  /** Every frame is observed at places of its own; channel {@code component · frames + frame}. */
  public static MaskPlanes perFrame(int frames, int components, int height, int width) {
    return new MaskPlanes(Math.multiplyExact(frames, components), frames, height, width);
  }

  /** Cells of one plane. */
  public int cells() {
    return Math.multiplyExact(height, width);
  }

  /**
   * A mask for every channel: [batch, planes, height, width] to [batch, channels, height, width].
   *
   * @throws io.perflow.tensor.ShapeException when the planes have another shape
   */
  public Tensor expand(Tensor planes) {
    Check.rank("mask", "planes", planes, 4);
    Check.sameShape("mask", "planes", planes, Shape.of(planes.dim(0), count, height, width));
    if (count == channels) {
      return planes;
    }
    int[] ofChannel = new int[channels];
    Arrays.setAll(ofChannel, channel -> channel % count);
    return planes.gather(1, ofChannel);
  }
}
