package io.perflow.physics.solver;

import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.List;
import java.util.Map;

/** The Poisson equation with a random source, zero on the boundary. */
public final class PoissonBenchmark implements Benchmark {
  /** Creates the benchmark for the service loader. */
  public PoissonBenchmark() {}

  @Override
  public String name() {
    return "poisson";
  }

  @Override
  public List<Preset> presets() {
    return List.of(
        new Preset("paper", "the five-point stencil, solved exactly"),
        new Preset("diffusionpde", "the same: text and code agree on what is solved"));
  }

  @Override
  public Map<String, List<String>> arrays() {
    return Map.of(
        "f", List.of("f_data", "f"),
        "u", List.of("phi_data", "u_data", "phi", "u"));
  }

  @Override
  public int size() {
    return 128;
  }

  @Override
  public Poisson generator(String preset, int size) {
    preset(preset); // throws for an unknown preset
    return Poisson.standard().size(size);
  }

  @Override
  public Poisson equation(Map<String, Object> parameters) throws FileFormatException {
    String what = "problem.equation";
    Map<String, Object> law = Json.object(parameters.get("rightHandSide"), what + ".rightHandSide");
    return new Poisson(
        Parameters.count(parameters, "size", what),
        Json.number(law.get("alpha"), what + ".rightHandSide.alpha"),
        Json.number(law.get("tau"), what + ".rightHandSide.tau"),
        Json.flag(parameters.get("sineMultiplier"), what + ".sineMultiplier"));
  }
}
