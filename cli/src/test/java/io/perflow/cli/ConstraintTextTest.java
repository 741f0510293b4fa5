package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.constraint.Projector;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConstraintTextTest {
  private static final List<String> CHANNELS = List.of("f", "u");

  private static Tensor projected(String text) {
    Tensor x = Rng.of(1).normal(Shape.of(1, 2, 8, 8));
    return Projector.onto(ConstraintText.parse(text, CHANNELS)).project(x);
  }

  @Test
  void namesChannelAndValueAreTaken() {
    Tensor rim = projected("dirichlet:u=0.5");
    assertEquals(0.5, rim.toFloats()[64 + 3], 0);
    assertTrue(Math.abs(rim.toFloats()[3] - 0.5) > 1e-3, "f is free");
    Tensor mass = projected("mass:f=0.25").mean(2, 3);
    assertEquals(0.25, mass.toFloats()[0], 1e-6);
    assertTrue(Math.abs(mass.toFloats()[1]) > 1e-3, "u is free");
    for (float mean : projected("row-mass").mean(3).toFloats()) {
      assertEquals(0, mean, 1e-6);
    }
    assertEquals(3, projected("energy=3").square().mean(2, 3).sum().item() / 2, 1e-4);
  }

  @ParameterizedTest
  @CsvSource({
    "weight:u, unknown constraint 'weight'",
    "mass:v=1, there is no channel 'v'",
    "mass:u=heavy, needs a finite number",
    "mass:u=NaN, needs a finite number",
    "energy, needs a finite number",
    "energy:u=1, takes no channel",
    "divergence-free=0, takes no value",
    "Mass of u, is not NAME"
  })
  void mistakesAreNamed(String text, String said) {
    String message =
        assertThrows(IllegalArgumentException.class, () -> ConstraintText.parse(text, CHANNELS))
            .getMessage();
    assertTrue(message.contains(said), message);
  }
}
