package io.perflow.physics.solver;

import io.perflow.physics.equation.Equation;
import io.perflow.tensor.Named;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.List;
import java.util.Map;

/** The velocities of the incompressible Navier-Stokes equations on a torus at ten times. */
public final class NavierStokesBenchmark implements Benchmark {
  /** Creates the benchmark for the service loader. */
  public NavierStokesBenchmark() {}

  @Override
  public String name() {
    return "ns";
  }

  @Override
  public List<Preset> presets() {
    return List.of(
        new Preset("paper", "solved on a grid four times as fine as the stored one"),
        new Preset("diffusionpde", "solved on a grid twice as fine as the stored one"),
        new Preset(
            "hard",
            "frames to t = 10 instead of 1, a tenth of the viscosity and 5 sensors per frame"
                + " instead of 200: within the paper's time a field changes by three per cent from"
                + " frame to frame"));
  }

  @Override
  public Map<String, List<String>> arrays() {
    return Map.of("w", List.of("w", "vorticity", "u"));
  }

  @Override
  public int size() {
    return 64;
  }

  @Override
  public NavierStokes generator(String preset, int size) {
    return switch (preset(preset)) {
      case "hard" -> NavierStokes.advective().grid(2 * size, size);
      case "diffusionpde" -> NavierStokes.standard().grid(2 * size, size);
      default -> NavierStokes.standard().grid(4 * size, size);
    };
  }

  @Override
  public Equation equation(Map<String, Object> parameters) throws FileFormatException {
    String what = "problem.equation";
    String storage = Json.text(parameters.get("storage"), what + ".storage");
    return NavierStokes.standard()
        .grid(
            Parameters.count(parameters, "grid", what), Parameters.count(parameters, "size", what))
        .times(
            Parameters.count(parameters, "frames", what),
            Json.number(parameters.get("time"), what + ".time"))
        .step(Json.number(parameters.get("step"), what + ".step"))
        .fluid(
            Json.number(parameters.get("viscosity"), what + ".viscosity"),
            Json.number(parameters.get("forcing"), what + ".forcing"))
        .storage(Named.parse(NavierStokes.Storage.class, storage, "storage"))
        .equation();
  }
}
