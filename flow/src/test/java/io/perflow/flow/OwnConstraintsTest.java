package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.Sensors;
import io.perflow.physics.constraint.Affine;
import io.perflow.physics.constraint.Certificate;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.SparseMatrix;
import io.perflow.physics.solver.Benchmark;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Problems of users, and those of version 0.1, in the files of flows. */
class OwnConstraintsTest {
  @TempDir Path directory;

  private static Problem.Builder heat() {
    return Problem.named("heat")
        .axis("y", 0, 1, 16)
        .axis("x", 0, 2, 16)
        .channel("T", "K")
        .sensors(Sensors.points(3));
  }

  private static RectifiedFlow flow(Problem problem) {
    return Small.flow(Small.config(problem, 300));
  }

  private static Reconstruction reconstruct(RectifiedFlow flow) {
    Readings readings =
        Readings.of(flow.config().problem())
            .at("T", 300.2, 0.4, 0.7)
            .at("T", 299.9, 0.8, 1.5)
            .build();
    return PerFlow.of(flow)
        .reconstruct(readings)
        .samples(2)
        .solver(OdeSolver.euler(3))
        .draw(Rng.of(5));
  }

  private static void assertHolds(int constraints, Reconstruction made) {
    List<Certificate.Entry> worst = made.certificate().worst();
    assertEquals(constraints, worst.size());
    for (Certificate.Entry entry : worst) {
      assertEquals(0, entry.physical().max(), 1e-9, entry.constraint());
    }
  }

  @Test
  void constraintsOfOnesOwnSurviveEveryFile() throws IOException {
    Problem problem = heat().constrain("mass:T=300").constrain("dirichlet:T@x-low=299.5").build();
    RectifiedFlow flow = flow(problem);
    Path whole = directory.resolve("flow.safetensors");
    Path half = directory.resolve("half.safetensors");
    flow.save(whole);
    flow.saveHalf(half);
    Tensor expected = reconstruct(flow).fields().samples();
    for (Path file : List.of(whole, half)) {
      RectifiedFlow read = RectifiedFlow.load(file);
      assertEquals(flow.config(), read.config());
      Reconstruction made = reconstruct(read);
      assertHolds(2, made);
      Tensor samples = made.fields().samples();
      assertEquals(300, samples.select(0, 1).mean().item(), 1e-9);
      assertEquals(0, samples.slice(3, 0, 1).add(-299.5).abs().max(false).item(), 1e-9);
      double off = samples.sub(expected).abs().max(false).item();
      assertTrue(file.equals(whole) ? off == 0 : off < 0.05, file + " is off by " + off + " K");
    }
  }

  /** The corners of the first row agree, which the grammar has no words for. */
  private static Constraint corners() {
    SparseMatrix row = SparseMatrix.of(1, 256).add(0, 0, 1).add(0, 15, -1).build();
    return Affine.of("corners, agreeing", row, Tensor.zeros(1));
  }

  /** A constraint that is not even linear. */
  private static final Constraint VARIANCE =
      new Constraint() {
        @Override
        public String name() {
          return "variance";
        }

        @Override
        public Tensor residual(Tensor x) {
          return x.add(-300).square().mean(1, 2, 3).add(-0.25);
        }
      };

  @Test
  void aConstraintWrittenInJavaMustBeHandedOver() throws IOException {
    RectifiedFlow flow =
        flow(heat().constrain("mass:T=300").constrain(corners()).constrain(VARIANCE).build());
    Path file = directory.resolve("flow.safetensors");
    flow.save(file);
    for (Constraint[] given : List.of(new Constraint[0], new Constraint[] {VARIANCE})) {
      FileFormatException refused =
          assertThrows(FileFormatException.class, () -> RectifiedFlow.load(file, given));
      assertTrue(refused.getMessage().contains("corners, agreeing"), refused.getMessage());
      assertTrue(refused.getMessage().contains(file.toString()), refused.getMessage());
    }
    RectifiedFlow read = RectifiedFlow.load(file, VARIANCE, corners());
    assertEquals(flow.config(), read.config());
    Reconstruction made = reconstruct(read);
    assertHolds(3, made);
    assertEquals(
        List.of("mass:T=300", "corners, agreeing", "variance"),
        made.certificate().worst().stream().map(Certificate.Entry::constraint).toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {"burgers-flow", "darcy-flow"})
  void shippedFlowsCarryTheirProblem(String model) throws IOException {
    Path file = Path.of("..", "models", model + ".safetensors");
    try (SafeTensors open = SafeTensors.read(file)) {
      assertTrue(
          open.metadata().get("flow").startsWith("{\"problem\":"), open.metadata().get("flow"));
    }
    FlowConfig config = RectifiedFlow.load(file).config();
    Benchmark benchmark = Benchmark.named(model.replace("-flow", ""));
    assertDescribes(benchmark.generator("", benchmark.size()).problem(), config.problem());
    assertEquals(1, config.problem().constraints().size());
    String written = config.toJson();
    assertFalse(written.contains("\"benchmark\""), written);
    assertEquals(config, FlowConfig.parse(written, List.of()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"burgers", "darcy", "poisson", "ns"})
  void shippedPriorsCarryTheirProblem(String name) throws IOException {
    PriorModel model = PriorModel.load(Path.of("..", "models", name + ".safetensors"));
    Benchmark benchmark = Benchmark.named(name);
    assertDescribes(benchmark.generator("", benchmark.size()).problem(), model.problem());
    assertTrue(model.calibration().isPresent(), "error bars are calibrated");
  }

  // a model may be older than the equation of its problem, but it must not state another one
  private static void assertDescribes(Problem benchmark, Problem shipped) {
    Map<String, Object> expected = new LinkedHashMap<>(benchmark.toJson());
    if (shipped.equation().isEmpty()) {
      expected.remove("equation");
    }
    assertEquals(expected, shipped.toJson());
  }

  // ---- version 0.1

  private static final String BEFORE =
      """
      {"benchmark":"%s","domain":{"channels":1,"planes":1,"height":64,"width":32,
       "periodic_height":false,"periodic_width":true},
       "units":{"mean":[0.0],"scale":[0.5]},
       "network":{"in_channels":6,"out_channels":1,"patch":4,"widths":[16,16],"blocks":1,
        "attention":[true,true],"heads":4,"groups":8,"time_width":16,"periodic":[false,true]},
       "prediction":"correction","head":"direct",
       "condition":{"fill":"rows","distance":true,"coordinates":true},
       "base":"random-field","times":"uniform","embedded":true}
      """;

  @Test
  void theDomainOfVersionOneTenthGivesTheGrid() throws IOException {
    FlowConfig config = FlowConfig.parse(BEFORE.formatted("burgers"), List.of());
    Problem problem = config.problem();
    assertEquals(64, problem.grid().height());
    assertEquals(32, problem.grid().width());
    assertTrue(problem.grid().columns().periodic() && !problem.grid().rows().periodic());
    assertEquals("mass@x=0", problem.text(problem.constraints().getFirst()));
    assertEquals(6, config.network().inChannels());
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> FlowConfig.parse(BEFORE.formatted("euler"), List.of()));
    assertTrue(refused.getMessage().contains("'euler'"), refused.getMessage());
  }
}
