package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.constraint.Bounds;
import io.perflow.physics.constraint.Certificate;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.Dirichlet;
import io.perflow.physics.constraint.KineticEnergy;
import io.perflow.physics.constraint.Mass;
import io.perflow.physics.constraint.Projector;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Bounds inside a flow: which states of which solver stay within them, and why. */
class BoundedFlowTest {
  private static final Shape FIELD = Shape.of(2, 1, 6, 6);

  private static final Projector SET =
      Projector.onto(
          Bounds.between(-0.4, 0.5), Mass.over(-1).value(0.1), Dirichlet.ring().value(0.1));

  private static double worst(Projector set, Tensor x) {
    double worst = 0;
    for (Constraint constraint : set.constraints()) {
      worst = Math.max(worst, constraint.residual(x).abs().max(false).item());
    }
    return worst;
  }

  // solvers reuse the memory of their states
  private static Tensor copy(Tensor x) {
    return Scope.detach(Tensor.of(x.toDoubles(), x.shape().toArray()));
  }

  // ---- the theorem, with end points from nowhere

  /** Points to a new random admissible field at every evaluation, and remembers where it stood. */
  private static final class Erratic implements VelocityField {
    private final List<Tensor> stages = new ArrayList<>();
    private final Rng rng;
    private final double gap;

    Erratic(Rng rng, double gap) {
      this.rng = rng;
      this.gap = gap;
    }

    @Override
    public Tensor at(Tensor x, double t) {
      stages.add(copy(x));
      Tensor end = SET.project(rng.split(stages.size()).normal(Device.cpu(), FIELD, DataType.F64));
      return end.sub(x).div(Math.max(1 - t, gap));
    }
  }

  /** How far stages and states of a method leave the set, by their number within a step. */
  private record Path(double[] stages, double state) {
    static Path of(OdeSolver solver, int stages, long seed) {
      Erratic field = new Erratic(Rng.of(seed).split("ends"), solver.resolution());
      Tensor start = SET.project(Rng.of(seed).normal(Device.cpu(), FIELD, DataType.F64));
      double[] state = new double[1];
      solver.integrate(
          field,
          start,
          (_, x) -> {
            state[0] = Math.max(state[0], worst(SET, x));
            return SET.project(x);
          });
      double[] off = new double[stages];
      for (int i = 0; i < field.stages.size(); i++) {
        off[i % stages] = Math.max(off[i % stages], worst(SET, field.stages.get(i)));
      }
      return new Path(off, state[0]);
    }
  }

  private static final double ROUND_OFF = 1e-13;

  @Property(tries = 20, seed = "1")
  void everyEulerStepStaysInside(
      @ForAll @IntRange(min = 1, max = 30) int steps, @ForAll long seed) {
    Path path = Path.of(OdeSolver.euler(steps), 1, seed);
    assertEquals(0, path.stages[0], ROUND_OFF);
    assertEquals(0, path.state, ROUND_OFF, "before any retraction");
  }

  @Property(tries = 10, seed = "2")
  void theSecondStageOfAnyMethodIsAnEulerStep(
      @ForAll @IntRange(min = 1, max = 12) int steps, @ForAll long seed) {
    for (String method : List.of("midpoint", "heun")) {
      Path path = Path.of(OdeSolver.of(method, steps), 2, seed);
      assertEquals(0, path.stages[0], ROUND_OFF, method);
      assertEquals(0, path.stages[1], ROUND_OFF, method);
    }
    Path path = Path.of(OdeSolver.rk4(steps), 4, seed);
    assertEquals(0, path.stages[0], ROUND_OFF);
    assertEquals(0, path.stages[1], ROUND_OFF);
  }

  /** Heun's steps of at most half the time that is left are convex combinations, too. */
  @Property(tries = 20, seed = "3")
  void heunsStepsStayInsideBeforeTheLast(
      @ForAll @IntRange(min = 2, max = 12) int steps, @ForAll long seed) {
    Erratic field = new Erratic(Rng.of(seed).split("ends"), 1.0 / steps);
    Tensor start = SET.project(Rng.of(seed).normal(Device.cpu(), FIELD, DataType.F64));
    OdeSolver.heun(steps)
        .integrate(
            field,
            start,
            (t, x) -> {
              assertTrue(t > 1 - 1e-9 || worst(SET, x) <= ROUND_OFF, () -> "leaves at " + t);
              return x;
            });
  }

