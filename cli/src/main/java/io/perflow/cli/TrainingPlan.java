package io.perflow.cli;

import io.perflow.autograd.Tape;
import io.perflow.flow.DataSource;
import io.perflow.flow.RectifiedFlow;
import io.perflow.flow.Split;
import io.perflow.flow.TrainConfig;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.DataResidual;
import io.perflow.physics.Problem;
import io.perflow.physics.Quantity;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Tensor;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The plan of a training, as a table for people.
 *
 * @param data the file of the training data
 * @param split the parts of the data
 * @param residuals how well the data obey their constraints
 * @param flow the flow that is trained
 * @param settings the settings of the training
 * @param out the directory of the run
 */
record TrainingPlan(
    Path data,
    Split split,
    List<DataResidual> residuals,
    RectifiedFlow flow,
    TrainConfig settings,
    Path out) {
  // After some seconds and some steps the compiler is done with the important loops.
  private static final double LEAST_SECONDS = 8;
  private static final double MOST_SECONDS = 30;
  private static final int STEPS = 8;
  private static final double SHARE = 0.05; // part of the training, if that is shorter

  void print(PrintWriter out, DataSource source, Device device, long before) {
    Problem problem = flow.config().problem();
    String quantities =
        problem.quantities().stream().map(Quantity::label).collect(Collectors.joining(", "));
    line(
        out,
        "data",
        "%s: %s of %s on %d x %d points, and %d to validate"
            .formatted(
                data,
                Counted.of(split.training().size(), "field"),
                quantities,
                problem.grid().height(),
                problem.grid().width(),
                split.validation().size()));
    residuals.forEach(residual -> line(out, "constraint", residual.toString()));
    if (residuals.isEmpty()) {
      line(out, "constraint", "none");
    } else if (!flow.config().embedded()) {
      line(out, "", "not embedded: --unprojected");
    }
    line(out, "sensors", problem.sensors().toString());
    line(out, "network", network(flow.config().network()));
    line(
        out,
        "training",
        "%s of %s, which is every field %s times"
            .formatted(
                Counted.of(settings.steps(), "step"),
                Counted.of(settings.batch(), "field"),
                epochs()));
    line(
        out,
        "device",
        device
            + (device.equals(Device.cpu()) ? ", " + Counted.of(Settings.threads(), "thread") : ""));
    if (before > 0) {
      line(out, "resumed", Counted.of(before, "step") + " done before");
    }
    if (device.equals(Device.cpu()) && before < settings.steps()) {
      line(out, "expected", duration(seconds(source, settings.steps() - before)));
    }
    line(out, "output", this.out.toString());
    out.flush();
  }

  static void line(PrintWriter out, String name, String text) {
    out.printf("%-11s %s%n", name, text);
  }

  private String epochs() {
    double epochs = (double) settings.steps() * settings.batch() / split.training().size();
    return (epochs < 10 ? "%.1f" : "%.0f").formatted(epochs);
  }

  private String network(UNetConfig network) {
    return "U-Net with %s channels on patches of %d x %d, %.2g million parameters"
        .formatted(
            network.widths().stream().map(String::valueOf).collect(Collectors.joining(", ")),
            network.patch(),
            network.patch(),
            flow.network().parameterCount() * 1e-6);
  }

  static String duration(double seconds) {
    if (seconds < 90) {
      return "about %.0f seconds".formatted(Math.max(1, seconds));
    }
    return seconds < 5400
        ? "about %.0f minutes".formatted(seconds / 60)
        : "about %.1f hours".formatted(seconds / 3600);
  }

  // Estimated by the fastest step of a trial, whose steps change nothing because no optimizer
  // follows them.
  private double seconds(DataSource source, long steps) {
    double spent = 0;
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; spent < longest(least * steps) && (spent < LEAST_SECONDS || i < STEPS); i++) {
      long start = System.nanoTime();
      try (Scope _ = Scope.open();
          Tape tape = Tape.watching(flow.network().values())) {
        Tensor loss = flow.loss(source.at(0), Rng.of(0));
        tape.gradients(loss);
      }
      double seconds = (System.nanoTime() - start) * 1e-9;
      spent += seconds;
      least = Math.min(least, seconds);
    }
    return steps * least;
  }

  private static double longest(double training) {
    return Math.min(MOST_SECONDS, SHARE * training);
  }
}
