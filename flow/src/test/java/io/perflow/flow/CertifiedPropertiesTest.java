package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Axis;
import io.perflow.physics.Dataset;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.Scaling;
import io.perflow.physics.constraint.Bounds;
import io.perflow.physics.constraint.Certificate;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.Dirichlet;
import io.perflow.physics.constraint.Mass;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/**
 * What a certificate states is true of the fields that come with it, from readings to result: in
 * any unit, far from zero, with few, noisy or no readings, between grid points or on them. The
 * fields are measured here by plain loops.
 */
class CertifiedPropertiesTest {
  private static final int SIDE = 6;
  private static final int CELLS = SIDE * SIDE;

  /** T has a mean, p is given at one wall, q stays within bounds. */
  private record Case(Problem problem, Dataset data, double unit, double shift) {
    static Case of(double unit, double shift) {
      Problem problem =
          Problem.named("plate")
              .axis("y", 0, 1, SIDE)
              .axis(Axis.of("x", 0, 2, SIDE))
              .channel("T")
              .channel("p")
              .channel("q")
              .constrain(Mass.mean(shift).channels(0))
              .constrain(
                  Dirichlet.edges(EnumSet.of(Dirichlet.Edge.FIRST_COLUMN), 1).value(shift + unit))
              .constrain(Bounds.between(shift - 9 * unit, shift + 9 * unit).channels(2))
              .build();
      Rng rng = Rng.of(3);
      double[] fields = new double[12 * 3 * CELLS];
      for (int s = 0; s < 12; s++) {
        double[] a = rng.split(s).normal(Shape.of(4)).toDoubles();
        double mean = 0;
        for (int i = 0; i < CELLS; i++) {
          double y = i / SIDE / (SIDE - 1.0);
          double x = i % SIDE / (SIDE - 1.0);
          double wave = a[0] * Math.cos(3 * y) + a[1] * Math.sin(2 * x + y);
          mean += wave / CELLS;
          fields[(3 * s) * CELLS + i] = wave;
          fields[(3 * s + 1) * CELLS + i] = 1 + a[2] * x * (1 + y);
          fields[(3 * s + 2) * CELLS + i] = Math.clamp(a[3] * Math.cos(x - y), -9, 9);
        }
        for (int i = 0; i < CELLS; i++) {
          fields[(3 * s) * CELLS + i] -= mean;
        }
      }
      Tensor tensor = Tensor.of(fields, 12, 3, SIDE, SIDE).mul(unit).add(shift);
      return new Case(problem, Dataset.of(problem, tensor, Scaling.UNIT, Map.of()), unit, shift);
    }

    // anywhere inside, of any quantity, of the size of the data or ten times that
    Readings readings(int count, boolean onGrid, double sigma, Rng rng) {
      Readings.Builder readings = Readings.of(problem).sigma(sigma * unit);
      double[] n = rng.uniform(Shape.of(4 * Math.max(1, count))).toDoubles();
      for (int i = 0; i < count; i++) {
        double y = onGrid ? (i + 1) % SIDE / (SIDE - 1.0) : n[4 * i];
        double x = onGrid ? 2 * (1 + i / SIDE) / (SIDE - 1.0) : 0.5 + 1.5 * n[4 * i + 1];
        String quantity = List.of("T", "p", "q").get((int) (3 * n[4 * i + 2]));
        readings.at(quantity, shift + unit * (4 * n[4 * i + 3] - 2), y, x);
      }
      return readings.build();
    }
  }

  private static void isTrue(Case of, Reconstruction found, Readings readings, boolean exact) {
    double allowed = 1e-6 * of.unit();
    double[] x = found.fields().samples().toDoubles();
    for (int s = 0; s < found.fields().size(); s++) {
      int at = 3 * s * CELLS;
      double mean = 0;
      for (int i = 0; i < CELLS; i++) {
        mean += (x[at + i] - of.shift()) / CELLS;
        assertTrue(Math.abs(x[at + 2 * CELLS + i] - of.shift()) <= 9 * of.unit() + allowed);
      }
      assertEquals(0, mean, 10 * allowed);
      for (int row = 0; row < SIDE; row++) {
        assertEquals(of.shift() + of.unit(), x[at + CELLS + row * SIDE], 10 * allowed);
      }
      for (Readings.Reading reading : exact ? readings.all() : List.<Readings.Reading>of()) {
        double value = 0;
        for (int i = 0; i < reading.cells().length; i++) {
          value += reading.weights()[i] * x[at + reading.channel() * CELLS + reading.cells()[i]];
        }
        assertEquals(reading.value(), value, 10 * allowed);
      }
    }
    List<String> names = new ArrayList<>();
    found.certificate().worst().forEach(entry -> names.add(entry.constraint()));
    assertEquals(exact && readings.size() > 0 ? 4 : 3, names.size());
  }