  /** Properties that are not promised do not hold either: these cases need the retraction. */
  @Example
  void methodsThatExtrapolateLeaveTheSet() {
    assertTrue(Path.of(OdeSolver.midpoint(4), 2, 1).state > 1e-3);
    Path rk4 = Path.of(OdeSolver.rk4(4), 4, 1);
    assertTrue(rk4.stages[2] > 1e-3 && rk4.stages[3] > 1e-3);
    Path multistep = Path.of(OdeSolver.multistep(6), 1, 1);
    assertTrue(multistep.state > 1e-3);
    assertEquals(0, multistep.stages[0], ROUND_OFF, "it asks at states alone");
  }

  // ---- samplers

  private static final List<Constraint> ADDED =
      List.of(Bounds.between(-0.2, 0.3).channels(0), Bounds.atLeast(-0.1).channels(1));

  /** A solver that checks every state of a sampler. */
  private record Watched(OdeSolver solver, List<Tensor> states) implements OdeSolver {
    @Override
    public String describe() {
      return solver.describe();
    }

    @Override
    public double resolution() {
      return solver.resolution();
    }

    @Override
    public Tensor integrate(VelocityField field, Tensor start, Retraction retraction) {
      states.add(copy(start));
      return solver.integrate(
          field,
          start,
          (t, x) -> {
            Tensor after = retraction.after(t, x);
            states.add(copy(after));
            return after;
          });
    }
  }

  @Example
  void boundedPathsAreWithinBoundsAtEveryState() {
    for (FlowConfig.Prediction prediction : FlowConfig.Prediction.values()) {
      RectifiedFlow flow = Small.flow("darcy", prediction);
      Normalization units = flow.config().normalization();
      for (String method : List.of("euler", "midpoint", "heun", "rk4", "multistep", "dopri5")) {
        List<Tensor> states = new ArrayList<>();
        FlowSampler sampler =
            FlowSampler.of(flow)
                .solver(new Watched(OdeSolver.of(method, 4), states))
                .boundedPaths(true)
                .constrain(ADDED);
        sampler.reconstruct(Small.observations(flow), 2, Rng.of(5));
        assertTrue(states.size() >= 5, "start and steps");
        List<Constraint> all = new ArrayList<>(ADDED);
        all.addAll(flow.config().problem().constraints());
        for (Tensor state : states) {
          for (Constraint constraint : all) {
            double off = constraint.normalized(units).residual(state).abs().max(false).item();
            assertEquals(0, off, 1e-7, () -> method + ": " + constraint.name());
          }
        }
      }
    }
  }

  private static double distance(Projector set, Tensor x) {
    return Math.sqrt(set.project(x).sub(x).square().sum().item());
  }

  /** From a free start, the distance falls at least as fast as the time that is left. */
  @Property(tries = 10, seed = "4")
  void eulersStatesComeCloser(@ForAll @IntRange(min = 1, max = 10) int steps, @ForAll long seed) {
    Erratic field = new Erratic(Rng.of(seed).split("ends"), 1.0 / steps);
    Tensor start = Rng.of(seed).normal(Device.cpu(), FIELD, DataType.F64);
    double before = distance(SET, start);
    OdeSolver.euler(steps)
        .integrate(
            field,
            start,
            (t, x) -> {
              double now = distance(SET, x);
              assertTrue(now <= (1 - t) * before + 1e-12, () -> now + " at " + t);
              return x;
            });
  }

  @Example
  void withoutItSamplersAreBoundedAtTheirEnds() {
    RectifiedFlow flow = Small.flow("darcy", FlowConfig.Prediction.CLEAN);
    Constraint bounds = ADDED.getFirst().normalized(flow.config().normalization());
    for (String method : List.of("euler", "midpoint", "heun", "rk4", "multistep", "dopri5")) {
      List<Tensor> states = new ArrayList<>();
      FlowSampler.of(flow)
          .solver(new Watched(OdeSolver.of(method, 4), states))
          .constrain(ADDED)
          .reconstruct(Small.observations(flow), 2, Rng.of(5));
      assertFalse(bounds.residual(states.getFirst()).abs().max(false).item() < 0.1, "free starts");
      assertEquals(0, bounds.residual(states.getLast()).abs().max(false).item(), 1e-7, method);
    }
  }

