package io.perflow.physics.solver;

import java.util.List;

/** The temperature of a plate, a problem for experiments. */
public final class HeatBenchmark implements Benchmark {
  /** Creates the benchmark for the service loader. */
  public HeatBenchmark() {}

  @Override
  public String name() {
    return "heat";
  }

  @Override
  public List<Preset> presets() {
    return List.of(new Preset("plate", "an insulated plate around 300 K, heated at random"));
  }

  @Override
  public int size() {
    return 64;
  }

  @Override
  public Heat generator(String preset, int size) {
    preset(preset); // throws for an unknown preset
    return Heat.standard().size(size);
  }
}
