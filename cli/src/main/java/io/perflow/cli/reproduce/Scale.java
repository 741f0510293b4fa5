package io.perflow.cli.reproduce;

import io.perflow.flow.Recipe;
import io.perflow.flow.TrainConfig;
import io.perflow.flow.baseline.EdmDenoiser;
import io.perflow.flow.baseline.ScoreModel;
import io.perflow.flow.baseline.SurrogateConfig;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.tensor.Named;

/** How large a reproduction is: grids, networks, schedules, numbers of fields and of steps. */
public enum Scale {
  /** Every line of every study in a few minutes; the numbers mean nothing. */
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

  /** A night on two cores: the order of the systems can be seen. */
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

  /** Points along an axis. */
  int grid(Benchmark benchmark) {
    return grid;
  }

  /** Returns the U-Net of all systems that have one; channels are set by each. */
  abstract UNetConfig network(Benchmark benchmark);

  /** Returns how a model is trained. */
  abstract TrainConfig training(Benchmark benchmark, Model model, int fields, long seed);

  /** Fields to train on. */
  int training(Benchmark benchmark) {
    return training;
  }

  /** Fields by which the weights to use are chosen. */
  int validation(Benchmark benchmark) {
    return this == PAPER ? 1000 : Math.clamp(training(benchmark) / 40, 4, 64);
  }

  /** Fields on which systems are judged. */
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
   * Returns whether the rows of a method are made without being asked for by name. On the paper's
   * grids, guided methods and inverted surrogates would take most of a day.
   */
  boolean includes(Method method) {
    return switch (method) {
      case DIFFUSION_PDE, DIFFUSION_PDE_SEPARATE, S3GM, UNET, FNO, F_FNO -> this != GRID;
      default -> true;
    };
  }

  /** What stands for the paper's 50 steps. */
  int few() {
    return few;
  }

  /** What stands for the paper's 1000 and 2000 steps. */
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

  /** Returns the paper's number of sensors, or as many for the area of a smaller grid. */
  int sensors(Benchmark benchmark) {
    return benchmark == Benchmark.BURGERS
        ? benchmark.sensors()
        : forArea(benchmark, benchmark.sensors());
  }

  /** Returns a number of points on the paper's grid, as many for the area of this one. */
  int forArea(Benchmark benchmark, int points) {
    double ratio = (double) grid(benchmark) / benchmark.size();
    return Math.max(1, (int) Math.round(points * ratio * ratio));
  }

  /** Returns a part of the paper's 5000 training fields, as large a part of those here. */
  int forShare(int fields) {
    return Math.max(2, Math.round((float) fields * training / 5000));
  }

  /** Returns how the flow is built whose network and condition most systems share. */
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

  /** What the network of DiffusionPDE gives: as published, or what is learnt in fewer steps. */
  EdmDenoiser.Output denoiser() {
    return this == PAPER ? EdmDenoiser.Output.MIXED : EdmDenoiser.Output.FIELD;
  }

  /** What the network of S3GM gives, likewise. */
  ScoreModel.Output score() {
    return this == PAPER ? ScoreModel.Output.SCORE : ScoreModel.Output.FIELD;
  }

  @Override
  public String toString() {
    return Named.of(this);
  }
}
