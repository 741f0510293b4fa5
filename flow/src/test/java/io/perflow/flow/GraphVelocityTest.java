package io.perflow.flow;

import static io.perflow.fixtures.Close.assertClose;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Axis;
import io.perflow.physics.Problem;
import io.perflow.physics.equation.Equation;
import io.perflow.physics.equation.Solution;
import io.perflow.physics.solver.Burgers;
import io.perflow.physics.solver.Darcy;
import io.perflow.physics.solver.Poisson;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Named;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Flows through an equation: solutions at every stage, however curved their set is. */
class GraphVelocityTest {
  private static final double ROUND_OFF = 1e-13; // of the largest number of a field

  /** Equations and causes that they can be solved for. */
  enum Law {
    BURGERS(Burgers.paper().size(6, 16).substeps(16)),
    DARCY(Darcy.standard().size(8).grid(Darcy.Grid.NODES)) {
      @Override
      Tensor causes(Rng rng, int count) { // permeabilities are positive
        return super.causes(rng, count).exp().add(1);
      }
    },
    POISSON(Poisson.standard().size(7)),
    TAPED(cubic());

    final Equation equation;

    Law(Equation equation) {
      this.equation = equation;
    }

    Tensor causes(Rng rng, int count) {
      return normal(rng, count, equation.causes()).mul(0.3);
    }

    // a field of three rows, each a curved function of the one above
    private static Equation cubic() {
      Problem problem =
          Problem.named("cubic")
              .axis(Axis.of("y", 0, 1, 3))
              .axis("x", 0, 1, 5)
              .channel("c")
              .build();
      return Equation.of(
          problem,
          5,
          x -> x.select(2, 0).reshape(x.dim(0), 5),
          z -> {
            Tensor second = z.square().mul(z).add(z.sin());
            Tensor third = second.mul(z).sub(second.sum(true, 1));
            return Tensor.stack(1, z, second, third).reshape(z.dim(0), 1, 3, 5);
          });
    }
  }

  enum Method {
    EULER,
    MIDPOINT,
    HEUN,
    RK4,
    MULTISTEP,
    DOPRI5
  }

  private static Tensor normal(Rng rng, int... dims) {
    return rng.normal(Device.cpu(), Shape.of(dims), DataType.F64);
  }

  private static double largest(Tensor x) {
    return x.abs().max(false).item();
  }

  /** Bounded, smooth in z, x and t, and heedless of the equation. */
  private static GraphVelocity random(Law law, Rng rng) {
    int n = law.equation.causes();
    Tensor gain = normal(rng.split("gain"), 1, n).mul(0.2);
    Tensor phase = normal(rng.split("phase"), 1, n);
    double speed = 1 + 5 * rng.nextDouble();
    return new GraphVelocity(
        law.equation,
        (z, x, t) -> {
          Tensor last =
              x.reshape(x.dim(0), x.size() / x.dim(0)).slice(1, 2 * x.dim(3), 3 * x.dim(3));
          Tensor drawn = last.mean(true, 1).mul(3).sin();
          return z.add(phase).add(speed * t).sin().add(drawn).mul(gain);
        });
  }

  private static void requireSolutions(Equation equation, Tensor fields, String where) {
    double missed = largest(new Solution(equation).residual(fields));
    double scale = largest(fields);
    assertTrue(
        missed <= ROUND_OFF * scale,
        () -> "%s: %.2e beside the solutions, of %.2e".formatted(where, missed, scale));
  }

  @Property(tries = 60)
  void everyStageOfEveryMethodIsASolution(
      @ForAll Law law,
      @ForAll Method method,
      @ForAll @IntRange(min = 1, max = 3) int batch,
      @ForAll @IntRange(min = 1, max = 5) int steps,
      @ForAll long seed) {
    Rng rng = Rng.of(seed);
    Equation equation = law.equation;
    GraphVelocity moved = random(law, rng.split("velocity"));
    int[] stages = {0};
    GraphVelocity watched =
        new GraphVelocity(
            equation,
            (z, x, t) -> {
              requireSolutions(equation, x, "stage %d at t = %s".formatted(++stages[0], t));
              assertEquals(0, largest(equation.cause(x).sub(z)), "the field is that of the cause");
              return moved.guide().at(z, x, t);
            });
    Tensor start = equation.fields(law.causes(rng.split("start"), batch));
    Tensor end = watched.carry(OdeSolver.of(Named.of(method), steps), start);
    requireSolutions(equation, end, "end");
    assertTrue(stages[0] >= steps || method == Method.DOPRI5, stages[0] + " stages");
    assertTrue(largest(end.sub(start)) > 1e-3, "a flow that goes nowhere shows nothing");
  }

  /**
   * dx/dt = F′(z) v, which is tangent: a step of the fields themselves leaves a curved set of
   * solutions, but by its square only.
   */
  @Property(tries = 40)
  void fieldsMoveAlongTangents(
      @ForAll Law law, @ForAll @IntRange(min = 1, max = 3) int batch, @ForAll long seed) {
    Rng rng = Rng.of(seed);
    GraphVelocity flow = random(law, rng.split("velocity"));
    Equation equation = law.equation;
    Tensor z = law.causes(rng.split("start"), batch);
    double t = rng.nextDouble();
    double h = 1e-5;
    Tensor velocity = flow.at(z, t);
    Tensor ahead = equation.fields(z.addScaled(velocity, h));
    Tensor behind = equation.fields(z.addScaled(velocity, -h));
    Tensor tangent = flow.ofFields(z, t);
    assertClose("velocity", ahead.sub(behind).div(2 * h), tangent, 1e-6);
    Tensor x = equation.fields(z);
    Solution solution = new Solution(equation);
    double once = largest(solution.residual(x.addScaled(tangent, 1e-2)));
    double half = largest(solution.residual(x.addScaled(tangent, 5e-3)));
    double roundOff = ROUND_OFF * largest(x);
    assertEquals(law != Law.POISSON, once > 10 * roundOff, law + " leaves by " + once);
    assertTrue(half <= 0.3 * once + roundOff, once + " and then " + half);
  }

  @Example
  void aStraightFlowEndsAtTheSolutionOfItsCause() {
    Equation equation = Law.BURGERS.equation;
    Tensor from = Law.BURGERS.causes(Rng.of(1), 2);
    Tensor to = Law.BURGERS.causes(Rng.of(2), 2);
    GraphVelocity straight = new GraphVelocity(equation, (_, _, _) -> to.sub(from));
    for (Method method : Method.values()) {
      OdeSolver solver = OdeSolver.of(Named.of(method), 4);
      Tensor end = straight.carry(solver, equation.fields(from));
      assertClose(solver.describe(), equation.fields(to), end, 1e-12);
    }
  }

  @Example
  void wrongShapesAreNamed() {
    GraphVelocity flow = new GraphVelocity(Law.POISSON.equation, (z, x, _) -> x);
    Tensor causes = Law.POISSON.causes(Rng.of(1), 1);
    var velocity = assertThrows(IllegalArgumentException.class, () -> flow.at(causes, 0));
    assertTrue(velocity.getMessage().contains("velocity of causes"), velocity.getMessage());
    OdeSolver euler = OdeSolver.euler(1);
    var fields = assertThrows(IllegalArgumentException.class, () -> flow.carry(euler, causes));
    assertTrue(fields.getMessage().contains("[1, 2, 7, 7]"), fields.getMessage());
  }
}
