package io.perflow.physics.prior;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Close;
import io.perflow.physics.Dataset;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Scaling;
import io.perflow.physics.constraint.Projector;
import io.perflow.physics.solver.Poisson;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Priors of problems in which an equation makes one quantity of another. */
class LinearCausesTest {
  private static final Poisson POISSON = Poisson.standard().size(12);
  private static final Problem PROBLEM = POISSON.problem();
  private static final Dataset DATA = data(400, 1);
  private static final Normalization UNITS = DATA.normalization();
  private static final GaussianPrior PRIOR = GaussianPrior.learn(DATA);

  private static Dataset data(int count, long seed) {
    Tensor causes =
        Tensor.stack(
            0, IntStream.range(0, count).mapToObj(i -> cause(seed, i)).toArray(Tensor[]::new));
    return Dataset.of(PROBLEM, POISSON.fields(causes), Scaling.UNIT, Map.of());
  }

  private static Tensor cause(long seed, int number) {
    double[] f = POISSON.rightHandSide().sample(Rng.of(seed).split(number));
    return Tensor.of(f, f.length);
  }

  private static Tensor normalized() {
    return UNITS.normalize(DATA.fields().to(DataType.F32));
  }

  @Test
  void samplesSolveTheEquation() {
    Tensor fields = UNITS.denormalize(PRIOR.samples(Rng.of(2), 5).to(DataType.F64));
    Tensor solved = POISSON.fields(POISSON.cause(fields));
    Close.assertClose("u", solved.slice(1, 1, 2), fields.slice(1, 1, 2), 1e-6);
  }

  // by the definition: C = T C_f Tᵀ, with T the map from f to both
  @Test
  void theCovarianceIsThatOfTheCausesCarriedThroughTheEquation() {
    int cells = PROBLEM.grid().cells();
    Tensor modes = PRIOR.modes().to(DataType.F64);
    Tensor causes = modes.slice(0, 0, cells); // [cells, rank], of f
    Tensor physical = causes.mul(UNITS.scale().get(0)).transpose().contiguous();
    Tensor solved = POISSON.fields(physical).slice(1, 1, 2).div(UNITS.scale().get(1));
    Tensor expected = causes.matmul(solved.reshape(PRIOR.rank(), cells));
    Tensor actual = causes.matmul(modes.slice(0, cells, 2 * cells).transpose());
    Close.assertClose("covariance of f and u", expected, actual, 1e-5);
  }

  @Test
  void fieldsOfTheSimulatorAreLikely() {
    Tensor others = UNITS.normalize(data(50, 2).fields().to(DataType.F32));
    Tensor mean = PRIOR.mean();
    assertTrue(mean.abs().max(false).item() < 0.3, "mean " + mean.abs().max(false).item());
    double spread = others.square().mean().item();
    double expected = PRIOR.deviation().square().mean().item();
    assertEquals(1, expected / spread, 0.15);
  }

  @Test
  void aFileOfTheCausesHoldsAll() throws FileFormatException {
    assertEquals(1, PRIOR.tensors().get(Compact.ROWS).dim(0));
    Object json = Json.parse(Json.write(PRIOR.toJson()));
    GaussianPrior again = read(PROBLEM, json);
    assertArrayEquals(PRIOR.modes().toFloats(), again.modes().toFloats());
    assertArrayEquals(PRIOR.mean().toFloats(), again.mean().toFloats());
    assertEquals(PRIOR.nugget(1), again.nugget(1));
  }

  @Test
  void aFileOfTheCausesNeedsTheEquation() {
    Problem without = PROBLEM.first(2);
    FileFormatException e =
        assertThrows(FileFormatException.class, () -> read(without, PRIOR.toJson()));
    assertTrue(e.getMessage().contains("no linear equation"), e.getMessage());
  }

  private static GaussianPrior read(Problem problem, Object json) throws FileFormatException {
    Map<String, Tensor> tensors = PRIOR.tensors();
    return GaussianPrior.read(problem, UNITS, Projector.none(), json, tensors);
  }

  // data of another simulator may not satisfy our scheme
  @Test
  void fieldsThatDoNotSolveTheEquationArePriorsOfTheirOwn() {
    Tensor fields = normalized();
    Tensor other = Tensor.concat(1, fields.slice(1, 0, 1), fields.slice(1, 1, 2).mul(1.01));
    assertTrue(LinearCauses.of(PROBLEM, UNITS).orElseThrow().hold(fields));
    assertFalse(LinearCauses.of(PROBLEM, UNITS).orElseThrow().hold(other));
    GaussianPrior prior =
        GaussianPrior.learn(
            PROBLEM, UNITS, Projector.none(), other, other.slice(0, 0, 20).contiguous(), 100);
    assertEquals(2, prior.tensors().get(Compact.ROWS).dim(0));
  }
}
