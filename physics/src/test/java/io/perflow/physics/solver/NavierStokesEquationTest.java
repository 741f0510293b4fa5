package io.perflow.physics.solver;

import static io.perflow.fixtures.Close.assertClose;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Problem;
import io.perflow.physics.constraint.DivergenceFree;
import io.perflow.physics.equation.Equation;
import io.perflow.physics.equation.Solution;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The Navier-Stokes equations as a map from the first frame to all. */
class NavierStokesEquationTest {
  private static final NavierStokes FLOW =
      NavierStokes.advective().grid(24, 12).times(3, 1.5).step(0.05);

  private static Tensor normal(long seed, int... dims) {
    return Rng.of(seed).normal(Device.cpu(), Shape.of(dims), DataType.F64);
  }

  private static Tensor sample(NavierStokes flow, long seed) {
    return Tensor.of(flow.sample(Rng.of(seed)), flow.problem().batch(1).toArray());
  }

  private static double largest(Tensor x) {
    return x.abs().max(false).item();
  }

  @ParameterizedTest
  @EnumSource
  void tangentsAreTheSlopesOfFields(NavierStokes.Storage storage) {
    Equation equation = FLOW.storage(storage).equation();
    Tensor w = normal(1, 1, 144).mul(5); // turns over several times
    Tensor directions = normal(2, 19, 144); // more than fit into one chunk
    double h = 1e-4;
    Tensor ahead = equation.fields(w.add(directions.mul(h)));
    Tensor slopes = ahead.sub(equation.fields(w.sub(directions.mul(h)))).div(2 * h);
    assertClose("tangents", slopes, equation.tangent(w, directions), 1e-6);
    Tensor still = equation.tangent(w.zerosLike(), directions);
    assertTrue(largest(still.sub(equation.tangent(w, directions))) > 0.01, "it is not linear");
  }

  @ParameterizedTest
  @EnumSource
  void fieldsFollowFromTheirCauses(NavierStokes.Storage storage) {
    Equation equation = FLOW.storage(storage).equation();
    Tensor fields = equation.fields(normal(3, 18, 144));
    assertTrue(largest(new Solution(equation).residual(fields)) < 1e-13 * largest(fields));
    if (storage == NavierStokes.Storage.TRUNCATION) { // a stride folds frequencies over
      assertEquals(0, largest(DivergenceFree.spectral().residual(fields)), 1e-12);
    }
    Tensor alone = equation.fields(equation.cause(fields.slice(0, 17, 18)));
    assertClose("alone", alone, fields.slice(0, 17, 18), 1e-13);
  }

  @Test
  void samplesOfAFullyStoredGridAreSolutions() {
    NavierStokes full = FLOW.grid(12, 12);
    Tensor sample = sample(full, 4);
    double missed = largest(new Solution(full.equation()).residual(sample));
    assertTrue(missed < 1e-13, "missed by " + missed);
  }

  @Test
  void samplesOfAFinerGridAreSolutionsButForWhatIsNotStored() {
    NavierStokes finer = NavierStokes.standard().grid(64, 16).times(4, 0.4).step(0.01);
    Tensor sample = sample(finer, 5);
    double missed = largest(new Solution(finer.equation()).residual(sample)) / largest(sample);
    assertTrue(missed > 1e-12 && missed < 2e-3, "missed by " + missed);
  }

  @Test
  void aCauseWithoutASolutionLeavesTheOthersAlone() {
    Equation equation = FLOW.equation();
    Tensor good = normal(6, 1, 144);
    Tensor fields = equation.fields(Tensor.concat(0, good.mul(1e9), good));
    assertFalse(Double.isFinite(fields.slice(0, 0, 1).sum().item()), "it must overflow");
    assertArrayEquals(equation.fields(good).toDoubles(), fields.slice(0, 1, 2).toDoubles(), 1e-13);
  }

  @ParameterizedTest
  @EnumSource
  void aProblemKeepsItsEquationInFiles(NavierStokes.Storage storage) throws FileFormatException {
    NavierStokes flow = FLOW.storage(storage);
    Problem problem = flow.problem().with(flow.equation());
    Problem read = Problem.fromJson(problem.toJson(), List.of());
    assertEquals(flow.equation(), read.equation().orElseThrow());
  }

  @Test
  void aFileWithAMissingOrWrongParameterIsRefused() throws FileFormatException {
    String[][] cases = {
      {"grid", "25", "size 12 does not divide the grid of 25"},
      {"grid", "-24", "problem.equation.grid is -24: from 1 to"},
      {"frames", "null", "problem.equation.frames"},
      {"step", "0", "step is 0.0, must be positive"},
      {"step", "1e-300", "more than 1048576 steps from frame to frame"},
      {"viscosity", "\"thick\"", "problem.equation.viscosity"},
      {"storage", "\"zip\"", "storage 'zip' is unknown"},
    };
    EquationFiles.assertRefused(FLOW.problem().with(FLOW.equation()), cases);
  }
}
