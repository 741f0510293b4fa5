package io.perflow.physics.solver;

import static io.perflow.fixtures.Close.assertClose;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Dataset;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Scaling;
import io.perflow.physics.constraint.Measured;
import io.perflow.physics.constraint.PoissonEquation;
import io.perflow.physics.constraint.Projector;
import io.perflow.physics.residual.PoissonResidual;
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

/** Poisson's equation as a map from sources to fields, and as a flat set of fields. */
class PoissonEquationTest {
  private static final Poisson POISSON = Poisson.standard().size(32);

  private static Tensor normal(long seed, int... dims) {
    return Rng.of(seed).normal(Device.cpu(), Shape.of(dims), DataType.F64);
  }

  private static Tensor sample(long seed) {
    return Tensor.of(POISSON.sample(Rng.of(seed)), 1, 2, 32, 32);
  }

  private static double rms(Tensor x) {
    return x.square().mean().sqrt().item();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void tangentsAreTheSlopesOfFields(boolean multiplied) {
    Poisson poisson = Poisson.standard().size(12).sineMultiplier(multiplied);
    Tensor f = normal(1, 1, 144);
    Tensor directions = normal(2, 3, 144);
    Tensor slopes = poisson.fields(f.add(directions)).sub(poisson.fields(f));
    assertClose("tangents", slopes, poisson.tangent(f, directions), 1e-12);
  }

  @Test
  void fieldsAreThoseOfTheSimulatorAndFollowFromTheirCauses() {
    Tensor both = Tensor.concat(0, sample(1), sample(2));
    Tensor causes = POISSON.cause(both);
    assertArrayEquals(both.toDoubles(), POISSON.fields(causes).toDoubles());
    double[] u = POISSON.solve(causes.slice(0, 1, 2).toDoubles());
    assertArrayEquals(u, both.slice(0, 1, 2).select(1, 1).toDoubles());
  }

  @Test
  void aSourceThatIsNoNumberLeavesTheOthersAlone() {
    Tensor good = normal(1, 1, 1024);
    Tensor fields = POISSON.fields(Tensor.concat(0, good.mul(Double.NaN), good));
    assertFalse(Double.isFinite(fields.slice(0, 0, 1).sum().item()));
    assertArrayEquals(POISSON.fields(good).toDoubles(), fields.slice(0, 1, 2).toDoubles());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aProblemKeepsItsEquationInFiles(boolean multiplied) throws FileFormatException {
    Poisson poisson = POISSON.sineMultiplier(multiplied);
    Problem read = Problem.fromJson(poisson.problem().toJson(), List.of());
    assertEquals(poisson, read.equation().orElseThrow());
  }

  @Test
  void aFileWithAMissingOrWrongParameterIsRefused() throws FileFormatException {
    String[][] cases = {
      {"size", "2", "size is 2, must be at least 3"},
      {"size", "1000000000", "problem.equation.size is 1000000000: from 1 to 1048576"},
      {"size", "\"many\"", "problem.equation.size"},
      {"rightHandSide", "null", "problem.equation.rightHandSide"},
      {"rightHandSide", "{\"alpha\": -1, \"tau\": 3}", "alpha is -1.0, must be positive"},
      {"rightHandSide", "{\"alpha\": 2}", "problem.equation.rightHandSide.tau"},
      {"sineMultiplier", "0", "problem.equation.sineMultiplier"},
    };
    EquationFiles.assertRefused(POISSON.problem(), cases);
  }

  // ---- the flat set

  @Test
  void itsResidualIsTheEquationInsideAndTheRimOutside() {
    Tensor x = normal(3, 2, 2, 32, 32);
    Tensor residual = POISSON.equations().residual(x);
    Tensor inside = residual.slice(2, 1, 31).slice(3, 1, 31);
    assertClose("inside", PoissonResidual.corrected().residual(x), inside, 1e-12);
    double centre = -4 * 31 * 31;
    assertEquals(centre * x.get(1, 1, 0, 5), residual.get(1, 0, 0, 5), 1e-9);
  }

  @Test
  void samplesSatisfyItToRoundOff() {
    PoissonEquation equation = Poisson.standard().equations();
    Tensor exact = Tensor.of(Poisson.standard().sample(Rng.of(1)), 1, 2, 128, 128);
    double source = rms(exact.select(1, 0));
    assertTrue(rms(equation.residual(exact)) < 1e-11 * source, "double precision");
    // the stencil multiplies the rounding of u, 3e-8 of 4e-3, by some 7e4
    Tensor stored = exact.to(DataType.F32).to(DataType.F64);
    assertTrue(rms(equation.residual(stored)) < 1e-4 * source, "single precision");
    Tensor projected = Projector.onto(equation).project(exact);
    assertClose("they stay put", exact, projected, 1e-12);
  }

  @Test
  void dataSetsHoldIt() {
    Problem strict = POISSON.problem().toBuilder().constrain("poisson").build();
    Dataset data = Dataset.of(strict, POISSON.samples(4, Rng.of(1)), Scaling.UNIT, Map.of());
    data.residuals().forEach(r -> assertTrue(r.holds(), r.toString()));
    Tensor wrong = POISSON.sineMultiplier(true).samples(4, Rng.of(1));
    Dataset broken = Dataset.of(strict, wrong, Scaling.UNIT, Map.of());
    assertFalse(broken.residuals().getLast().holds(), "multiplied solutions are none");
  }

  @Test
  void sensorsOfBothFieldsAreMetInUnitsOfANetwork() {
    Tensor truth = sample(5);
    Normalization units = Normalization.fit(truth, POISSON.problem().groups());
    Tensor mask = Rng.of(6).uniform(Device.cpu(), Shape.of(1, 2, 32, 32), DataType.F64).less(0.05);
    Tensor readings = units.normalize(truth);
    PoissonEquation equation = POISSON.equations();
    Projector projector =
        Projector.onto(
            equation.normalized(units),
            POISSON.problem().constraints().getFirst().normalized(units),
            Measured.of(mask, readings));
    Tensor found = projector.project(normal(7, 3, 2, 32, 32));
    double missed = found.sub(readings).mul(mask).abs().max(false).item();
    assertTrue(missed < 1e-10, "sensors missed by " + missed);
    Tensor physical = units.denormalize(found);
    double residual = rms(equation.residual(physical)) / rms(physical.select(1, 0));
    assertTrue(residual < 1e-11, "equation missed by " + residual);
    Tensor tangent = projector.tangent(normal(8, 3, 2, 32, 32), found);
    double leaves = rms(units.denormalize(tangent).sub(units.denormalize(tangent.zerosLike())));
    assertTrue(leaves > 1e-6, "there is room to move");
    assertEquals(0, tangent.mul(mask).abs().max(false).item(), 1e-10);
  }
}
