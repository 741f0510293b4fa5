package io.perflow.physics;

import io.perflow.tensor.Check;
import java.util.List;

/**
 * Channels of one physical quantity, which therefore share one mean and one scale.
 *
 * <p>Two components of a velocity with a scale each would no longer be free of divergence; a common
 * scale leaves the condition as it is.
 *
 * @param channels which channels, counted from 0
 * @param centred whether the mean of the data is subtracted; if not, the mean counts as 0, as for
 *     the components of a vector, whose zero is the state of rest
 */
public record ChannelGroup(List<Integer> channels, boolean centred) {

  public ChannelGroup {
    channels = List.copyOf(channels);
    Check.that(!channels.isEmpty(), "channel group", "no channels");
  }

  /** A channel by itself, with a mean of its own. */
  public static ChannelGroup of(int channel) {
    return new ChannelGroup(List.of(channel), true);
  }
}
