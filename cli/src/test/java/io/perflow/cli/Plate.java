package io.perflow.cli;

import io.perflow.flow.DataSource;
import io.perflow.flow.FlowConfig;
import io.perflow.flow.Recipe;
import io.perflow.flow.RectifiedFlow;
import io.perflow.flow.TrainConfig;
import io.perflow.flow.Trainer;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Axis;
import io.perflow.physics.Dataset;
import io.perflow.physics.Problem;
import io.perflow.physics.Scaling;
import io.perflow.physics.Sensors;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A user's own problem, which no part of the library contains: a plate and the flow over it. */
public final class Plate {
  static final int HEIGHT = 8;
  static final int WIDTH = 12;

  static final String NETWORK =
      """
      {"in_channels": 1, "out_channels": 1, "patch": 4, "widths": [8], "blocks": 1,
       "attention": [false], "heads": 2, "groups": 4, "time_width": 8}
      """;

  private Plate() {}

  /** T has a mean of 300 K, and p is 5 Pa where the flow comes in. */
  public static Problem problem() {
    return Problem.named("plate")
        .axis(Axis.of("y", 0, 1, HEIGHT).unit("m"))
        .axis(Axis.of("x", 0, 2, WIDTH).unit("m"))
        .channel("T", "K")
        .channel("p", "Pa")
        .constrain("mass:T=300")
        .constrain("dirichlet:p@x-low=5")
        .sensors(Sensors.points(4, 6))
        .build();
  }

  /** Fields that obey the constraints; with a mean of {@code temperature} instead of 300. */
  static Dataset data(Problem problem, int samples, double temperature) {
    Rng rng = Rng.of(7);
    int cells = HEIGHT * WIDTH;
    double[] fields = new double[samples * 2 * cells];
    for (int s = 0; s < samples; s++) {
      double[] a = rng.split(s).normal(Shape.of(3)).toDoubles();
      double mean = 0;
      for (int i = 0; i < cells; i++) {
        double y = (double) (i / WIDTH) / (HEIGHT - 1);
        double x = 2.0 * (i % WIDTH) / (WIDTH - 1);
        double wave = 4 * a[0] * Math.cos(Math.PI * y) + 3 * a[1] * Math.sin(2 * x + y);
        fields[(2 * s) * cells + i] = temperature + wave;
        mean += wave / cells;
        fields[(2 * s + 1) * cells + i] = 5 + a[2] * x * (1 + y);
      }
      for (int i = 0; i < cells; i++) {
        fields[(2 * s) * cells + i] -= mean;
      }
    }
    Tensor tensor = Tensor.of(fields, samples, 2, HEIGHT, WIDTH).to(DataType.F32);
    return Dataset.of(problem, tensor, Scaling.UNIT, Map.of());
  }

  /** A directory as a user has it: problem.json, train.safetensors and a small network. */
  public static void write(Path directory) throws IOException {
    Files.createDirectories(directory);
    problem().write(directory.resolve("problem.json"));
    data(problem(), 12, 300).write(directory.resolve("train.safetensors"));
    Files.writeString(directory.resolve("net.json"), NETWORK);
  }

  /** Training in such a directory, with its run in the directory run. */
  public static Object[] train(Path directory, Object... more) {
    Object[] usual = {
      "train", directory, "--network", directory.resolve("net.json"), "--steps", 2, "--batch", 2
    };
    return Shell.with(usual, more);
  }

  /** A training of such a directory, for {@code last.safetensors} in another one. */
  public static Trainer trainer(Path directory, Path run, long steps) throws IOException {
    Dataset data = Dataset.read(directory.resolve("train.safetensors"));
    UNetConfig network = UNetConfig.read(directory.resolve("net.json"));
    FlowConfig config = Recipe.FAST.flow(data).network(network);
    RectifiedFlow flow = RectifiedFlow.of(config, Rng.of(1));
    Tensor fields = config.normalization().normalize(data.fields()).contiguous();
    Tensor training = fields.slice(0, 0, 8).contiguous();
    TrainConfig settings = TrainConfig.fast(steps).batch(2).validateEvery(5).saveEvery(3);
    DataSource source = DataSource.of(data.problem(), training, settings);
    return new Trainer(flow, source, settings, run).validation(fields.slice(0, 8, 12));
  }

  /** A file of five readings of a field of the data. */
  public static Path readings(Path directory) throws IOException {
    String text =
        """
        y,x,T,p
        0,0.2,302.8,5.1
        0.5,1,300,5.75
        0.5,1.4,300,6.05
        1,2,297.2,7
        0.9,0.6,297.4,5.57
        """;
    return Files.writeString(directory.resolve("readings.csv"), text);
  }
}
