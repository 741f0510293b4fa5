package io.perflow.physics.equation;

import static io.perflow.fixtures.Close.assertClose;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Problem;
import io.perflow.physics.solver.Burgers;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
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

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void tangentsAreTheSlopesOfFields(boolean dealias) {
    Burgers equation = burgers(dealias);
    Tensor cause = cause(equation, 1);
    // more than fit into one chunk
    Tensor directions = Rng.of(2).normal(Device.cpu(), Shape.of(19, 24), DataType.F64);
    double h = 1e-5;
    Tensor slopes =
        equation
            .fields(cause.add(directions.mul(h)))
            .sub(equation.fields(cause.sub(directions.mul(h))))
            .div(2 * h);
    assertClose("tangents", slopes, equation.tangent(cause, directions), 1e-6);
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
    Map<String, Object> json = new java.util.LinkedHashMap<>(problem.toJson());
    json.put("equation", Map.of("equation", "burgers"));
    var missing = assertThrows(FileFormatException.class, () -> Problem.fromJson(json, List.of()));
    assertTrue(missing.getMessage().contains("problem.equation.initial"), missing.getMessage());
    json.put("equation", Map.of("equation", "heat"));
    var none = assertThrows(FileFormatException.class, () -> Problem.fromJson(json, List.of()));
    assertTrue(none.getMessage().contains("known as a simulator only"), none.getMessage());
  }

  @Test
  void anEquationOfAnotherGridIsRefused() {
    Problem problem = burgers(false).problem();
    var e = assertThrows(IllegalArgumentException.class, () -> problem.with(Burgers.paper()));
    assertTrue(e.getMessage().contains("[1, 1, 128, 128]"), e.getMessage());
  }
}
