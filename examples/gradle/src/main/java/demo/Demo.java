package demo;

import io.perflow.Perflow;
import io.perflow.flow.FlowSampler;
import io.perflow.flow.Observations;
import io.perflow.flow.Readings;
import io.perflow.flow.Reconstruction;
import io.perflow.flow.RectifiedFlow;
import io.perflow.tensor.Rng;
import java.io.IOException;
import java.nio.file.Path;

/** Reconstructs a field from a file of sensor readings, with error bars. */
public final class Demo {
  private Demo() {}

  /**
   * Prints the field half way in time.
   *
   * @param args a trained model and a CSV file with the columns t, x, u
   */
  public static void main(String[] args) throws IOException {
    System.out.println("gradle demo on perflow-nn " + Perflow.version());
    RectifiedFlow flow = RectifiedFlow.load(Path.of(args[0]));
    Observations readings = Readings.read(Path.of(args[1]), flow.config(), true);
    Reconstruction made = Reconstruction.of(flow, FlowSampler.of(flow), readings, 8, Rng.of(1));
    double[] mean = made.fields().mean().toDoubles();
    double[] deviation = made.fields().deviation().toDoubles();
    int width = flow.config().domain().width();
    int row = flow.config().domain().height() / 2 * width;
    for (int i = 0; i < width; i += width / 8) {
      System.out.printf(
          "u(t = 0.5, x = %.3f) = %+.3f ± %.3f%n",
          (double) i / width, mean[row + i], deviation[row + i]);
    }
    made.certificate()
        .worst()
        .forEach(e -> System.out.println(e.constraint() + ": " + e.physical().meanSquare()));
  }
}
