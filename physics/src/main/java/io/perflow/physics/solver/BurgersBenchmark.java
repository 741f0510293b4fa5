package io.perflow.physics.solver;

import java.util.List;
import java.util.Map;

/** Viscous Burgers equation on a circle, a field over time and space. */
public final class BurgersBenchmark implements Benchmark {
  /** Steps of the reference to t = 1. */
  private static final int STEPS = 127;

  /** For the service loader. */
  public BurgersBenchmark() {}

  @Override
  public String name() {
    return "burgers";
  }

  @Override
  public List<Preset> presets() {
    return List.of(
        new Preset("paper", "initial fields N(0, 625 (-Δ + 25)⁻²), as the text of PerFlow says"),
        new Preset("diffusionpde", "γ = 2.5, τ = 7, σ = 49, as DiffusionPDE's generator has it"));
  }

  @Override
  public Map<String, List<String>> arrays() {
    return Map.of("u", List.of("output", "u"));
  }

  @Override
  public int size() {
    return 128;
  }

  @Override
  public Burgers generator(String preset, int size) {
    Burgers equation = preset(preset).equals("paper") ? Burgers.paper() : Burgers.diffusionPde();
    // Fewer rows are further apart in time, and one step from row to row would not stay stable.
    return equation.size(size, size).substeps((STEPS + size - 2) / Math.max(1, size - 1));
  }
}
