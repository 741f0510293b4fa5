package io.perflow.physics;

import io.perflow.tensor.Check;
import java.util.List;

/**
 * The channels of one physical quantity, which share one mean and one scale.
 *
 * <p>If the two components of a velocity had different scales, it would no longer be
 * divergence-free; a common scale preserves the condition.
 *
 * @param channels the numbers of the channels, counted from 0
 * @param centred whether the mean of the data is subtracted; if not, the mean counts as 0, as for
 *     the components of a vector, whose zero is the state of rest
 */
public record ChannelGroup(List<Integer> channels, boolean centred) {

  public ChannelGroup {
    channels = List.copyOf(channels);
    Check.that(!channels.isEmpty(), "channel group", "no channels");
  }

  /** Returns a group of a single channel, with its own mean. */
  public static ChannelGroup of(int channel) {
    return new ChannelGroup(List.of(channel), true);
  }
}
