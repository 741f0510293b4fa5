package io.perflow.physics;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Ways to choose the units of a network for the data of a benchmark. */
public enum Scaling {
  /** Mean 0 and standard deviation 1 for every {@linkplain Benchmark#groups group} of channels. */
  UNIT,
  /** Mean 0 and standard deviation 0.5, which EDM's noise levels are made for; used by FunDPS. */
  HALF,
  /**
   * The fixed numbers of DiffusionPDE's code, meant to bring its data to (-1, 1): Burgers u /
   * 1.415; Poisson f / 2.15 and 36.5 u; Darcy 0.2 a - 1.5 and 115 p - 0.9. It has none for
   * velocities.
   */
  DIFFUSIONPDE;

  /** The scaling of a name. */
  public static Scaling of(String name) {
    for (Scaling scaling : values()) {
      if (scaling.toString().equals(name)) {
        return scaling;
      }
    }
    throw new IllegalArgumentException(
        "unknown scaling '%s'; known: %s"
            .formatted(
                name,
                Arrays.stream(values()).map(Scaling::toString).collect(Collectors.joining(", "))));
  }

  /**
   * The units for data with these moments.
   *
   * @throws IllegalArgumentException when the scaling has no numbers for the benchmark
   */
  public Normalization fit(Benchmark benchmark, Moments moments) {
    check(benchmark);
    return switch (this) {
      case UNIT -> Normalization.fit(moments, benchmark.groups(), 1);
      case HALF -> Normalization.fit(moments, benchmark.groups(), 0.5);
      case DIFFUSIONPDE -> diffusionPde(benchmark);
    };
  }

  /** Refuses a benchmark that the scaling has no numbers for, before any work is done. */
  void check(Benchmark benchmark) {
    if (this == DIFFUSIONPDE && benchmark == Benchmark.NS) {
      throw new IllegalArgumentException(
          "DiffusionPDE scales vorticity, not velocities; use scaling unit or half for ns");
    }
  }

  private static Normalization diffusionPde(Benchmark benchmark) {
    return switch (benchmark) {
      case BURGERS -> new Normalization(List.of(0.0), List.of(1.415));
      case POISSON -> new Normalization(List.of(0.0, 0.0), List.of(2.15, 1 / 36.5));
      case DARCY -> new Normalization(List.of(7.5, 0.9 / 115), List.of(5.0, 1 / 115.0));
      case NS -> throw new IllegalStateException("checked before");
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
