package io.perflow.physics.solver;

import io.perflow.tensor.Named;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.List;
import java.util.Map;

/** The flow through a medium of two permeabilities, with zero pressure on the boundary. */
public final class DarcyBenchmark implements Benchmark {
  /** Creates the benchmark for the service loader. */
  public DarcyBenchmark() {}

  @Override
  public String name() {
    return "darcy";
  }

  @Override
  public List<Preset> presets() {
    return List.of(
        new Preset("paper", "values at nodes: the pressure is exactly 0 on the outer ring"),
        new Preset("diffusionpde", "values at cell centres: it is not 0 on the outer ring"));
  }

  @Override
  public Map<String, List<String>> arrays() {
    return Map.of(
        "a", List.of("thresh_a_data", "coeff", "a_data", "a"),
        "p", List.of("thresh_p_data", "sol", "p_data", "p", "u"));
  }

  @Override
  public int size() {
    return 128;
  }

  @Override
  public Darcy generator(String preset, int size) {
    boolean paper = preset(preset).equals("paper");
    return Darcy.standard().size(size).grid(paper ? Darcy.Grid.NODES : Darcy.Grid.CELLS);
  }

  @Override
  public Darcy equation(Map<String, Object> parameters) throws FileFormatException {
    String what = "problem.equation";
    Map<String, Object> law = Json.object(parameters.get("levelSet"), what + ".levelSet");
    return new Darcy(
        Parameters.count(parameters, "size", what),
        Json.number(parameters.get("high"), what + ".high"),
        Json.number(parameters.get("low"), what + ".low"),
        Json.number(law.get("alpha"), what + ".levelSet.alpha"),
        Json.number(law.get("tau"), what + ".levelSet.tau"),
        Named.parse(Darcy.Grid.class, Json.text(parameters.get("grid"), what + ".grid"), "grid"),
        Named.parse(Darcy.Face.class, Json.text(parameters.get("face"), what + ".face"), "face"));
  }
}