  /** Bounds of the problem apply without being set, whether readings are exact or not. */
  @Example
  void boundsOfTheProblemHoldAndAreCertified() {
    Problem darcy = Small.problem("darcy");
    List<Constraint> all = new ArrayList<>(darcy.constraints());
    all.add(darcy.constraint("bounds:a=-0.2..0.3"));
    all.add(darcy.constraint("bounds:p=-0.1.."));
    RectifiedFlow flow = Small.flow(Small.config(darcy.with(all), 0));
    assertEquals(1, flow.projector().constraints().size(), "bounds act on end points");
    Readings readings =
        Readings.of(flow.config().problem())
            .at("a", 0.25, 0.5, 0.5)
            .at("p", 0.4, 0.3, 0.31)
            .build();
    for (FlowSampler.Agreement agreement : FlowSampler.Agreement.values()) {
      FlowSampler sampler = FlowSampler.of(flow).solver(OdeSolver.heun(3)).sensors(agreement);
      Tensor drawn = sampler.draw(readings, 2, Rng.of(5)).samples();
      for (Constraint constraint : all) {
        double off =
            constraint.normalized(sampler.normalization()).residual(drawn).abs().max(false).item();
        assertEquals(0, off, 1e-6, agreement + " " + constraint.name());
      }
      Certificate certificate = Reconstruction.of(sampler, readings, 2, Rng.of(5)).certificate();
      assertTrue(certificate.worst().size() >= 3);
      for (Certificate.Entry entry : certificate.worst()) {
        assertEquals(0, entry.physical().max(), 1e-14, agreement + " " + entry.constraint());
      }
    }
  }

  /** Added equations hold at the end of methods whose last step does not end at an end point. */
  @Example
  void everySamplerLandsOnAddedEquations() {
    RectifiedFlow flow = Small.flow("poisson", FlowConfig.Prediction.CLEAN);
    Mass mass = Mass.over(2, 3).channels(1).value(0.25);
    for (String method : List.of("euler", "midpoint", "heun", "rk4", "multistep", "dopri5")) {
      Tensor drawn =
          FlowSampler.of(flow)
              .solver(OdeSolver.of(method, 49)) // 49 steps of a 49th are not quite 1
              .constrain(List.of(mass))
              .reconstruct(Small.observations(flow), 1, Rng.of(5))
              .samples();
      double off =
          mass.normalized(flow.config().normalization()).residual(drawn).abs().max(false).item();
      assertEquals(0, off, 1e-6, method);
    }
  }

  @Example
  void krigingIsProjected() {
    RectifiedFlow flow = Small.flow("darcy", FlowConfig.Prediction.PRIOR);
    KrigingSampler kriging = PriorModel.of(flow).orElseThrow().kriging();
    Observations seen = Small.observations(flow);
    Normalization units = flow.config().normalization();
    Constraint bounds = ADDED.getFirst().normalized(units);
    Tensor free = kriging.reconstruct(seen, 2, Rng.of(5)).samples();
    Tensor held = kriging.constrain(ADDED).reconstruct(seen, 2, Rng.of(5)).samples();
    assertFalse(bounds.residual(free).abs().max(false).item() < 1e-3);
    assertEquals(0, bounds.residual(held).abs().max(false).item(), 1e-7);
  }

  @Example
  void contradictionsAreToldInTheUnitsOfTheReadings() {
    RectifiedFlow flow = Small.flow("darcy", FlowConfig.Prediction.CLEAN);
    Readings readings =
        Readings.of(flow.config().problem()).at("a", 13, 5 / 15.0, 6 / 15.0).build();
    FlowSampler sampler =
        FlowSampler.of(flow)
            .constrain(List.of(Bounds.between(3, 12).channels(0)))
            .sensors(FlowSampler.Agreement.EXACT);
    var refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> Reconstruction.of(sampler, readings, 1, Rng.of(5)));
    assertEquals(
        "[projector] sensors and bounds contradict each other: at [sample, channel, row, column]"
            + " [0, 0, 5, 6] one wants 13.0, the other 3.0..12.0; drop one of them, or fit the"
            + " readings by least squares (--fit-sensors, Projector.fitting)",
        refused.getMessage());
    assertThrows(
        IllegalArgumentException.class,
        () ->
            FlowSampler.of(flow)
                .constrain(List.of(Bounds.atLeast(0), KineticEnergy.of(1)))
                .reconstruct(Small.observations(flow), 1, Rng.of(5)));
  }
}
