package io.perflow.physics.constraint;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import java.util.Arrays;

/** Some channels of a field by their numbers; none given means all. */
final class Channels {
  private Channels() {}

  /** Returns a copy of a user's choice, checked. */
  static int[] distinct(String op, int... channels) {
    boolean valid = Arrays.stream(channels).distinct().count() == channels.length;
    for (int channel : channels) {
      valid &= channel >= 0;
    }
    Check.that(valid, op, "channels %s must differ and not be negative", Arrays.toString(channels));
    return channels.clone();
  }

  /** Returns the chosen channels of a field of this shape. */
  static int[] of(String op, int[] channels, Shape field) {
    int[] chosen = channels;
    if (chosen.length == 0) {
      chosen = new int[field.dim(1)];
      Arrays.setAll(chosen, c -> c);
    }
    for (int channel : chosen) {
      Check.that(
          channel < field.dim(1),
          op,
          "channel %d is outside field %s with %d channels",
          channel,
          field,
          field.dim(1));
    }
    return chosen;
  }
}
