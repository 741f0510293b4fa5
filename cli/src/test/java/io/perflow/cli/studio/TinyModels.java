package io.perflow.cli.studio;

import io.perflow.flow.PriorModel;
import io.perflow.flow.Recipe;
import io.perflow.flow.RectifiedFlow;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Axis;
import io.perflow.physics.Dataset;
import io.perflow.physics.Problem;
import io.perflow.physics.Scaling;
import io.perflow.physics.Sensors;
import io.perflow.physics.solver.Heat;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Models that are made and run within a second. */
final class TinyModels {
  static final int SIZE = 16;

  private TinyModels() {}

  /**
   * Writes to a directory: heat.safetensors, a prior of plates whose benchmark is known;
   * puffs.safetensors, a prior of two quantities over three frames; puffs-flow.safetensors, a flow
   * that was never trained; and data.safetensors, fields of puffs.
   */
  static Path write(Path home) throws IOException {
    Path models = Files.createDirectories(home.resolve("models"));
    Heat plate = Heat.standard().size(SIZE);
    Problem heat = plate.problem().with(Sensors.points(6));
    Dataset plates = Dataset.of(heat, plate.samples(60, Rng.of(1)), Scaling.UNIT, Map.of());
    PriorModel.learn(plates).save(models.resolve("heat.safetensors"));
    Dataset puffs = puffs(40);
    PriorModel.learn(puffs).save(models.resolve("puffs.safetensors"));
    UNetConfig network = UNetConfig.of(8).patch(4).attention(false);
    RectifiedFlow.of(
            Recipe.FAST.flow(puffs.problem(), puffs.normalization()).network(network), Rng.of(1))
        .save(models.resolve("puffs-flow.safetensors"));
    puffs.write(home.resolve("data.safetensors"));
    return models;
  }

  static Library library(Path home) throws IOException {
    return Library.of(
        List.of(home.resolve("models/heat.safetensors")),
        home.resolve("models"),
        List.of(home.resolve("data.safetensors")),
        Device.cpu());
  }

  private static Dataset puffs(int samples) {
    Problem problem =
        Problem.named("puffs")
            .axis(Axis.of("y", 0, 1, 8).unit("m"))
            .axis(Axis.periodic("x", 0, 2, 12).unit("m"))
            .frames(Axis.time("t", 0, 2, 3).unit("s"))
            .channel("c", "g/l")
            .channel("T", "K")
            .sensors(Sensors.points(4, 6).sharing(Sensors.Sharing.SHARED))
            .build();
    Rng rng = Rng.of(3);
    Shape shape = problem.batch(samples);
    double[] fields = new double[shape.size()];
    for (int s = 0; s < samples; s++) {
      double[] a = rng.split(s).normal(Shape.of(4)).toDoubles();
      for (int i = 0; i < fields.length / samples; i++) {
        int frame = i / 96 % 3;
        double y = i % 96 / 12 / 7.0;
        double x = Math.PI * (i % 12) / 6;
        double wave = a[0] * Math.cos(x - 0.3 * frame) + a[1] * y + a[2] * y * Math.sin(x);
        fields[s * fields.length / samples + i] = i < 288 ? 2 + wave : 300 + 5 * wave + a[3];
      }
    }
    return Dataset.of(problem, Tensor.of(fields, shape.toArray()), Scaling.UNIT, Map.of());
  }
}
