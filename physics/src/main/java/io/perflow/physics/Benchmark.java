package io.perflow.physics;

import io.perflow.physics.MaskSampler.Line;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.Dirichlet;
import io.perflow.physics.constraint.DivergenceFree;
import io.perflow.physics.constraint.Mass;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The four problems of PerFlow (arXiv 2605.03548): which fields they have, on which grid, and how
 * the paper observes them.
 *
 * <table>
 * <caption>Fields of shape [samples, channels, height, width]</caption>
 * <tr><th>name</th><th>channels</th><th>height x width</th><th>observed</th></tr>
 * <tr><td>burgers</td><td>u</td><td>128 times x 128 places, periodic in space</td>
 *     <td>5 places at all times</td></tr>
 * <tr><td>poisson</td><td>f, u</td><td>128 x 128 nodes, the boundary included</td>
 *     <td>500 cells of each, drawn independently</td></tr>
 * <tr><td>darcy</td><td>a, p</td><td>128 x 128 nodes, the boundary included</td>
 *     <td>500 cells of each, drawn independently</td></tr>
 * <tr><td>ns</td><td>u1 … u10, v1 … v10</td><td>64 x 64, periodic, 10 frames</td>
 *     <td>200 cells of each frame, u and v alike</td></tr>
 * </table>
 *
 * <p>Rows are times for Burgers; elsewhere the first axis of the grid is x, the second y.
 */
public enum Benchmark {
  /** Viscous Burgers equation on a circle, a field over time and space. */
  BURGERS(128, List.of("u")),
  /** Poisson equation with a random source, zero on the boundary. */
  POISSON(128, List.of("f", "u")),
  /** Flow through a medium of two permeabilities, zero pressure on the boundary. */
  DARCY(128, List.of("a", "p")),
  /** Velocities of the incompressible Navier-Stokes equations on a torus at ten times. */
  NS(64, velocities());

  /** Number of times of {@link #NS}. */
  public static final int FRAMES = 10;

  private final int size;
  private final List<String> channels;

  Benchmark(int size, List<String> channels) {
    this.size = size;
    this.channels = channels;
  }

  // Components first: channel component · FRAMES + frame. The number is a literal because constants
  // of an enum are not there yet when its values are made.
  private static List<String> velocities() {
    return Stream.of("u", "v")
        .flatMap(name -> IntStream.rangeClosed(1, 10).mapToObj(frame -> name + frame))
        .toList();
  }

  /**
   * The benchmark of a name.
   *
   * @throws IllegalArgumentException listing the names there are
   */
  public static Benchmark of(String name) {
    for (Benchmark benchmark : values()) {
      if (benchmark.toString().equals(name)) {
        return benchmark;
      }
    }
    throw new IllegalArgumentException(
        "unknown benchmark '%s'; known: %s"
            .formatted(
                name,
                Arrays.stream(values())
                    .map(Benchmark::toString)
                    .collect(Collectors.joining(", "))));
  }

  /** Names of the channels, in their order. */
  public List<String> channels() {
    return channels;
  }

  /** Rows of a field at the paper's resolution. */
  public int height() {
    return size;
  }

  /** Columns of a field at the paper's resolution. */
  public int width() {
    return size;
  }

  /** Whether the last row is followed by the first. */
  public boolean periodicHeight() {
    return this == NS;
  }

  /** Whether the last column is followed by the first. */
  public boolean periodicWidth() {
    return this == NS || this == BURGERS;
  }

  /** Channels that share mean and scale: all velocities of {@link #NS}, each channel elsewhere. */
  public List<ChannelGroup> groups() {
    if (this == NS) {
      return List.of(new ChannelGroup(IntStream.range(0, 2 * FRAMES).boxed().toList(), false));
    }
    return IntStream.range(0, channels.size()).mapToObj(ChannelGroup::of).toList();
  }

  /**
   * What all fields satisfy, in physical units: for Burgers the mean over space is 0 at every time;
   * u of Poisson and p of Darcy are 0 on the rim of the grid; velocities are free of divergence,
   * taken spectrally. Darcy data at cell centres ({@link Preset#DIFFUSIONPDE}) do not satisfy it:
   * the boundary is half a cell away from their rim.
   */
  public List<Constraint> constraints() {
    return switch (this) {
      case BURGERS -> List.of(Mass.over(-1));
      case POISSON, DARCY -> List.of(Dirichlet.ring(1));
      case NS -> List.of(DivergenceFree.spectral());
    };
  }

  /** Which channels the same sensors observe, on a grid of the paper's or another resolution. */
  public MaskPlanes maskPlanes(int height, int width) {
    return switch (this) {
      case BURGERS -> MaskPlanes.shared(1, height, width);
      case POISSON, DARCY -> MaskPlanes.independent(2, height, width);
      case NS -> MaskPlanes.perFrame(FRAMES, 2, height, width);
    };
  }

  /** Number of sensors in each plane of a mask, as the paper has it. */
  public int sensors() {
    return switch (this) {
      case BURGERS -> 5;
      case POISSON, DARCY -> 500;
      case NS -> 200;
    };
  }

  /** The paper's masks on the paper's grid. */
  public MaskSampler masks() {
    return masks(size, size, sensors(), sensors());
  }

  /**
   * Masks of the paper's kind on any grid, with from {@code fewest} to {@code most} sensors in each
   * plane: places seen at all times for Burgers, cells otherwise.
   *
   * @throws io.perflow.tensor.ShapeException when the grid has no room for so many
   */
  public MaskSampler masks(int height, int width, int fewest, int most) {
    MaskPlanes planes = maskPlanes(height, width);
    return this == BURGERS
        ? MaskSampler.lines(planes, Line.SPACE, fewest, most)
        : MaskSampler.points(planes, fewest, most);
  }

  /** The name, in lower case. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