  @Property(tries = 60)
  void krigingKeepsItsWord(
      @ForAll @DoubleRange(min = -15, max = 15) double magnitude,
      @ForAll @DoubleRange(min = -1e4, max = 1e4) double offset,
      @ForAll @IntRange(max = 8) int count,
      @ForAll boolean onGrid,
      @ForAll boolean noisy,
      @ForAll boolean exact,
      @ForAll @LongRange(min = 0, max = 1000) long seed) {
    double unit = Math.pow(10, magnitude);
    Case of = Case.of(unit, offset * unit);
    Readings readings = of.readings(count, onGrid, noisy ? 0.3 : 0, Rng.of(seed));
    KrigingSampler sampler = PriorModel.learn(of.data()).kriging().exact(exact);
    isTrue(of, Reconstruction.of(sampler, readings, 3, Rng.of(seed)), readings, exact);
  }

  @Property(tries = 12)
  void aFlowKeepsItsWord(
      @ForAll @DoubleRange(min = -15, max = 15) double magnitude,
      @ForAll @DoubleRange(min = -1e3, max = 1e3) double offset,
      @ForAll @IntRange(max = 6) int count,
      @ForAll boolean exact,
      @ForAll @LongRange(min = 0, max = 1000) long seed) {
    double unit = Math.pow(10, magnitude);
    Case of = Case.of(unit, offset * unit);
    Readings readings = of.readings(count, true, 0, Rng.of(seed));
    FlowConfig config =
        FlowConfig.of(of.problem(), of.data().normalization()).network(Small.network());
    FlowSampler sampler =
        FlowSampler.of(RectifiedFlow.of(config, Rng.of(seed)))
            .solver(OdeSolver.euler(3))
            .sensors(exact ? FlowSampler.Agreement.EXACT : FlowSampler.Agreement.LEARNT);
    isTrue(of, Reconstruction.of(sampler, readings, 2, Rng.of(seed)), readings, exact);
  }

  /** Beyond what double precision can do, there is no certificate. */
  @Test
  void anAbsurdReadingIsRefused() {
    Case of = Case.of(1, 0);
    Readings readings = Readings.of(of.problem()).at("T", 1e30, 0.4, 0.8).build();
    KrigingSampler sampler = PriorModel.learn(of.data()).kriging().exact(true);
    var e =
        assertThrows(
            IllegalArgumentException.class,
            () -> Reconstruction.of(sampler, readings, 2, Rng.of(1)));
    assertTrue(
        e.getMessage().contains("do not satisfy their constraints: mass:T=0"), e.getMessage());
  }

  @Test
  void samplesThatAreNoNumbersAreRefused() {
    float[] values = new float[4];
    values[3] = Float.NaN;
    var e =
        assertThrows(
            IllegalArgumentException.class, () -> new Ensemble(Tensor.of(values, 1, 1, 2, 2)));
    assertTrue(e.getMessage().contains("hold NaN at [0, 0, 1, 1]"), e.getMessage());
  }

  /** Constraints of the problem that a model does not hold are reported. */
  @Test
  void aFlowWithoutItsPhysicsSaysSo() {
    Case of = Case.of(1, 0);
    FlowConfig config =
        FlowConfig.of(of.problem(), of.data().normalization())
            .network(Small.network())
            .unprojected();
    FlowSampler sampler =
        FlowSampler.of(RectifiedFlow.of(config, Rng.of(1))).solver(OdeSolver.euler(2));
    Readings readings = of.readings(3, true, 0, Rng.of(1));
    Reconstruction found = Reconstruction.of(sampler, readings, 2, Rng.of(1));
    assertTrue(
        found.warnings().stream().anyMatch(w -> w.contains("the model does not hold this")),
        found.warnings().toString());
  }

  @Test
  void everyConstraintIsMeasuredInItsOwnUnits() {
    Case of = Case.of(1e-12, 0);
    Tensor fields = of.data().fields().to(DataType.F64).slice(0, 0, 1);
    List<Constraint> all = of.problem().constraints();
    assertEquals(
        List.of(), Certificate.broken(fields, all, of.data().normalization(), of.problem()));
    Tensor moved = fields.add(1e-16);
    assertEquals(
        2, // the mean and the wall
        Certificate.broken(moved, all, of.data().normalization(), of.problem()).size());
  }
}
