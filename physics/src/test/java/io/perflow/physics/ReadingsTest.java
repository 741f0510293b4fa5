package io.perflow.physics;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Close;
import io.perflow.physics.constraint.Affine;
import io.perflow.physics.constraint.AffineConstraint;
import io.perflow.physics.constraint.Measured;
import io.perflow.physics.constraint.Projector;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadingsTest {
  private static final Problem HEAT =
      Problem.named("heat")
          .axis("y", 0, 1, 5)
          .axis(Axis.periodic("x", 0, 1, 4))
          .channel("T", "K")
          .sensors(Sensors.points(2, 4))
          .build();
  private static final Problem FLOW =
      Problem.named("flow")
          .axis(Axis.periodic("x", 0, 1, 4))
          .axis(Axis.periodic("y", 0, 1, 4))
          .frames(Axis.time("t", 0, 2, 3))
          .channel("u", "m/s")
          .channel("v", "m/s")
          .vector("u", "v")
          .sensors(Sensors.points(2).sharing(Sensors.Sharing.PER_FRAME))
          .build();

  private static Readings.Reading only(Readings readings) {
    assertEquals(1, readings.size());
    return readings.all().getFirst();
  }

  private static void reads(Readings.Reading reading, int[] cells, double... weights) {
    assertArrayEquals(cells, reading.cells());
    assertArrayEquals(weights, reading.weights(), 1e-12);
  }

  private static void refused(String message, Runnable run) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, run::run).getMessage());
  }

  // ---- rows of H

  // y = np.linspace(-1, 2, 7); x = np.linspace(0, 5, 6)
  // f = np.sin(y)[:, None] * np.exp(-x / 3)[None, :] + y[:, None]
  // scipy.interpolate.RegularGridInterpolator((y, x), f)(place), SciPy 1.17.1
  @Test
  void interpolatesAsSciPyDoes() {
    Problem problem =
        Problem.named("p").axis("y", -1, 2, 7).axis("x", 0, 5, 6).channel("f").build();
    double[] field = new double[42];
    for (int i = 0; i < 42; i++) {
      double y = -1 + i / 6 * 0.5;
      field[i] = Math.sin(y) * Math.exp(-(i % 6) / 3.0) + y;
    }
    double[][] places = {{-0.9, 0.1}, {0.33, 2.75}, {1.99, 4.999}, {0.5, 3.3}, {2, 5}};
    double[] wanted = {
      -1.6472613988047518,
      0.4579175166218259,
      2.1621453429006814,
      0.66137211943222,
      2.1717440996503443,
    };
    for (int i = 0; i < places.length; i++) {
      Readings.Reading reading = only(Readings.of(problem).at("f", 0, places[i]).build());
      double sum = 0;
      for (int j = 0; j < reading.cells().length; j++) {
        sum += reading.weights()[j] * field[reading.cells()[j]];
      }
      assertEquals(wanted[i], sum, 1e-14);
    }
  }

  @Test
  void gridPointsAreReadAsTheyAre() {
    reads(only(Readings.of(HEAT).at("T", 300, 0.5, 0.25).build()), new int[] {9}, 1);
    double almost = 0.5 + 0.25e-6 * 0.9; // spacing 0.25
    reads(only(Readings.of(HEAT).at("T", 300, almost, 0.25).build()), new int[] {9}, 1);
    assertTrue(Readings.of(HEAT).at("T", 300, 0.5, 1).build().onGrid());
    assertFalse(Readings.of(HEAT).at("T", 300, 0.5 + 1e-6, 1).build().onGrid());
  }

  @Test
  void placesBetweenGridPointsWrapRoundPeriodicAxes() {
    Readings.Reading reading = only(Readings.of(HEAT).at("T", 300, 0.3, 0.95).build());
    reads(reading, new int[] {4, 7, 8, 11}, 0.8 * 0.8, 0.8 * 0.2, 0.2 * 0.8, 0.2 * 0.2);
  }

  @Test
  void placesNextToAWallReadTheCellThere() {
    Problem cells =
        Problem.named("p")
            .axis(Axis.of("z", 0, 4, 4).cells())
            .axis(Axis.periodic("x", 0, 4, 4).cells())
            .channel("T")
            .build();
    reads(only(Readings.of(cells).at("T", 1, 0, 0.5).build()), new int[] {0}, 1);
    reads(only(Readings.of(cells).at("T", 1, 4, 3.5).build()), new int[] {15}, 1);
    reads(only(Readings.of(cells).at("T", 1, 0.2, 4).build()), new int[] {0, 3}, 0.5, 0.5);
  }

  @Test
  void boxesWeighPointsByTheOverlapOfTheirCells() {
    double[] from = {0, 0.125};
    double[] to = {0.5, 0.375};
    // rows 0 and 2 have half a cell in the box
    reads(
        only(Readings.of(HEAT).box("T", 1, from, to).build()),
        new int[] {1, 5, 9},
        0.25,
        0.5,
        0.25);
    // across the end of the period, and of no extent along y
    Readings across =
        Readings.of(HEAT)
            .box("T", 1, new double[] {0.25, 0.75}, new double[] {0.25, 0.125})
            .build();
    reads(only(across), new int[] {4, 7}, 2 / 3.0, 1 / 3.0);
    Readings whole =
        Readings.of(HEAT).box("T", 1, new double[] {0, 0}, new double[] {1, 1}).build();
    assertEquals(20, only(whole).cells().length);
    assertEquals(1 / 16.0, only(whole).weights()[10], 1e-15);
    assertEquals(1 / 32.0, only(whole).weights()[0], 1e-15);
    refused(
        "[readings] a box from y = 0.5 to 0.25: the smaller coordinate comes first",
        () -> Readings.of(HEAT).box("T", 1, new double[] {0.5, 0}, new double[] {0.25, 1}));
  }

  @Test
  void linesAreAveragesOfInterpolatedValues() {
    Readings along =
        Readings.of(HEAT).line("T", 1, new double[] {0.25, 0}, new double[] {0.75, 0}).build();
    reads(only(along), new int[] {4, 8, 12}, 0.25, 0.5, 0.25);
    // the mean of (1 - s)², 2 s (1 - s) and s² on a diagonal
    Readings diagonal =
        Readings.of(HEAT).line("T", 1, new double[] {0.25, 0.25}, new double[] {0.5, 0.5}).build();
    reads(only(diagonal), new int[] {5, 6, 9, 10}, 1 / 3.0, 1 / 6.0, 1 / 6.0, 1 / 3.0);
    double[] place = {0.5, 0.5};
    reads(only(Readings.of(HEAT).line("T", 1, place, place).build()), new int[] {10}, 1);
  }

  @Test
  void framesChooseTheChannel() {
    Readings readings =
        Readings.of(FLOW).at("v", 1, 2, 0.25, 0.5).at("u", 1, 1.0001, 0.25, 0.5).build();
    assertEquals(5, readings.all().get(0).channel());
    assertEquals(1, readings.all().get(1).channel());
    assertEquals(
        List.of("readings moved to the nearest frame, by less than 5 % of a step: 1"),
        readings.notes());
    refused(
        "[readings] t = 0.5 lies between the frames at 0.0 and 1.0; only whole frames are read",
        () -> Readings.of(FLOW).at("v", 1, 0.5, 0.25, 0.5));
    refused(
        "[readings] a place of v has the coordinates t, x, y, not [0.25, 0.5]",
        () -> Readings.of(FLOW).at("v", 1, 0.25, 0.5));
    refused(
        "[readings] a reading of u from [0.0, 0.0, 0.0] to [1.0, 0.0, 0.0] spans frames; it must"
            + " stay within one",
        () -> Readings.of(FLOW).line("u", 1, new double[] {0, 0, 0}, new double[] {1, 0, 0}));
  }

  @Test
  void mistakesAreNamed() {
    refused("heat has no quantity 'p'; it has T", () -> Readings.of(HEAT).at("p", 1, 0, 0));
    refused("[axis y] y = 1.5 lies outside [0.0, 1.0]", () -> Readings.of(HEAT).at("T", 1, 1.5, 0));
    refused(
        "[readings] value NaN is not a finite number of F32",
        () -> Readings.of(HEAT).at("T", Double.NaN, 0, 0));
    refused(
        "[readings] sigma is -1.0: it must be 0 (exact) or a positive number",
        () -> Readings.of(HEAT).sigma(-1).at("T", 1, 0, 0));
  }

  // ---- several readings of the same thing

  @Test
  void exactReadingsThatDifferAreAConflict() {
    Readings.Builder one = Readings.of(HEAT).source("gauge A").at("T", 300, 0.5, 0);
    refused(
        "gauge A and gauge B both read T at the same place: 300.0 and 301.0; keep one or give both"
            + " a sigma",
        () -> one.source("gauge B").at("T", 301, 0.5, 1).build()); // x = 1 is x = 0
    Readings.Builder between = Readings.of(HEAT).at("T", 300, 0.3, 0.1).at("T", 301, 0.3, 0.1);
    assertThrows(IllegalArgumentException.class, between::build);
  }

  @Test
  void exactReadingsThatAgreeAreMerged() {
    Readings readings =
        Readings.of(HEAT)
            .source("first")
            .at("T", 300, 0.5, 0)
            .source("second")
            .at("T", 300.00001, 0.5, 1)
            .build();
    assertEquals("first", only(readings).source());
    assertEquals(List.of("readings that repeat another one and count once: 1"), readings.notes());
  }

  @Test
  void noisyReadingsOfOnePlaceAreAveraged() {
    Readings readings =
        Readings.of(HEAT).sigma(1).at("T", 300, 0.5, 0).sigma(2).at("T", 310, 0.5, 0).build();
    assertEquals(2, readings.size());
    double mean = (300 + 310 / 4.0) / 1.25;
    Readings.Raster raster = readings.raster();
    assertEquals(2, raster.shown());
    assertEquals(mean, raster.values().toDoubles()[8], 1e-4);
    AffineConstraint agreement = readings.agreement().orElseThrow();
    Tensor constant = Tensor.zeros(HEAT.batch(1).toArray()).to(DataType.F64).add(mean);
    assertEquals(0, agreement.meanSquare(constant).item(), 1e-20);
    // an exact one outweighs them
    Readings exact = Readings.of(HEAT).sigma(1).at("T", 5, 0, 0).sigma(0).at("T", 7, 0, 0).build();
    assertEquals(7, exact.raster().values().toDoubles()[0]);
    // and so does a sigma whose square is 0 in a double
    Readings tiny =
        Readings.of(HEAT).sigma(1).at("T", 5, 0, 0).sigma(1e-200).at("T", 7, 0, 0).build();
    assertEquals(7, tiny.raster().values().toDoubles()[0]);
  }

  // ---- what networks are shown

  @Test
  void readingsBetweenPointsAreShownAtTheNearest() {
    Readings.Raster raster =
        Readings.of(HEAT).at("T", 300, 0.3, 0.95).at("T", 310, 0.8, 0.3).build().raster();
    float[] wanted = new float[20];
    wanted[4] = 1;
    wanted[13] = 1;
    assertArrayEquals(wanted, raster.planes().toFloats());
    assertEquals(310, raster.values().toFloats()[13]);
    assertEquals(DataType.F32, raster.values().type());
    assertEquals(Device.cpu(), raster.planes().device());
  }

  @Test
  void aPointThatIsReadShowsItsOwnValue() {
    Readings readings = Readings.of(HEAT).at("T", 310, 0.01, 0).at("T", 300, 0, 0).build();
    assertEquals(300, readings.raster().values().toFloats()[0]);
    assertEquals(1, readings.raster().shown());
    assertEquals(0, readings.raster().values().toFloats()[4]);
  }

  @Test
  void averagesAreNotShown() {
    Readings readings =
        Readings.of(HEAT)
            .box("T", 300, new double[] {0, 0}, new double[] {1, 0.5})
            .line("T", 300, new double[] {0, 0}, new double[] {1, 0.5})
            .box("T", 301, new double[] {0.45, 0.2}, new double[] {0.55, 0.3}) // within a cell
            .build();
    assertEquals(1, readings.raster().shown());
    assertEquals(301, readings.raster().values().toFloats()[9]);
    assertFalse(readings.onGrid());
  }

  @Test
  void sharedPlanesShowPlacesWhereAllChannelsAreRead() {
    Readings.Raster raster =
        Readings.of(FLOW)
            .at("u", 1, 0, 0.25, 0.5)
            .at("v", 2, 0, 0.25, 0.5)
            .at("u", 3, 1, 0.25, 0.5) // no v at this frame
            .build()
            .raster();
    assertEquals(Shape.of(1, 3, 4, 4), raster.planes().shape());
    assertEquals(1, raster.planes().sum().item());
    assertEquals(1, raster.planes().toFloats()[6]);
    assertEquals(2, raster.shown());
    assertEquals(3, raster.values().sum().item());
  }

  @Test
  void nothingIsKnownWithoutReadings() {
    Readings none = Readings.of(FLOW).build();
    assertEquals(0, none.size());
    assertTrue(none.agreement().isEmpty());
    assertTrue(none.misfit(Tensor.zeros(FLOW.batch(2).toArray())).isEmpty());
    assertEquals(0, none.raster().planes().sum().item());
  }

  @Test
  void observesAKnownField() {
    Tensor field = Rng.of(1).normal(Device.cpu(), FLOW.batch(1), DataType.F32);
    Tensor planes = FLOW.masks().draw(Rng.of(2), 1);
    Readings readings = Readings.observe(FLOW, field, planes);
    assertEquals(12, readings.size());
    Close.assertClose("values", field.mul(FLOW.expand(planes)), readings.raster().values(), 0);
    Close.assertClose("planes", planes, readings.raster().planes(), 0);
    assertEquals(0, readings.misfit(field).getFirst().max());
    refused(
        "[readings] the mask holds 0.5: it must be 0 or 1",
        () -> Readings.observe(FLOW, field, planes.mul(0.5)));
  }

  // ---- agreement and misfit

  @Test
  void agreementIsClosedFormOnTheGrid() {
    AffineConstraint agreement =
        Readings.of(HEAT).at("T", 300, 0.5, 0.25).build().agreement().orElseThrow();
    assertInstanceOf(Measured.class, agreement);
    assertEquals("sensors", agreement.name());
  }

  @Test
  void fieldsCanBeProjectedOntoReadingsBetweenPoints() {
    Readings readings =
        Readings.of(HEAT)
            .at("T", 300, 0.3, 0.95)
            .at("T", 310, 0.75, 0.5)
            .box("T", 305, new double[] {0, 0}, new double[] {1, 1})
            .build();
    AffineConstraint agreement = readings.agreement().orElseThrow();
    assertInstanceOf(Affine.class, agreement);
    assertEquals("sensors", agreement.name());
    Tensor x = Rng.of(3).normal(Device.cpu(), HEAT.batch(3), DataType.F64);
    Tensor r = Rng.of(4).normal(Device.cpu(), Shape.of(3, 3), DataType.F64);
    double left = agreement.linear(x).mul(r).sum().item();
    double right = agreement.adjoint(r, x.shape()).mul(x).sum().item();
    assertEquals(left, right, 1e-12);
    Tensor fitted = Projector.onto(agreement).project(x);
    Readings.Misfit misfit = readings.misfit(fitted).getFirst();
    assertEquals(3, misfit.readings());
    assertEquals(0, misfit.max(), 1e-9);
    assertTrue(Double.isNaN(misfit.inSigmas()));
  }

  @Test
  void misfitIsThatOfTheMean() {
    Readings readings =
        Readings.of(FLOW)
            .at("u", 1, 0, 0, 0)
            .sigma(0.5)
            .at("u", 2, 1, 0, 0)
            .sigma(0.1)
            .at("v", 0, 0, 0.1, 0.1)
            .build();
    Tensor zeroAndTwo =
        Tensor.concat(
            0, Tensor.zeros(FLOW.batch(1).toArray()), Tensor.zeros(FLOW.batch(1).toArray()).add(2));
    List<Readings.Misfit> misfit = readings.misfit(zeroAndTwo);
    assertEquals(
        new Readings.Misfit(new Quantity("u", "m/s"), 2, Math.sqrt(0.5), 1, 2), misfit.get(0));
    assertEquals("v", misfit.get(1).quantity().name());
    assertEquals(10, misfit.get(1).inSigmas(), 1e-12);
  }

  // ---- what is unusual

  private static final Normalization UNITS = new Normalization(List.of(300.0), List.of(10.0));

  @Test
  void usualReadingsGiveNoWarning() {
    Readings readings = Readings.of(HEAT).at("T", 300, 0, 0).at("T", 355, 1, 0).build();
    assertEquals(List.of(), readings.unlike(UNITS));
  }

  @Test
  void numbersAndValuesOfReadingsAreCompared() {
    Readings readings =
        Readings.of(HEAT)
            .source("line 2")
            .at("T", 400, 0, 0)
            .source("line 3")
            .at("T", 200, 0.01, 0)
            .source("line 4")
            .at("T", 100, 0.3, 0)
            .at("T", 300, 1, 0)
            .at("T", 300, 1, 0.25)
            .at("T", 300, 1, 0.5)
            .line("T", 300, new double[] {0, 0}, new double[] {1, 0})
            .build();
    assertEquals(
        List.of(
            "sensors for T: 5; the model was trained with 2 to 4 random points",
            "T = 100.0 K (line 4) is far from the training data, usually 260.0 to 340.0 K (readings"
                + " so far off: 3)",
            "readings not shown to the network, since they average over several grid points: 1",
            "readings not shown to the network, since the grid point next to them has a reading of"
                + " its own: 1"),
        readings.unlike(UNITS));
    assertEquals(
        List.of("sensors for T: 0; the model was trained with 2 to 4 random points"),
        Readings.of(HEAT).build().unlike(UNITS));
  }

  @Test
  void planesAreCountedOneByOne() {
    Readings readings =
        Readings.of(FLOW)
            .at("u", 0, 0, 0, 0)
            .at("v", 0, 0, 0, 0)
            .at("u", 0, 0, 0, 0.5)
            .at("v", 0, 0, 0, 0.5)
            .at("u", 0, 1, 0, 0.5)
            .build();
    assertEquals(
        List.of(
            "sensors for u2,u3,v2,v3: 0; the model was trained with 2 random points",
            "readings not shown to the network, since the sensors it knows read u, v together at"
                + " one place: 1"),
        readings.unlike(Normalization.identity(6)));
  }

  @Test
  void linesMustBeWhole() {
    Problem lines = HEAT.with(Sensors.lines("x", 1));
    Readings.Builder whole = Readings.of(lines);
    for (double y : new double[] {0, 0.25, 0.5, 0.75, 1}) {
      whole.at("T", 300, y, 0.5);
    }
    assertEquals(List.of(), whole.build().unlike(UNITS));
    String law = "the model was trained with 1 random places of x, each read along the other axis";
    assertEquals(
        List.of("sensors for T: 1 of 6 are not on a whole line; " + law),
        whole.at("T", 300, 0, 0).build().unlike(UNITS));
    for (double y : new double[] {0.25, 0.5, 0.75, 1}) {
      whole.at("T", 300, y, 0);
    }
    assertEquals(List.of("sensors for T: 2; " + law), whole.build().unlike(UNITS));
  }

  @Test
  void fixedPlacesMustBeThose() {
    Problem fixed = HEAT.with(Sensors.at(List.of(List.of(0.0, 0.0), List.of(1.0, 0.5))));
    Readings.Builder readings = Readings.of(fixed).at("T", 300, 0, 0);
    assertEquals(
        List.of(
            "sensors for T: 1 at other places, none at 1 of the fixed places; the model was trained"
                + " with 2 fixed places"),
        Readings.of(fixed).at("T", 300, 0, 0).at("T", 300, 1, 0).build().unlike(UNITS));
    assertEquals(List.of(), readings.at("T", 300, 1, 0.5).build().unlike(UNITS));
  }

  @Test
  void arraysOfAReadingAreItsOwn() {
    int[] cells = {1};
    double[] weights = {1};
    Readings.Reading reading = new Readings.Reading(0, cells, weights, 1, 0, "x");
    cells[0] = 2;
    reading.weights()[0] = 3;
    assertEquals(new Readings.Reading(0, new int[] {1}, new double[] {1}, 1, 0, "x"), reading);
    assertEquals(1, reading.weights()[0]);
  }
}
