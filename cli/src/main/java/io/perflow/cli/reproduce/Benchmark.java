package io.perflow.cli.reproduce;

import io.perflow.flow.baseline.Guidance;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.residual.PdeResidual;
import io.perflow.physics.solver.FieldGenerator;
import io.perflow.tensor.Named;
import java.util.List;

/** The four problems of the paper, with its numbers where those are not part of the problem. */
public enum Benchmark {
  /** Burgers' equation: five sensors on a circle. */
  BURGERS("Burgers", 128, 5, 24, 300, "odd-line") {
    @Override
    Guidance guidance() {
      return new Guidance(List.of(320.0), true, 100, PdeResidual.of("burgers-published"));
    }

    @Override
    Normalization denoiserUnits(Normalization data) {
      return new Normalization(List.of(0.0), List.of(1.415));
    }
  },
  /** Poisson's equation: 500 sensors for source and solution each. */
  POISSON("Poisson", 128, 500, 24, 500, "square") {
    @Override
    Guidance guidance() {
      return new Guidance(List.of(0.8, 40.0), false, 1, PdeResidual.of("poisson-published"));
    }

    @Override
    Normalization denoiserUnits(Normalization data) {
      return new Normalization(List.of(0.0, 0.0), List.of(2.15, 1 / 36.5));
    }
  },
  /** Darcy's equation: 500 sensors for permeability and pressure each. */
  DARCY("Darcy", 128, 500, 24, 500, "square") {
    @Override
    Guidance guidance() {
      return new Guidance(List.of(5.0, 5000.0), false, 100, PdeResidual.of("darcy-published"));
    }

    @Override
    Normalization denoiserUnits(Normalization data) {
      return new Normalization(List.of(7.5, 0.9 / 115), List.of(5.0, 1 / 115.0));
    }
  },
  /** The Navier-Stokes equations: 200 sensors at each of ten frames. */
  NS("Navier-Stokes", 64, 200, 10, 800, "diagonal") {
    // DiffusionPDE has no weights for velocities; 100 pulls the scaled fields about as hard as its
    // 1 pulls vorticity.
    @Override
    Guidance guidance() {
      return new Guidance(List.of(100.0, 100.0), false, 1, PdeResidual.of("ns-corrected"));
    }

    // DiffusionPDE scales vorticity, not velocities: a standard deviation of 0.5, as its denoiser
    // expects.
    @Override
    Normalization denoiserUnits(Normalization data) {
      return new Normalization(data.mean(), data.scale().stream().map(scale -> 2 * scale).toList());
    }
  };

  private final String title;
  private final int size;
  private final int sensors;
  private final int batch;
  private final int epochs;
  private final String symmetry;

  Benchmark(String title, int size, int sensors, int batch, int epochs, String symmetry) {
    this.title = title;
    this.size = size;
    this.sensors = sensors;
    this.batch = batch;
    this.epochs = epochs;
    this.symmetry = symmetry;
  }

  /** Returns the benchmark of a name. */
  public static Benchmark of(String name) {
    return Named.parse(Benchmark.class, name, "benchmark");
  }

  /** Returns the name in figures. */
  String title() {
    return title;
  }

  /** Returns the number of points along an axis in the paper. */
  int size() {
    return size;
  }

  /** Returns the sensors of each mask in the paper. */
  int sensors() {
    return sensors;
  }

  /** Returns the number of fields per training step in the paper. */
  int batch() {
    return batch;
  }

  /** Returns the number of epochs of training in the paper. */
  int epochs() {
    return epochs;
  }

  /** Returns the name that kept results give to the symmetries of its problem. */
  String symmetry() {
    return symmetry;
  }

  /** Returns the generator of its data, by the conventions of the paper's text. */
  FieldGenerator generator(int points) {
    return io.perflow.physics.solver.Benchmark.named(toString()).generator("paper", points);
  }

  /**
   * Returns the problem on a grid with this many points along each axis, and with this many
   * sensors.
   */
  Problem problem(int points, int fewest, int most) {
    Problem usual = generator(points).problem();
    return usual.with(usual.sensors().count(fewest, most));
  }

  /** Returns whether solutions of its equation can be assimilated. */
  boolean statesEquation() {
    return generator(size).problem().equation().isPresent();
  }

  /** Returns the weights and residuals of DiffusionPDE's code (arXiv 2406.17763). */
  abstract Guidance guidance();

  /** Returns the fixed units of DiffusionPDE's code, meant to bring its data to (-1, 1). */
  abstract Normalization denoiserUnits(Normalization data);

  @Override
  public String toString() {
    return Named.of(this);
  }
}
