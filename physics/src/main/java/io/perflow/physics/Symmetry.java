package io.perflow.physics;

import io.perflow.tensor.Check;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A transformation that leaves the distribution of the fields unchanged, so that one field of a
 * data set stands for many. As text:
 *
 * <ul>
 *   <li>{@code shift:x}: any shift along the periodic axis x;
 *   <li>{@code shift:x-y}: any shift along x with the opposite one along y, both periodic;
 *   <li>{@code mirror:x}: reflection of the axis x; {@code mirror:x:-u} also changes the sign of
 *       the quantity u, as a reflection does to the component of a vector;
 *   <li>{@code transpose}: exchange of the two axes, for fields on a square grid.
 * </ul>
 *
 * @param kind the kind of transformation
 * @param axes the axes that it transforms
 * @param negated the quantities whose sign it changes
 */
public record Symmetry(Kind kind, List<String> axes, List<String> negated) {
  private static final Pattern FORM =
      Pattern.compile("(shift|mirror):([^:-]+)(?:-([^:-]+))?(?::(-[^:]+))?|transpose");

  /** The kinds of symmetries. */
  public enum Kind {
    /** A shift along a periodic axis, or along a diagonal of two. */
    SHIFT,
    /** A reflection. */
    MIRROR,
    /** An exchange of the axes. */
    TRANSPOSE
  }

  /** Checks that the parts belong together. */
  public Symmetry {
    axes = List.copyOf(axes);
    negated = List.copyOf(negated);
    boolean valid =
        switch (kind) {
          case SHIFT -> !axes.isEmpty() && axes.size() <= 2 && negated.isEmpty();
          case MIRROR -> axes.size() == 1;
          case TRANSPOSE -> axes.isEmpty() && negated.isEmpty();
        };
    Check.that(
        valid && axes.stream().distinct().count() == axes.size(),
        "symmetry",
        "%s of axes %s that negates %s: a shift has one axis or two different ones, a mirror has"
            + " one, a transposition none, and only a mirror negates",
        kind,
        axes,
        negated);
  }

  /** Returns the symmetry for fields that have only these quantities. */
  Symmetry of(List<String> quantities) {
    return new Symmetry(kind, axes, negated.stream().filter(quantities::contains).toList());
  }

  /**
   * Parses a symmetry.
   *
   * @throws IllegalArgumentException showing the possible forms
   */
  public static Symmetry of(String text) {
    Matcher form = FORM.matcher(text.strip());
    if (!form.matches()
        || "mirror".equals(form.group(1)) && form.group(3) != null
        || "shift".equals(form.group(1)) && form.group(4) != null) {
      throw new IllegalArgumentException(
          "'%s' is not a symmetry; write shift:x, shift:x-y, mirror:x, mirror:x:-u or transpose"
              .formatted(Names.brief(text)));
    }
    if (form.group(1) == null) {
      return new Symmetry(Kind.TRANSPOSE, List.of(), List.of());
    }
    Kind kind = form.group(1).equals("shift") ? Kind.SHIFT : Kind.MIRROR;
    List<String> axes =
        form.group(3) == null
            ? List.of(form.group(2).strip())
            : List.of(form.group(2).strip(), form.group(3).strip());
    List<String> negated =
        form.group(4) == null
            ? List.of()
            : Arrays.stream(form.group(4).split(",")).map(Symmetry::afterMinus).toList();
    return new Symmetry(kind, axes, negated);
  }

  private static String afterMinus(String text) {
    String name = text.strip();
    if (!name.startsWith("-")) {
      throw new IllegalArgumentException(
          "quantities that change their sign are written -u,-v, not '%s'".formatted(text));
    }
    return name.substring(1).strip();
  }

  /** Returns the text that {@link #of} reads. */
  @Override
  public String toString() {
    return switch (kind) {
      case SHIFT -> "shift:" + String.join("-", axes);
      case MIRROR ->
          "mirror:"
              + axes.getFirst()
              + (negated.isEmpty() ? "" : ":-" + String.join(",-", negated));
      case TRANSPOSE -> "transpose";
    };
  }
}
