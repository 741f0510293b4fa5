package io.perflow.cli.reproduce;

import io.perflow.flow.Recipe;
import io.perflow.flow.TrainConfig;
import io.perflow.flow.baseline.EdmDenoiser;
import io.perflow.flow.baseline.ScoreModel;
import io.perflow.flow.baseline.SurrogateConfig;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.tensor.Named;

/** The sizes of a reproduction: grids, networks, schedules, numbers of fields and of steps. */
public enum Scale {
  /** A few minutes for every line of every study; the numbers mean nothing. */
  SMOKE(16, 16, 2, 4, 8, 4, 5) {
    @Override
    UNetConfig network(Benchmark benchmark) {
      return UNetConfig.of(16).patch(4).blocks(1).heads(2).groups(4).timeWidth(16);
    }

    @Override
    TrainConfig training(Benchmark benchmark, Model model, int fields, long seed) {
      return TrainConfig.fast(10, 4, seed);
    }
  },

  /** A night on two cores, which shows the order of the systems. */
  CPU(64, 2000, 20, 50, 2000, 20, 300) {
    @Override
    int grid(Benchmark benchmark) {
      return switch (benchmark) {
        case BURGERS -> 128;
        case POISSON, DARCY -> 64;
        case NS -> 32;
      };
    }

    @Override
    UNetConfig network(Benchmark benchmark) {
      return patches(grid(benchmark));
    }

    @Override
    TrainConfig training(Benchmark benchmark, Model model, int fields, long seed) {
      return TrainConfig.fast(2000, 8, seed).rate(1e-3).ema(0.998);
    }
  },

  /** The paper's grids, sensors and numbers of fields with the schedule of two cores. */
  GRID(128, 5000, 20, 50, 2000, 20, 300) {
    @Override
    int grid(Benchmark benchmark) {
      return benchmark.size();
    }

    @Override
    int training(Benchmark benchmark) {
      return benchmark == Benchmark.NS ? 1000 : super.training(benchmark);
    }

    @Override
    UNetConfig network(Benchmark benchmark) {
      // Permeability jumps, so its patches are smaller. Attention among all 32 x 32 of them would
      // take most of the time.
      return benchmark == Benchmark.DARCY
          ? UNetConfig.of(64, 128)
              .patch(grid(benchmark) / 32)
              .blocks(1)
              .attention(false, true)
              .timeWidth(128)
          : patches(grid(benchmark));
    }

    @Override
    TrainConfig training(Benchmark benchmark, Model model, int fields, long seed) {
      return CPU.training(benchmark, model, fields, seed);
    }
  },

  /** The paper's own sizes and schedules. */
  PAPER(128, 5000, 20, 50, 2000, 20, 1000) {
    @Override
    int grid(Benchmark benchmark) {
      return benchmark.size();
    }

    @Override
    UNetConfig network(Benchmark benchmark) {
      return UNetConfig.paper();
    }

    @Override
    TrainConfig training(Benchmark benchmark, Model model, int fields, long seed) {
      return TrainConfig.paper(fields, benchmark.batch(), benchmark.epochs(), seed)
          .rate(model.rate());
    }
  };

  private final int grid;
  private final int training;
  private final int test;
  private final int few;
  private final int many;
  private final int members;
  private final int iterations;

  Scale(int grid, int training, int test, int few, int many, int members, int iterations) {
    this.grid = grid;
    this.training = training;
    this.test = test;
    this.few = few;
    this.many = many;
    this.members = members;
    this.iterations = iterations;
  }

  // 16 x 16 patches with attention among all
  private static UNetConfig patches(int grid) {
    return UNetConfig.of(96, 128).patch(grid / 16).blocks(1).attention(true, true).timeWidth(128);
  }

  /** Returns the scale of a name. */
  public static Scale of(String name) {
    return Named.parse(Scale.class, name, "scale");
  }

  /** Returns the number of points along an axis. */
  int grid(Benchmark benchmark) {
    return grid;
  }

  /** Returns the U-Net of all systems that have one; channels are set by each. */
  abstract UNetConfig network(Benchmark benchmark);

