package io.perflow.flow;

import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Dataset;
import io.perflow.physics.Grid;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Sensors;
import io.perflow.physics.constraint.DivergenceFree;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Named;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/** The named ways to build and train a flow. */
public enum Recipe {
  /**
   * The choices of the paper: a velocity network that receives readings and mask, Gaussian noise,
   * and a schedule of hundreds of epochs. Where the paper is silent, the U-Net is the preset {@code
   * paper}.
   */
  PAPER {
    @Override
    public FlowConfig flow(Problem problem, Normalization units) {
      return new FlowConfig(
          problem,
          units,
          UNetConfig.paper(),
          FlowConfig.Prediction.VELOCITY,
          head(problem),
          Conditioning.paper(),
          incompressible(problem) ? SourceDistribution.RANDOM_FIELD : SourceDistribution.GAUSSIAN,
          TimeSampler.UNIFORM,
          true);
    }

    @Override
    UNetConfig network(Grid grid, int fields) {
      return UNetConfig.paper();
    }

    @Override
    public TrainConfig training(int fields, long steps, long seed) {
      TrainConfig paper = TrainConfig.paper(fields, 24, 500, seed);
      return steps == 0 ? paper : paper.steps(steps);
    }
  },

  /**
   * A recipe for two cores and minutes to hours. The network corrects a field filled in from the
   * sensors (for incompressible flow it predicts the whole field, as a stream function) and sees
   * patches instead of pixels, and the flow starts from smooth noise. White noise of unit variance
   * hides a smooth field only in the first few percent of the path, where uniform times seldom lie;
   * smooth noise hides it until half way.
   */
  FAST {
    @Override
    public FlowConfig flow(Problem problem, Normalization units) {
      FlowConfig.Head head = head(problem);
      return new FlowConfig(
          problem,
          units,
          network(problem.grid(), Integer.MAX_VALUE),
          prediction(head),
          head,
          Conditioning.rich(fill(problem)),
          SourceDistribution.RANDOM_FIELD,
          TimeSampler.UNIFORM,
          true);
    }

    @Override
    UNetConfig network(Grid grid, int fields) {
      // About 16 x 16 patches on the finest level, with attention among all of them.
      int patch = (int) Math.max(1, Math.round(Math.sqrt(grid.cells() / 256.0)));
      // A large network memorizes a few fields, and a small one is four times as fast.
      int width = fields < MANY_FIELDS ? 64 : 128;
      return UNetConfig.of(width, 2 * width).patch(patch).attention(true, true);
    }

    @Override
    public TrainConfig training(int fields, long steps, long seed) {
      return TrainConfig.fast(steps == 0 ? 4000 : steps, 16, seed);
    }
  },

  /**
   * The default recipe, which needs the least training. The flow starts from the Gaussian with the
   * data's mean and covariance: untrained it is kriging, and training teaches it what is not
   * Gaussian.
   */
  PRIOR {
    @Override
    public FlowConfig flow(Problem problem, Normalization units) {
      return new FlowConfig(
          problem,
          units,
          network(problem.grid(), Integer.MAX_VALUE),
          FlowConfig.Prediction.PRIOR,
          head(problem),
          Conditioning.rich(Conditioning.Fill.PRIOR),
          SourceDistribution.PRIOR,
          TimeSampler.UNIFORM,
          true);
    }

    @Override
    UNetConfig network(Grid grid, int fields) {
      return FAST.network(grid, fields);
    }

    @Override
    public TrainConfig training(int fields, long steps, long seed) {
      // A few minutes unless more is asked for: the prior is enough for small data sets, and a run
      // in which the network no longer helps should end.
      return steps == 0
          ? TrainConfig.fast(1500, 16, seed).patience(6)
          : FAST.training(fields, steps, seed);
    }
  };

  private static final int MANY_FIELDS = 2000;

  /** Returns the configuration of a flow for a problem. */
  public abstract FlowConfig flow(Problem problem, Normalization units);

  /** Returns a network for a grid and a number of training fields. */
  abstract UNetConfig network(Grid grid, int fields);

  /**
   * Returns the training configuration.
   *
   * @param fields number of training fields
   * @param steps optimizer steps; 0 for the recipe's default
   */
  public abstract TrainConfig training(int fields, long steps, long seed);

  /**
   * Returns the configuration of a flow for a data set. The network's size suits the number of
   * fields. There is no stream function when the velocities have a mean, since it cannot represent
   * one.
   */
  public FlowConfig flow(Dataset data) {
    FlowConfig config = flow(data.problem(), data.normalization());
    if (config.head() == FlowConfig.Head.STREAM_FUNCTION && hasMeanFlow(data)) {
      config = direct(config);
    }
    return config.network(network(data.problem().grid(), data.size()));
  }

  private static FlowConfig direct(FlowConfig config) {
    return config
        .head(FlowConfig.Head.DIRECT)
        .prediction(
            config.prediction() == FlowConfig.Prediction.CLEAN
                ? FlowConfig.Prediction.CORRECTION
                : config.prediction());
  }

  private static boolean hasMeanFlow(Dataset data) {
    try (Scope _ = Scope.open()) {
      Tensor few = data.first(Math.min(data.size(), 16)).fields().to(DataType.F64);
      double mean = few.mean(2, 3).square().mean().item();
      return mean > 1e-8 * few.square().mean().item();
    }
  }

  /** Returns a recipe by its name. */
  public static Recipe of(String name) {
    return Named.parse(Recipe.class, name, "recipe");
  }

  private static boolean incompressible(Problem problem) {
    return problem.constraints().contains(DivergenceFree.spectral());
  }

  private static FlowConfig.Head head(Problem problem) {
    return incompressible(problem) ? FlowConfig.Head.STREAM_FUNCTION : FlowConfig.Head.DIRECT;
  }

  private static FlowConfig.Prediction prediction(FlowConfig.Head head) {
    return head == FlowConfig.Head.DIRECT
        ? FlowConfig.Prediction.CORRECTION
        : FlowConfig.Prediction.CLEAN;
  }

  // Places that are read along the whole first axis give every row the same sensors.
  private static Conditioning.Fill fill(Problem problem) {
    Sensors law = problem.sensors();
    boolean columns =
        law.pattern() == Sensors.Pattern.LINES && problem.grid().dimension(law.axis()) == 3;
    return columns ? Conditioning.Fill.ROWS : Conditioning.Fill.NEAREST;
  }
}
