package io.perflow.physics.equation;

import static io.perflow.fixtures.Close.assertClose;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Dataset;
import io.perflow.physics.Normalization;
import io.perflow.physics.Scaling;
import io.perflow.physics.prior.GaussianPrior;
import io.perflow.physics.prior.Kriging;
import io.perflow.physics.prior.Sensing;
import io.perflow.physics.solver.Poisson;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

/** Causes whose readings follow from a prior, beside those whose readings solve the equation. */
class CarriedCausesTest {
  private static final Poisson POISSON = Poisson.standard().size(20);
  private static final Dataset DATA =
      Dataset.of(POISSON.problem(), POISSON.samples(300, Rng.of(1)), Scaling.UNIT, Map.of());
  private static final GaussianPrior PRIOR = GaussianPrior.learn(DATA);
  private static final Normalization UNITS = DATA.normalization();
  private static final int[] ENTRIES = {45, 130, 207, 333, 400 + 66, 400 + 190, 400 + 250};

  private final Causes carried = POISSON.law(PRIOR, UNITS);
  private final Causes solved = GaussianCauses.of(POISSON, PRIOR, UNITS);

  private static Tensor normal(long seed, int... dims) {
    return Rng.of(seed).normal(Device.cpu(), Shape.of(dims), DataType.F64);
  }

  private static Tensor field() {
    Tensor field = Tensor.of(POISSON.sample(Rng.of(7)), 1, 2, 20, 20);
    return UNITS.normalize(field);
  }

  @Test
  void readingsSlopesErrorsAndFieldsAreThoseOfTheEquation() {
    assertInstanceOf(CarriedCauses.class, carried);
    Sensing sensing = Sensing.at(POISSON.problem(), ENTRIES, 0.01);
    Tensor values = sensing.read(field());
    Inversion quick = carried.given(sensing, values, 1e-3);
    Inversion slow = solved.given(sensing, values, 1e-3);
    Tensor c = normal(1, 3, PRIOR.rank());
    assertClose("readings", slow.read(c), quick.read(c), 1e-4);
    assertClose("errors", slow.errors(), quick.errors(), 1e-12);
    assertClose("fields", slow.fields(c), quick.fields(c), 1e-4);
    Tensor one = c.slice(0, 0, 1);
    assertClose("slopes", slow.slopes(one).rows(), quick.slopes(one).rows(), 1e-4);
  }

  @Test
  void fieldsSatisfyTheEquationInDoublePrecision() {
    Sensing sensing = Sensing.at(POISSON.problem(), ENTRIES, 0);
    Tensor fields =
        carried.given(sensing, sensing.read(field()), 1e-3).fields(normal(2, 2, PRIOR.rank()));
    Tensor again = POISSON.fields(POISSON.cause(fields));
    assertTrue(again.sub(fields).abs().max(false).item() < 1e-14, "to the last digits");
  }

  @Test
  void coefficientsOfFieldsAreThoseOfTheRegression() {
    Tensor fields =
        Tensor.concat(0, field(), PRIOR.fields(normal(3, 1, PRIOR.rank())).to(DataType.F64));
    assertClose("coefficients", solved.coefficients(fields), carried.coefficients(fields), 1e-3);
    Tensor mean = PRIOR.mean();
    assertClose("none", carried.coefficients(mean).zerosLike(), carried.coefficients(mean), 1e-5);
  }

  @Test
  void theSearchBeginsAtTheMostLikelyCause() {
    Sensing sensing = Sensing.at(POISSON.problem(), ENTRIES, 0.05);
    Tensor values = sensing.read(field());
    Kriging known = PRIOR.given(sensing);
    Tensor start = carried.start(known, values);
    GaussNewton newton = new GaussNewton(carried.given(sensing, values, 1e-3));
    Tensor found = newton.mostLikely(start).coefficients();
    Tensor fromAfar = newton.mostLikely(normal(4, 1, PRIOR.rank())).coefficients();
    assertClose("it stays", start, found, 1e-6);
    assertClose("it is reached", start, fromAfar, 1e-6);
  }

  @Test
  void aCancelledFitEnds() {
    try (Cancellation _ = Cancellation.when(() -> true)) {
      assertThrows(CancellationException.class, () -> carried.coefficients(field()));
    }
  }
}
