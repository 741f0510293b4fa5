package io.perflow.physics.constraint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.autograd.GradCheck;
import io.perflow.autograd.Tape;
import io.perflow.fixtures.Close;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import org.junit.jupiter.api.Test;

class NonlinearTest {
  private static Tensor random(String name, int... shape) {
    return Laws.normal(Rng.of(1).split(name), Shape.of(shape), DataType.F64);
  }

  private static void message(String part, Runnable run) {
    var thrown = assertThrows(IllegalArgumentException.class, run::run);
    assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
  }

  /** On a sphere Newton's method moves along the radius, so that frames are only rescaled. */
  @Test
  void kineticEnergyRescalesEveryFrame() {
    Tensor x = random("x", 2, 4, 6, 6);
    Tensor energy = Tensor.of(new double[] {0.1, 3, 2, 50}, 2, 2);
    Tensor y = Projector.onto(KineticEnergy.of(energy)).project(x);
    Tensor has = KineticEnergy.of(1).residual(x).add(1);
    Tensor factor = energy.div(has).sqrt();
    Tensor expected = x.mul(Tensor.concat(1, factor, factor).reshape(2, 4, 1, 1));
    Close.assertClose("rescaled", expected, y, 1e-13);
  }

  @Test
  void theTangentTurnsWithThePoint() {
    Projector p = Projector.onto(KineticEnergy.of(1), Mass.over(2, 3));
    Tensor v = random("v", 1, 2, 4, 4);
    GradCheck.require(in -> p.tangent(v, in[0]), random("x", 1, 2, 4, 4));
  }

  @Test
  void anyFunctionWillDo() {
    var cube = new Nonlinear("cubes", x -> x.mul(x).mul(x).mean(2, 3).add(-0.3));
    Projector p = Projector.onto(cube, Dirichlet.ring().value(0.2));
    assertTrue(p.curved());
    Tensor x = random("x", 3, 2, 6, 6).add(1);
    Laws.satisfied(p, x);
    Laws.idempotent(p, x);
    Laws.tangentIsDerivative(p, x, random("v", 3, 2, 6, 6));
  }

  /** One equation for each column, too many for a basis of the normal space. */
  @Test
  void manyEquationsAreIteratedOn() {
    var columns = new Nonlinear("column energy", x -> x.square().mean(1, 2).add(-0.7));
    Projector p = Projector.onto(columns, Mass.over(2, 3));
    Tensor x = random("x", 2, 2, 6, 40);
    Tensor v = random("v", 2, 2, 6, 40);
    Laws.satisfied(p, x);
    Laws.idempotent(p, x);
    Laws.selfAdjoint(p, x, v, random("w", 2, 2, 6, 40));
    Laws.tangentIsDerivative(p, x, v);
    Tensor at = p.project(x);
    GradCheck.require(in -> p.tangent(in[0], at), v);
    try (Tape tape = Tape.watching(x)) {
      Tensor y = p.project(x).sum();
      assertThrows(UnsupportedOperationException.class, () -> tape.gradients(y));
    }
  }

  @Test
  void whatCannotWorkIsSaid() {
    message(
        "singular at sample 0",
        () -> Projector.onto(KineticEnergy.of(1)).project(Tensor.zeros(1, 2, 4, 4)));
    var never = new Nonlinear("impossible", x -> x.square().mean(1, 2, 3).add(1));
    message(
        "[impossible] Newton's method has not converged",
        () -> Projector.onto(never).project(random("x", 1, 2, 4, 4)));
    message("positive", () -> KineticEnergy.of(-1));
    message(
        "do not fit", () -> KineticEnergy.of(Tensor.ones(3)).residual(Tensor.zeros(1, 4, 4, 4)));
    message("3 channels", () -> KineticEnergy.of(1).residual(Tensor.zeros(1, 3, 4, 4)));
    assertEquals(0, Projector.none().constraints().size());
  }
}
