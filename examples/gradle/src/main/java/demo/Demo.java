package demo;

import io.perflow.Perflow;
import io.perflow.flow.PerFlow;
import io.perflow.flow.Reconstruction;
import io.perflow.physics.Readings;
import io.perflow.tensor.Rng;
import java.io.IOException;
import java.nio.file.Path;

/** A program that reconstructs a field from a file of sensor readings, with error bars. */
public final class Demo {
  private Demo() {}

  /**
   * Prints the field half way in time.
   *
   * @param args a trained model and a CSV file with the columns t, x, u
   */
  public static void main(String[] args) throws IOException {
    System.out.println("gradle demo on perflow-nn " + Perflow.version());
    PerFlow flow = PerFlow.load(Path.of(args[0]));
    Readings readings = Readings.read(Path.of(args[1]), flow.problem());
    Reconstruction made = flow.reconstruct(readings).samples(8).draw(Rng.of(1));
    for (double x = 0; x < 1; x += 0.125) {
      System.out.println("t = 0.5, x = " + x + ": " + made.at("u", 0.5, x));
    }
    made.certificate()
        .worst()
        .forEach(e -> System.out.println(e.constraint() + ": " + e.physical().meanSquare()));
    made.warnings().forEach(System.err::println);
  }
}
