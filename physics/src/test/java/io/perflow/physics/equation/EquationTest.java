package io.perflow.physics.equation;

import static io.perflow.fixtures.Close.assertClose;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Axis;
import io.perflow.physics.Problem;
import io.perflow.physics.solver.Burgers;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Equations as maps from causes to fields. */
class EquationTest {
  private static Burgers burgers(boolean dealias) {
    return Burgers.paper().size(20, 24).substeps(7).dealias(dealias);
  }

  private static Tensor cause(Burgers equation, long seed) {
    double[] initial = equation.initialCondition().sample(Rng.of(seed));
    return Tensor.of(initial, 1, initial.length);
  }

  // by central differences
  private static Tensor slopes(Equation equation, Tensor cause, Tensor directions) {
    double h = 1e-5;
    Tensor ahead = equation.fields(cause.add(directions.mul(h)));
    return ahead.sub(equation.fields(cause.sub(directions.mul(h)))).div(2 * h);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void tangentsAreTheSlopesOfFields(boolean dealias) {
    Burgers equation = burgers(dealias);
    Tensor cause = cause(equation, 1);
    // more than fit into one chunk
    Tensor directions = Rng.of(2).normal(Device.cpu(), Shape.of(19, 24), DataType.F64);
    assertClose(
        "tangents", slopes(equation, cause, directions), equation.tangent(cause, directions), 1e-6);
  }

  @Test
  void fieldsAreThoseOfTheSimulatorAndFollowFromTheirCauses() {
    Burgers equation = burgers(false);
    Tensor causes = Tensor.concat(0, cause(equation, 1), cause(equation, 2), cause(equation, 3));
    Tensor fields = equation.fields(causes);
    assertArrayEquals(causes.toDoubles(), equation.cause(fields).toDoubles());
    for (int i = 0; i < 3; i++) {
      double[] alone = equation.solve(causes.slice(0, i, i + 1).toDoubles());
      assertArrayEquals(alone, fields.slice(0, i, i + 1).toDoubles(), 1e-13);
    }
  }

  @Test
  void aCauseWithoutASolutionLeavesTheOthersAlone() {
    Burgers equation = burgers(false);
    Tensor good = cause(equation, 1);
    Tensor fields = equation.fields(Tensor.concat(0, good.mul(1e6), good));
    assertFalse(Double.isFinite(fields.slice(0, 0, 1).sum().item()), "it must overflow");
    assertArrayEquals(equation.fields(good).toDoubles(), fields.slice(0, 1, 2).toDoubles(), 1e-13);
  }

  @Test
  void aProblemKeepsItsEquationInFilesAndLosesItOnAnotherGrid() throws FileFormatException {
    Problem problem = burgers(true).problem();
    Problem read = Problem.fromJson(problem.toJson(), List.of());
    assertEquals(burgers(true), read.equation().orElseThrow());
    assertTrue(problem.resized(10, 12).equation().isEmpty());
    Map<String, Object> json = new LinkedHashMap<>(problem.toJson());
    json.put("equation", Map.of("equation", "burgers"));
    var missing = assertThrows(FileFormatException.class, () -> Problem.fromJson(json, List.of()));
    assertTrue(missing.getMessage().contains("problem.equation.initial"), missing.getMessage());
    json.put("equation", Map.of("equation", "heat"));
    var none = assertThrows(FileFormatException.class, () -> Problem.fromJson(json, List.of()));
    assertTrue(none.getMessage().contains("available only as a simulator"), none.getMessage());
  }

  @Test
  void anEquationOfAnotherGridIsRefused() {
    Problem problem = burgers(false).problem();
    var e = assertThrows(IllegalArgumentException.class, () -> problem.with(Burgers.paper()));
    assertTrue(e.getMessage().contains("[1, 1, 128, 128]"), e.getMessage());
  }

  /** u_t + c u_x = d u_xx on a circle, first order in time and upwind: every step a few tensors. */
  private static Tensor advected(Tensor first, int times) {
    int n = first.dim(1);
    int[] left = new int[n];
    int[] right = new int[n];
    Arrays.setAll(left, i -> (i + n - 1) % n);
    Arrays.setAll(right, i -> (i + 1) % n);
    Tensor[] rows = new Tensor[times];
    Tensor u = first;
    for (int t = 0; t < times; t++) {
      rows[t] = u.reshape(u.dim(0), 1, 1, n);
      Tensor west = u.gather(1, left);
      Tensor spread = u.gather(1, right).add(west).sub(u.mul(2));
      // a nonlinear source, so that the derivative depends on the solution
      u = u.sub(u.sub(west).mul(0.4)).add(spread.mul(0.2)).sub(u.square().mul(0.05));
    }
    return Tensor.concat(2, rows);
  }

  @Test
  void anEquationOfTensorsHasItsTangentFromTheTape() {
    Problem problem =
        Problem.named("plume")
            .axis(Axis.time("t", 0, 1, 6))
            .axis(Axis.periodic("x", 0, 1, 9))
            .channel("c")
            .build();
    Equation equation =
        Equation.of(
            problem, 9, x -> x.select(2, 0).reshape(x.dim(0), 9), first -> advected(first, 6));
    Tensor cause = Rng.of(3).normal(Device.cpu(), Shape.of(1, 9), DataType.F64);
    Tensor directions = Rng.of(4).normal(Device.cpu(), Shape.of(5, 9), DataType.F64);
    assertClose(
        "tangents", slopes(equation, cause, directions), equation.tangent(cause, directions), 1e-7);
    assertArrayEquals(
        cause.toDoubles(), equation.cause(equation.fields(cause)).toDoubles(), "cause");
    assertTrue(problem.with(equation).equation().isPresent());
    assertFalse(problem.with(equation).toJson().containsKey("equation"), "no file can hold it");
    Equation wrong = Equation.of(problem, 9, x -> x, first -> first);
    var e = assertThrows(IllegalArgumentException.class, () -> wrong.fields(cause));
    assertTrue(e.getMessage().contains("[1, 1, 6, 9]"), e.getMessage());
  }
}
