package io.perflow.physics;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Which channels are observed by the same sensors: a plane is one set of sensors on the grid, and
 * every channel belongs to one plane.
 *
 * <p>Networks are given each plane once, fields are masked channel by channel; {@link #expand}
 * leads from the one to the other.
 *
 * @param height rows of the grid
 * @param width columns of the grid
 * @param ofChannel the plane of each channel; planes count from 0 without gaps
 */
public record MaskPlanes(int height, int width, List<Integer> ofChannel) {

  public MaskPlanes {
    ofChannel = List.copyOf(ofChannel);
    Check.that(
        height > 0 && width > 0,
        "mask planes",
        "the grid is %d x %d, it has no cell",
        height,
        width);
    Check.that(!ofChannel.isEmpty(), "mask planes", "no channels");
    int planes = Collections.max(ofChannel) + 1;
    Check.that(
        ofChannel.stream().distinct().count() == planes && Collections.min(ofChannel) == 0,
        "mask planes",
        "planes %s must be 0, 1, … without gaps",
        ofChannel);
  }

  /** All channels are observed at the same places. */
  public static MaskPlanes shared(int channels, int height, int width) {
    return new MaskPlanes(height, width, Collections.nCopies(channels, 0));
  }

  /** Every channel is observed at places of its own. */
  public static MaskPlanes independent(int channels, int height, int width) {
    return new MaskPlanes(height, width, IntStream.range(0, channels).boxed().toList());
  }

  /**
   * Every frame is observed at places of its own, which its components share; channel {@code
   * component · frames + frame}.
   */
  public static MaskPlanes perFrame(int frames, int components, int height, int width) {
    return new MaskPlanes(
        height,
        width,
        IntStream.range(0, frames * components).mapToObj(c -> c % frames).toList());
  }

  /** Number of planes. */
  public int count() {
    return Collections.max(ofChannel) + 1;
  }

  /** Number of channels. */
  public int channels() {
    return ofChannel.size();
  }

  /** Numbers of one plane. */
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
    Check.sameShape("mask", "planes", planes, Shape.of(planes.dim(0), count(), height, width));
    if (count() == channels()) {
      return planes;
    }
    return planes.gather(1, ofChannel.stream().mapToInt(Integer::intValue).toArray());
  }
}
