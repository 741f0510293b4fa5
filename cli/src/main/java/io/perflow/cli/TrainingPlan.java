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
 * What a training is about to do, as a table for people.
 *
 * @param data the file that is trained on
 * @param split its parts
 * @param residuals how well the data obey their constraints
 * @param flow what is trained
 * @param settings how
 * @param out where the run lives
 */
record TrainingPlan(
    Path data,
    Split split,
    List<DataResidual> residuals,
    RectifiedFlow flow,
    TrainConfig settings,
    Path out) {
  // the compiler is done with the loops that matter after some seconds and some steps
  private static final double LEAST_SECONDS = 8;
  private static final double MOST_SECONDS = 30;
  private static final int STEPS = 8;

  /** A run of fewer steps is over before its time is known. */
  private static final long WORTH_A_TRIAL = 200;

  void print(PrintWriter out, DataSource source, Device device, long before) {
    Problem problem = flow.config().problem();
    String quantities =
        problem.quantities().stream().map(Quantity::label).collect(Collectors.joining(", "));
    line(
        out,
        "data",
        "%s: %d fields of %s on %d x %d points, and %d to validate"
            .formatted(
                data,
                split.training().size(),
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
        "%d steps of %d fields, which is every field %.0f times"
            .formatted(
                settings.steps(),
                settings.batch(),
                (double) settings.steps() * settings.batch() / split.training().size()));
    line(out, "device", device + (device.equals(Device.cpu()) ? threads() : ""));
    if (before > 0) {
      line(out, "resumed", "%d steps are done".formatted(before));
    }
    if (device.equals(Device.cpu()) && settings.steps() - before >= WORTH_A_TRIAL) {
      line(out, "expected", duration(seconds(source) * (settings.steps() - before)));
    }
    line(out, "output", this.out.toString());
    out.flush();
  }

  static void line(PrintWriter out, String name, String text) {
    out.printf("%-11s %s%n", name, text);
  }

  private String network(UNetConfig network) {
    return "U-Net with %s channels on patches of %d x %d, %.2g million parameters"
        .formatted(
            network.widths().stream().map(String::valueOf).collect(Collectors.joining(", ")),
            network.patch(),
            network.patch(),
            flow.network().parameterCount() * 1e-6);
  }

  private static String threads() {
    int threads = Settings.threads();
    return ", %d %s".formatted(threads, threads == 1 ? "thread" : "threads");
  }

  static String duration(double seconds) {
    if (seconds < 90) {
      return "about %.0f seconds".formatted(Math.max(1, seconds));
    }
    return seconds < 5400
        ? "about %.0f minutes".formatted(seconds / 60)
        : "about %.1f hours".formatted(seconds / 3600);
  }

  // The fastest of some steps, which change nothing, since no optimizer follows them.
  private double seconds(DataSource source) {
    double spent = 0;
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; spent < MOST_SECONDS && (spent < LEAST_SECONDS || i < STEPS); i++) {
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
    return least;
  }

  /** Refuses to embed a constraint that the data break. */
  void refuseBroken() {
    if (flow.config().embedded()) {
      split.training().requireConstraints();
    }
  }
}
