package io.perflow.physics.constraint;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Boundary values: x = b on the boundary, or on any other set of places.
 *
 * <pre>{@code
 * Dirichlet walls = Dirichlet.ring(1);             // channel 1 is 0 on the rim of the grid
 * Dirichlet inflow = Dirichlet.on(mask, profile);  // any mask and values
 * }</pre>
 */
public final class Dirichlet extends Prescribed {

  /** An edge of the grid. */
  public enum Edge {
    /** The start of the first axis. */
    FIRST_ROW,
    /** The end of the first axis. */
    LAST_ROW,
    /** The start of the second axis. */
    FIRST_COLUMN,
    /** The end of the second axis. */
    LAST_COLUMN
  }

  private Dirichlet(Region region, Tensor values) {
    super(region, values);
  }

  /**
   * Returns the rim of the grid, first and last row and column, of some channels (of all when none
   * is named), with value 0. It takes its size from the fields to which it is applied.
   */
  public static Dirichlet ring(int... channels) {
    return edges(EnumSet.allOf(Edge.class), channels);
  }

  /** Returns some edges of the grid, of some channels (of all when none is named), with value 0. */
  public static Dirichlet edges(Set<Edge> edges, int... channels) {
    Check.that(!edges.isEmpty(), "boundary", "no edge is named; name at least one");
    return new Dirichlet(
        new Rim(EnumSet.copyOf(edges), channels.clone()), Tensor.of(new double[1], 1, 1, 1, 1));
  }

  /**
   * Prescribes values at any places.
   *
   * @param mask the mask, 1 where values are prescribed, otherwise 0; of shape [height, width],
   *     [channels, height, width] or [batch, channels, height, width], extents of 1 standing for
   *     all
   * @param values the values, of any shape that broadcasts likewise; only those under the mask
   *     matter
   * @throws IllegalArgumentException when the mask is not of 0 and 1, or a prescribed value is not
   *     finite
   */
  public static Dirichlet on(Tensor mask, Tensor values) {
    Masked masked = Masked.of("boundary", mask, values);
    return new Dirichlet(masked.region(), masked.values());
  }

  /** Returns the same places with another value. */
  public Dirichlet value(double value) {
    return values(Tensor.of(new double[] {value}, 1));
  }

  /** Returns the same places with other values, which must all be finite. */
  public Dirichlet values(Tensor values) {
    return new Dirichlet(region(), Broadcasting.fourAxes(name(), "values", values));
  }

  @Override
  public String name() {
    return "boundary";
  }

  /** Returns whether it consists of edges only and prescribes no value inside the grid. */
  boolean onEdges() {
    return region() instanceof Rim;
  }

  /** Returns the values (b - mean) / scale at the same places. */
  @Override
  public Dirichlet normalized(Normalization units) {
    return new Dirichlet(region(), Broadcasting.normalize(values(), units));
  }

  @Override
  public Optional<String> text(Problem problem) {
    if (!(region() instanceof Rim rim) || values().size() != 1) {
      return Optional.empty();
    }
    return ConstraintText.dirichlet(rim.edges, rim.channels, values().item(), problem);
  }

  /** The edges of some channels, or of all if none is given. */
  private record Rim(EnumSet<Edge> edges, int[] channels) implements Region {
    @Override
    public Tensor mask(Shape field) {
      int c = field.dim(1);
      int h = field.dim(2);
      int w = field.dim(3);
      boolean[] chosen = new boolean[c];
      Arrays.fill(chosen, channels.length == 0);
      for (int channel : channels) {
        Check.that(
            channel >= 0 && channel < c,
            "boundary",
            "channel %d is outside field %s with %d channels",
            channel,
            field,
            c);
        chosen[channel] = true;
      }
      double[] mask = new double[c * h * w];
      for (int i = 0; i < mask.length; i++) {
        int row = i / w % h;
        int column = i % w;
        mask[i] = chosen[i / (h * w)] && onEdge(row, column, h, w) ? 1 : 0;
      }
      return Tensor.of(mask, 1, c, h, w);
    }

    private boolean onEdge(int row, int column, int h, int w) {
      return row == 0 && edges.contains(Edge.FIRST_ROW)
          || row == h - 1 && edges.contains(Edge.LAST_ROW)
          || column == 0 && edges.contains(Edge.FIRST_COLUMN)
          || column == w - 1 && edges.contains(Edge.LAST_COLUMN);
    }
  }
}