  /** Returns how a model is trained. */
  abstract TrainConfig training(Benchmark benchmark, Model model, int fields, long seed);

  /** Returns the number of fields to train on. */
  int training(Benchmark benchmark) {
    return training;
  }

  /** Returns the number of fields by which the best weights are chosen. */
  int validation(Benchmark benchmark) {
    return this == PAPER ? 1000 : Math.clamp(training(benchmark) / 40, 4, 64);
  }

  /** Returns the number of test fields. */
  int test() {
    return test;
  }

  /**
   * Returns the number of test fields for a system that needs this many network evaluations per
   * sample: on two cores a quarter of all where a field takes minutes.
   */
  int test(double evaluations) {
    return onTwoCores() && evaluations >= 5000 ? test / 4 : test;
  }

  private boolean onTwoCores() {
    return this == CPU || this == GRID;
  }

  /**
   * Returns whether the rows of a method are made without being requested by name. On the paper's
   * grids, guided methods and inverted surrogates would take most of a day.
   */
  boolean includes(Method method) {
    return switch (method) {
      case DIFFUSION_PDE, DIFFUSION_PDE_SEPARATE, S3GM, UNET, FNO, F_FNO -> this != GRID;
      default -> true;
    };
  }

  /** Returns the number of steps in place of the paper's 50. */
  int few() {
    return few;
  }

  /** Returns the number of steps in place of the paper's 1000 and 2000. */
  int many(int paper) {
    return this == SMOKE ? many : paper;
  }

  /** Returns the samples of an ensemble. */
  int members() {
    return members;
  }

  /** Returns the steps of an optimised inversion. */
  int iterations() {
    return iterations;
  }

  /** Returns the least number of CPU seconds that a system is timed at a time. */
  double timed() {
    return this == SMOKE ? 0 : 2;
  }

  /**
   * Returns the paper's number of sensors, or a number in proportion to the area of a smaller grid.
   */
  int sensors(Benchmark benchmark) {
    return benchmark == Benchmark.BURGERS
        ? benchmark.sensors()
        : forArea(benchmark, benchmark.sensors());
  }

  /**
   * Returns the number of points that corresponds, by area, to a number of points on the paper's
   * grid.
   */
  int forArea(Benchmark benchmark, int points) {
    double ratio = (double) grid(benchmark) / benchmark.size();
    return Math.max(1, (int) Math.round(points * ratio * ratio));
  }

  /** Returns the number of training fields that corresponds to a part of the paper's 5000. */
  int forShare(int fields) {
    return Math.max(2, Math.round((float) fields * training / 5000));
  }

  /** Returns the recipe of the flow whose network and condition most systems share. */
  Recipe recipe() {
    return this == PAPER ? Recipe.PAPER : Recipe.FAST;
  }

  /** Returns the sizes of a network between fields. */
  SurrogateConfig surrogate(SurrogateConfig.Kind kind) {
    return switch (this) {
      case SMOKE ->
          kind == SurrogateConfig.Kind.UNET
              ? new SurrogateConfig(kind, 4, 0, 2)
              : new SurrogateConfig(kind, 8, 4, 2);
      case CPU, GRID ->
          switch (kind) {
            case UNET -> new SurrogateConfig(kind, 16, 0, 4);
            case FNO -> new SurrogateConfig(kind, 24, 12, 4);
            case F_FNO -> new SurrogateConfig(kind, 32, 16, 4);
          };
      case PAPER -> SurrogateConfig.published(kind);
    };
  }

  /**
   * Returns what the network of DiffusionPDE predicts: as published, or a field that is learnt in
   * fewer steps.
   */
  EdmDenoiser.Output denoiser() {
    return this == PAPER ? EdmDenoiser.Output.MIXED : EdmDenoiser.Output.FIELD;
  }

  /** Returns what the network of S3GM predicts, likewise. */
  ScoreModel.Output score() {
    return this == PAPER ? ScoreModel.Output.SCORE : ScoreModel.Output.FIELD;
  }

  @Override
  public String toString() {
    return Named.of(this);
  }
}
