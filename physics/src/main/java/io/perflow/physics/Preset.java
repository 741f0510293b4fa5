package io.perflow.physics;

import io.perflow.physics.solver.Burgers;
import io.perflow.physics.solver.Darcy;
import io.perflow.physics.solver.FieldGenerator;
import io.perflow.physics.solver.NavierStokes;
import io.perflow.physics.solver.Poisson;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Which of the published conventions the data of a benchmark follow, where text and code disagree.
 *
 * <p>Everything else is a parameter of the solvers themselves.
 */
public enum Preset {
  /**
   * What the text of PerFlow says: Burgers from N(0, 625 (-Δ + 25)⁻²); Darcy at nodes, so that p is
   * exactly 0 on the outer ring; Navier-Stokes on a grid four times as fine as the stored one.
   */
  PAPER,
  /**
   * What the public generators of DiffusionPDE do: Burgers with γ = 2.5, τ = 7, σ = 49; Darcy at
   * cell centres, where p is not 0 on the outer ring; Navier-Stokes on a grid of 128 points for 64
   * stored ones.
   */
  DIFFUSIONPDE,
  /**
   * A Navier-Stokes problem that moves: ten frames to t = 10 instead of 1, viscosity 1e-4 instead
   * of 1e-3. Within the paper's time a field changes by three per cent from frame to frame, so that
   * the sensors of all frames see nearly one picture. Other benchmarks have no such preset.
   */
  HARD;

  /** Largest time step of Burgers: the reference takes 127 steps to t = 1. */
  private static final int BURGERS_STEPS = 127;

  /** The preset of a name. */
  public static Preset of(String name) {
    for (Preset preset : values()) {
      if (preset.toString().equals(name)) {
        return preset;
      }
    }
    throw new IllegalArgumentException(
        "unknown preset '%s'; known: %s"
            .formatted(
                name,
                Arrays.stream(values()).map(Preset::toString).collect(Collectors.joining(", "))));
  }

  /**
   * What makes the samples of a benchmark with {@code size} points along each axis.
   *
   * @throws IllegalArgumentException when the size is too small for the solver
   */
  public FieldGenerator generator(Benchmark benchmark, int size) {
    if (this == HARD && benchmark != Benchmark.NS) {
      throw new IllegalArgumentException("preset hard is for ns alone; " + benchmark + " has none");
    }
    boolean paper = this != DIFFUSIONPDE;
    return switch (benchmark) {
      case BURGERS -> burgers(paper ? Burgers.paper() : Burgers.diffusionPde(), size);
      case POISSON -> Poisson.standard().size(size);
      case DARCY -> Darcy.standard().size(size).grid(paper ? Darcy.Grid.NODES : Darcy.Grid.CELLS);
      case NS ->
          this == HARD
              ? NavierStokes.advective().grid(2 * size, size)
              : NavierStokes.standard().grid((paper ? 4 : 2) * size, size);
    };
  }

  // Fewer rows are further apart in time, and one step from row to row would not stay stable.
  private static Burgers burgers(Burgers equation, int size) {
    Burgers sized = equation.size(size, size);
    return sized.substeps((BURGERS_STEPS + size - 2) / (size - 1));
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
