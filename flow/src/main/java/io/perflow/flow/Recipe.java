package io.perflow.flow;

import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Benchmark;
import io.perflow.physics.Normalization;
import io.perflow.tensor.Named;
import java.util.List;

/** Named ways to build and train a flow for a benchmark. */
public enum Recipe {
  /**
   * The paper's choices: a velocity network that is told readings and mask, Gaussian noise, and its
   * schedule of hundreds of epochs. Where the paper is silent, the U-Net is the preset {@code
   * paper}.
   */
  PAPER {
    @Override
    public FlowConfig flow(Benchmark benchmark, int height, int width, Normalization units) {
      return config(
          benchmark,
          height,
          width,
          units,
          UNetConfig.paper(),
          FlowConfig.Prediction.VELOCITY,
          Conditioning.paper(),
          benchmark == Benchmark.NS ? Base.RANDOM_FIELD : Base.GAUSSIAN);
    }

    @Override
    public TrainConfig training(Benchmark benchmark, int fields, long steps, long seed) {
      int batch = benchmark == Benchmark.NS ? 10 : 24;
      int epochs =
          switch (benchmark) {
            case BURGERS -> 300;
            case POISSON, DARCY -> 500;
            case NS -> 800;
          };
      TrainConfig paper = TrainConfig.paper(fields, batch, epochs, seed);
      return steps == 0 ? paper : paper.steps(steps);
    }
  },

  /**
   * For two cores and minutes to hours: the network corrects a field filled in from the sensors
   * (for Navier-Stokes it gives the whole one, as a stream function), sees patches instead of
   * pixels, and starts from smooth noise. White noise of unit variance hides nothing of a smooth
   * field beyond the first few percent of the path, which uniform times hardly visit; smooth noise
   * hides it until half way.
   */
  FAST {
    @Override
    public FlowConfig flow(Benchmark benchmark, int height, int width, Normalization units) {
      return config(
          benchmark,
          height,
          width,
          units,
          fastNetwork(height),
          benchmark == Benchmark.NS
              ? FlowConfig.Prediction.CLEAN
              : FlowConfig.Prediction.CORRECTION,
          Conditioning.rich(
              benchmark == Benchmark.BURGERS ? Conditioning.Fill.ROWS : Conditioning.Fill.NEAREST),
          Base.RANDOM_FIELD);
    }

    @Override
    public TrainConfig training(Benchmark benchmark, int fields, long steps, long seed) {
      return TrainConfig.fast(steps == 0 ? 4000 : steps, 16, symmetry(benchmark), seed);
    }
  };

  /** What is built. */
  public abstract FlowConfig flow(Benchmark benchmark, int height, int width, Normalization units);

  /**
   * How it is trained.
   *
   * @param fields how many there are to train on
   * @param steps optimizer steps, 0 for the recipe's own
   */
  public abstract TrainConfig training(Benchmark benchmark, int fields, long steps, long seed);

  /** By name. */
  public static Recipe of(String name) {
    return Named.parse(Recipe.class, name, "recipe");
  }

  private static FlowConfig config(
      Benchmark benchmark,
      int height,
      int width,
      Normalization units,
      UNetConfig network,
      FlowConfig.Prediction prediction,
      Conditioning condition,
      Base base) {
    Domain domain =
        new Domain(
            benchmark.channels().size(),
            benchmark.maskPlanes(height, width).count(),
            height,
            width,
            benchmark.periodicHeight(),
            benchmark.periodicWidth());
    FlowConfig.Head head =
        benchmark == Benchmark.NS ? FlowConfig.Head.STREAM_FUNCTION : FlowConfig.Head.DIRECT;
    return new FlowConfig(
            benchmark.toString(),
            domain,
            units,
            network,
            prediction,
            head,
            condition,
            base,
            Times.UNIFORM,
            true)
        .fit();
  }

  // patches that leave 16 x 16 of them on the finest level, with attention among all
  private static UNetConfig fastNetwork(int height) {
    int patch = Math.max(1, height / 16);
    return new UNetConfig(
        1, 1, patch, List.of(128, 256), 2, List.of(true, true), 4, 8, 256, false, false);
  }

  /** The symmetries of a benchmark that training may use. */
  public static Augmentation symmetry(Benchmark benchmark) {
    return switch (benchmark) {
      case BURGERS -> Augmentation.ODD_LINE;
      case POISSON, DARCY -> Augmentation.SQUARE;
      case NS -> Augmentation.DIAGONAL;
    };
  }
}
