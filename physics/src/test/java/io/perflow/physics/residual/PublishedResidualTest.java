package io.perflow.physics.residual;

import static io.perflow.fixtures.Close.assertClose;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.perflow.autograd.Tape;
import io.perflow.fixtures.Resources;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The published residuals and their gradients against PyTorch's (residuals_golden.py). */
class PublishedResidualTest {

  @ParameterizedTest
  @ValueSource(strings = {"burgers", "poisson", "darcy", "ns"})
  void agreesWithConvolutions(String equation) throws IOException {
    PdeResidual pde = PdeResidual.of(equation + "-published");
    try (Npz golden = Npz.read(Resources.path("/physics/residuals.npz"))) {
      Tensor field = golden.load(equation + ".field");
      Tensor expected = golden.load(equation + ".residual");
      try (Tape tape = Tape.watching(field)) {
        Tensor residual = pde.residual(field);
        assertClose(equation, expected, residual, 1e-14);
        Tensor gradient = tape.gradients(residual, golden.load(equation + ".seed")).of(field);
        assertClose(equation, golden.load(equation + ".gradient"), gradient, 1e-14);
      }
      double mean = expected.select(0, 1).square().mean().item();
      assertEquals(mean, pde.meanSquare(field).toDoubles()[1], 1e-13 * mean);
    }
  }
}
