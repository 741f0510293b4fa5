package io.perflow.cli;

import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.Dirichlet;
import io.perflow.physics.constraint.DivergenceFree;
import io.perflow.physics.constraint.KineticEnergy;
import io.perflow.physics.constraint.Mass;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A constraint as an argument, {@code NAME[:CHANNEL][=VALUE]}. */
final class ConstraintText {
  private static final Pattern FORM = Pattern.compile("([a-z-]+)(?::([^=]+))?(?:=(.+))?");

  private ConstraintText() {}

  /**
   * The constraint of a text; no channel stands for all, no value for 0.
   *
   * @param channels names of the channels of the field
   * @throws IllegalArgumentException naming what is wrong and what there is
   */
  static Constraint parse(String text, List<String> channels) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "constraint '%s' is not NAME[:CHANNEL][=VALUE], such as mass:%s=0.5"
              .formatted(text, channels.getFirst()));
    }
    int[] chosen = form.group(2) == null ? new int[0] : new int[] {channel(form, channels)};
    return switch (form.group(1)) {
      case "dirichlet" -> Dirichlet.ring(chosen).value(value(form, 0.0));
      case "mass" -> Mass.over(2, 3).channels(chosen).value(value(form, 0.0));
      case "row-mass" -> Mass.over(3).channels(chosen).value(value(form, 0.0));
      case "divergence-free" -> {
        plain(form, 2, 3);
        yield DivergenceFree.spectral();
      }
      case "energy" -> {
        plain(form, 2);
        yield KineticEnergy.of(value(form, null));
      }
      default ->
          throw new IllegalArgumentException(
              "unknown constraint '%s'; known: dirichlet, mass, row-mass, divergence-free, energy"
                  .formatted(form.group(1)));
    };
  }

  private static int channel(Matcher form, List<String> channels) {
    int channel = channels.indexOf(form.group(2));
    if (channel < 0) {
      throw new IllegalArgumentException(
          "constraint '%s': there is no channel '%s'; there are %s"
              .formatted(form.group(), form.group(2), String.join(", ", channels)));
    }
    return channel;
  }

  private static double value(Matcher form, Double otherwise) {
    if (form.group(3) == null && otherwise != null) {
      return otherwise;
    }
    try {
      double value = Double.parseDouble(String.valueOf(form.group(3)));
      if (Double.isFinite(value)) {
        return value;
      }
    } catch (NumberFormatException e) {
      // told below, like a number that is not finite
    }
    throw new IllegalArgumentException(
        "constraint '%s' needs a finite number after '='".formatted(form.group()));
  }

  // velocities are constrained together, and some constraints have no value
  private static void plain(Matcher form, int... groups) {
    for (int group : groups) {
      if (form.group(group) != null) {
        throw new IllegalArgumentException(
            "constraint '%s' takes no %s; leave it out"
                .formatted(form.group(), group == 2 ? "channel" : "value"));
      }
    }
  }
}
