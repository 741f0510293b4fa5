package demo;

import io.perflow.Perflow;
import io.perflow.physics.Problem;
import io.perflow.physics.Sensors;
import io.perflow.physics.constraint.Projector;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;

/** Uses the library from the module path. */
public final class Demo {
  private Demo() {}

  /**
   * Describes a problem and projects noise onto its constraint.
   *
   * @param args none
   */
  public static void main(String[] args) {
    System.out.println("maven demo on perflow-nn " + Perflow.version());
    Problem plate =
        Problem.named("plate")
            .axis("y", 0, 1, 32)
            .axis("x", 0, 1, 32)
            .channel("T", "K")
            .constrain("mass:T=300")
            .sensors(Sensors.points(20))
            .build();
    Tensor noise = Rng.of(1).normal(plate.batch(1));
    Tensor field = Projector.onto(plate.constraints()).project(noise);
    System.out.println(plate + ": mean " + field.mean().item());
  }
}
