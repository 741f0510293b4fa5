package io.perflow.physics.solver;

import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.List;
import java.util.Map;

/** The viscous Burgers equation on a circle, a field over time and space. */
public final class BurgersBenchmark implements Benchmark {
  /** The number of steps of the reference to t = 1. */
  private static final int STEPS = 127;

  /** Creates the benchmark for the service loader. */
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
    // Fewer rows are further apart in time, and one step from row to row would be unstable.
    return equation.size(size, size).substeps(Math.ceilDiv(STEPS, Math.max(1, size - 1)));
  }

  @Override
  public Burgers equation(Map<String, Object> parameters) throws FileFormatException {
    String what = "problem.equation";
    Map<String, Object> initial = Json.object(parameters.get("initial"), what + ".initial");
    return new Burgers(
        Parameters.count(parameters, "times", what),
        Parameters.count(parameters, "points", what),
        Json.number(parameters.get("viscosity"), what + ".viscosity"),
        Json.number(initial.get("gamma"), what + ".initial.gamma"),
        Json.number(initial.get("tau"), what + ".initial.tau"),
        Json.number(initial.get("sigma"), what + ".initial.sigma"),
        Json.flag(parameters.get("dealias"), what + ".dealias"),
        Parameters.count(parameters, "substeps", what));
  }
}
