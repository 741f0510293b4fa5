package io.perflow.physics.constraint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.perflow.physics.Axis;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.constraint.Dirichlet.Edge;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConstraintTextTest {
  /** Walls everywhere. */
  private static final Problem PLATE =
      Problem.named("plate")
          .axis("y", 0, 2, 3)
          .axis("x", 0, 3, 4)
          .channel("T")
          .channel("p")
          .build();

  /** Walls below and above. */
  private static final Problem CHANNEL =
      Problem.named("channel")
          .axis("y", 0, 2, 3)
          .axis(Axis.periodic("x", 0, 3, 4))
          .channel("T")
          .channel("p")
          .channel("q")
          .build();

  /** No walls, three frames. */
  private static final Problem TORUS =
      Problem.named("torus")
          .axis(Axis.periodic("y", 0, 1, 4))
          .axis(Axis.periodic("x", 0, 1, 4))
          .frames(Axis.time("t", 0, 1, 3))
          .channel("u")
          .channel("v")
          .vector("u", "v")
          .build();

  private static Tensor field(Problem problem, long seed) {
    return Rng.of(seed).normal(Device.cpu(), problem.batch(2), DataType.F64);
  }

  private static void sameThere(Problem problem, Constraint expected, String text) {
    Tensor x = field(problem, 1);
    assertArrayEquals(
        expected.residual(x).toDoubles(), problem.constraint(text).residual(x).toDoubles(), text);
  }

  // ---- text to constraint to text

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dirichlet=0",
        "dirichlet:p=0",
        "dirichlet:T=20",
        "dirichlet:p,T=-1.5",
        "dirichlet:T@x=1",
        "dirichlet:T@x-low=20",
        "dirichlet:T@x-high=20",
        "dirichlet@y=2",
        "dirichlet:T@y-low=1.0E-20",
        "dirichlet:p@y-high=-3",
        "mass=0",
        "mass:T=300",
        "mass:T@x=0.1",
        "mass@y=0",
        "mass:p,T=4.0E30",
        "poisson=0",
        "poisson=1.5",
        "poisson:p,T=0",
        "bounds:T=3..12",
        "bounds:p=0..",
        "bounds:p,T=..1.5",
        "bounds=-1.0E-9..0.5"
      })
  void textsOfAPlate(String text) {
    assertEquals(text, PLATE.text(PLATE.constraint(text)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dirichlet:p=0",
        "dirichlet=1",
        "dirichlet:T@y-low=20",
        "dirichlet:T@y-high=20",
        "mass:q=300",
        "mass:q,T@x=0",
        "mass:T@y=0"
      })
  void textsOfAChannel(String text) {
    assertEquals(text, CHANNEL.text(CHANNEL.constraint(text)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mass:u=1",
        "mass:u2=1",
        "mass:u1,v3@x=1",
        "mass:v,u1=1",
        "mass=0",
        "divergence-free",
        "divergence-free@faces",
        "energy=0.5",
        "energy=1.0E-9"
      })
  void textsOfATorusWithFrames(String text) {
    assertEquals(text, TORUS.text(TORUS.constraint(text)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dirichlet           | dirichlet=0",
        "dirichlet:T,p       | dirichlet:T,p=0",
        "mass                | mass=0",
        "mass:T@x            | mass:T@x=0",
        "mass: T @ x = 3.0   | mass:T@x=3",
        "dirichlet:T@ x-low =1e3 | dirichlet:T@x-low=1000",
        "mass:T=-0           | mass:T=-0",
        "poisson:T,p         | poisson=0",
        "mass:T=+.5          | mass:T=0.5",
        "mass:T=1e20         | mass:T=1.0E20",
      })
  void whatIsLeftOutIsFilledIn(String text, String canonical) {
    assertEquals(canonical, PLATE.text(PLATE.constraint("  " + text + " ")));
  }

  @Test
  void bothWallsOfTheOnlyWalledAxisAreTheBoundary() {
    assertEquals("dirichlet:T=1", CHANNEL.text(CHANNEL.constraint("dirichlet:T@y=1")));
    assertEquals("mass:u=0", TORUS.text(TORUS.constraint("mass:u1,u2,u3=0")));
  }

  @Property(tries = 300)
  void numbersComeBackWithTheirBits(@ForAll long bits) {
    double value = Double.longBitsToDouble(bits);
    Assume.that(Double.isFinite(value));
    Mass mass = Mass.mean(value).channels(1);
    assertEquals(
        Double.doubleToRawLongBits(value),
        Double.doubleToRawLongBits(
            ((Mass) PLATE.constraint(PLATE.text(mass))).wanted(PLATE.batch(1)).toDoubles()[0]));
  }

  @Test
  void whatTheGrammarHasNoWordsForHasNoText() {
    Tensor two = Tensor.of(new double[] {1, 2}, 1, 2, 1, 1);
    List<Constraint> silent =
        List.of(
            Mass.over(2, 3).values(two),
            Dirichlet.ring().values(two),
            Bounds.atLeast(0).normalized(new Normalization(List.of(0.0, 1.0), List.of(1.0, 1.0))),
            Dirichlet.on(Tensor.ones(3, 4), Tensor.zeros(1)),
            Dirichlet.edges(EnumSet.of(Edge.FIRST_ROW, Edge.LAST_COLUMN)),
            KineticEnergy.of(Tensor.of(new double[] {1, 2}, 2)),
            DivergenceFree.of(Derivative.CENTRAL),
            DivergenceFree.spectral()); // on a plate with walls
    for (Constraint constraint : silent) {
      assertEquals(Optional.empty(), constraint.text(PLATE));
      assertEquals(constraint.name(), PLATE.text(constraint));
    }
    assertEquals(
        Optional.empty(), Dirichlet.ring(0).text(CHANNEL), "two of its edges are no walls");
    assertEquals(Optional.empty(), KineticEnergy.of(1).text(CHANNEL), "three quantities");
  }

  // ---- what the texts mean

  @Test
  void theWallsOfAPlate() {
    sameThere(PLATE, Dirichlet.ring(1), "dirichlet:p=0");
    sameThere(PLATE, Dirichlet.ring().value(2), "dirichlet=2");
    sameThere(PLATE, Dirichlet.edges(EnumSet.of(Edge.FIRST_ROW), 0), "dirichlet:T@y-low");
    sameThere(PLATE, Dirichlet.edges(EnumSet.of(Edge.LAST_ROW), 0), "dirichlet:T@y-high");
    sameThere(PLATE, Dirichlet.edges(EnumSet.of(Edge.FIRST_COLUMN), 0), "dirichlet:T@x-low");
    sameThere(
        PLATE,
        Dirichlet.edges(EnumSet.of(Edge.FIRST_COLUMN, Edge.LAST_COLUMN), 0),
        "dirichlet:T@x");
  }

  @Test
  void aResidualIsTheValueLessThePrescribedOneOnTheEdgeAlone() {
    double[] numbers = new double[24];
    for (int i = 0; i < 24; i++) {
      numbers[i] = i;
    }
    Tensor x = Tensor.of(numbers, 1, 2, 3, 4);
    double[] expected = new double[24];
    expected[12] = 12 - 20; // p in the first column of three rows
    expected[16] = 16 - 20;
    expected[20] = 20 - 20;
    assertArrayEquals(expected, PLATE.constraint("dirichlet:p@x-low=20").residual(x).toDoubles());
    assertArrayEquals(
        new double[] {17.5 - 300}, PLATE.constraint("mass:p=300").residual(x).toDoubles(), 1e-12);
    assertArrayEquals(
        new double[] {1.5 - 1, 5.5 - 1, 9.5 - 1},
        PLATE.constraint("mass:T@x=1").residual(x).toDoubles(),
        1e-12);
    assertArrayEquals(
        new double[] {4, 5, 6, 7}, PLATE.constraint("mass:T@y").residual(x).toDoubles(), 1e-12);
  }

  @Test
  void boundsOfQuantitiesAndFrames() {
    sameThere(PLATE, Bounds.between(-0.5, 0.25).channels(0), "bounds:T=-0.5..0.25");
    sameThere(PLATE, Bounds.atLeast(0.5), "bounds= .5 .. ");
    sameThere(TORUS, Bounds.atMost(0).channels(3, 4, 5), "bounds:v=..0");
  }

  @Test
  void aPeriodicAxisHasNoWalls() {
    sameThere(
        CHANNEL, Dirichlet.edges(EnumSet.of(Edge.FIRST_ROW, Edge.LAST_ROW), 1), "dirichlet:p");
  }

  @Test
  void aSourceAndItsSolution() {
    PoissonEquation equation = PoissonEquation.on(PLATE.grid());
    sameThere(PLATE, equation, "poisson");
    sameThere(PLATE, equation.channels(1, 0).value(2), "poisson:p,T=2");
    assertEquals("poisson=0", PLATE.text(PLATE.resized(5, 6).constraint("poisson")));
    assertEquals(Optional.empty(), equation.text(CHANNEL), "no walls along x");
    Problem longer =
        Problem.named("longer")
            .axis("y", 0, 2.5, 3)
            .axis("x", 0, 3, 4)
            .channel("T")
            .channel("p")
            .build();
    assertEquals(Optional.empty(), equation.text(longer), "another grid");
    assertEquals(Optional.empty(), equation.channels(0, 2).text(PLATE), "another channel");
    Normalization units = new Normalization(List.of(0.0, 1.0), List.of(1.0, 2.0));
    assertEquals(Optional.empty(), equation.normalized(units).text(PLATE), "other units");
    assertEquals(
        Optional.empty(), equation.values(Tensor.zeros(3, 4)).text(PLATE), "values at places");
    var one = assertThrows(IllegalArgumentException.class, () -> equation.channels(1, 1));
    assertEquals("[poisson] source 1 and solution 1: they must be two channels", one.getMessage());
  }

  @Test
  void velocitiesAtFrames() {
    sameThere(TORUS, DivergenceFree.spectral(), "divergence-free");
    sameThere(TORUS, KineticEnergy.of(0.5), "energy=0.5");
    sameThere(TORUS, Mass.mean(1).channels(3, 4, 5), "mass:v=1");
    sameThere(TORUS, Mass.over(2).channels(1, 3), "mass:u2,v1@y");
    assertInstanceOf(DivergenceFree.class, TORUS.constraint("divergence-free"));
  }

  // ---- what is refused

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`` | constraint '' is not NAME[:QUANTITY][@WHERE][=VALUE], such as mass:T=0.5",
        "Mass:T=3 | constraint 'Mass:T=3' is not NAME[:QUANTITY][@WHERE][=VALUE], such as"
            + " mass:T=0.5",
        "mass:=3 | constraint 'mass:=3' is not NAME[:QUANTITY][@WHERE][=VALUE], such as mass:T=0.5",
        "mass:T= | constraint 'mass:T=' is not NAME[:QUANTITY][@WHERE][=VALUE], such as mass:T=0.5",
        "mass@=3 | constraint 'mass@=3' is not NAME[:QUANTITY][@WHERE][=VALUE], such as mass:T=0.5",
        "mass=3:T | constraint 'mass=3:T': a finite number is needed after '='",
        "neumann:T=0 | constraint 'neumann:T=0': 'neumann' is unknown; there are dirichlet, mass,"
            + " divergence-free, poisson, energy and bounds",
        "bounds:T=12..3 | constraint 'bounds:T=12..3': the lower bound 12 is above the upper bound"
            + " 3; swap them",
        "bounds:u=0.. | constraint 'bounds:u=0..': plate has no quantity 'u'; it has T, p",
        "bounds:T@x=0.. | constraint 'bounds:T@x=0..': it takes no place; leave it out",
        "bounds:T=0..x | constraint 'bounds:T=0..x': a range of finite numbers is needed after '=',"
            + " such as 3..12, 0.. or ..1",
        "bounds:T=1..1e999 | constraint 'bounds:T=1..1e999': a range of finite numbers is needed"
            + " after '=', such as 3..12, 0.. or ..1",
        "bounds:T=.. | constraint 'bounds:T=..': a range of finite numbers is needed after '=',"
            + " such as 3..12, 0.. or ..1",
        "bounds:T=3 | constraint 'bounds:T=3': a range of finite numbers is needed after '=', such"
            + " as 3..12, 0.. or ..1",
        "bounds:T | constraint 'bounds:T': a range of finite numbers is needed after '=', such as"
            + " 3..12, 0.. or ..1",
        "poisson:T | constraint 'poisson:T': it needs two quantities, first the source and then the"
            + " solution, as in poisson:f,u; here are 1",
        "poisson@x | constraint 'poisson@x': it takes no place; leave it out",
        "mass:u=1 | constraint 'mass:u=1': plate has no quantity 'u'; it has T, p",
        "mass:T,=1 | constraint 'mass:T,=1': plate has no quantity ''; it has T, p",
        "mass:T@z=1 | constraint 'mass:T@z=1': there is no axis 'z'; there are y and x",
        "mass:T@x-low=1 | constraint 'mass:T@x-low=1': there is no axis 'x-low'; there are y and x",
        "dirichlet:T@z-low=1 | constraint 'dirichlet:T@z-low=1': there is no axis 'z'; there are y"
            + " and x",
        "dirichlet:T@top=1 | constraint 'dirichlet:T@top=1': there is no axis 'top'; there are y"
            + " and x",
        "mass:T=warm | constraint 'mass:T=warm': a finite number is needed after '='",
        "mass:T=300K | constraint 'mass:T=300K': a finite number is needed after '='",
        "mass:T=300d | constraint 'mass:T=300d': a finite number is needed after '='",
        "mass:T=0x1p3 | constraint 'mass:T=0x1p3': a finite number is needed after '='",
        "mass:T=NaN | constraint 'mass:T=NaN': a finite number is needed after '='",
        "mass:T=-Infinity | constraint 'mass:T=-Infinity': a finite number is needed after '='",
        "mass:T=1e999 | constraint 'mass:T=1e999': a finite number is needed after '='",
        "mass:T=1=2 | constraint 'mass:T=1=2': a finite number is needed after '='",
        "energy | constraint 'energy': a finite number is needed after '='",
        "energy=0 | constraint 'energy=0': [kinetic energy] energy 0.0 must be positive",
        "energy=-1 | constraint 'energy=-1': [kinetic energy] energy -1.0 must be positive",
        "energy=1 | constraint 'energy=1': it needs the components of a velocity, and T and p of"
            + " plate are not a vector; if they are, say so: \"vectors\": [[\"T\", \"p\"]] in"
            + " problem.json, Problem.vector in Java",
        "energy:T=1 | constraint 'energy:T=1': it takes no quantity; leave it out",
        "energy@x=1 | constraint 'energy@x=1': it takes no place; leave it out",
        "divergence-free=1 | constraint 'divergence-free=1': it takes no value; leave it out",
        "divergence-free | constraint 'divergence-free': it needs two periodic axes, and y has"
            + " walls; divergence-free@faces allows them",
        "divergence-free@walls | constraint 'divergence-free@walls': velocities lie on grid points,"
            + " or on faces of cells with @faces; '@walls' is unknown",
        "divergence-free@faces=1 | constraint 'divergence-free@faces=1': it takes no value; leave"
            + " it out",
      })
  void wrongTextsOfAPlate(String text, String message) {
    var e = assertThrows(IllegalArgumentException.class, () -> PLATE.constraint(text));
    assertEquals(message, e.getMessage());
  }

  @Test
  void wrongTextsOfOtherGrids() {
    String[][] cases = {
      {"dirichlet:T@x-low=1", "axis x is periodic and has no ends"},
      {"dirichlet:T@x=1", "axis x is periodic and has no ends"},
      {
        "divergence-free",
        "it needs two periodic axes, and y has walls; divergence-free@faces allows them"
      },
      {
        "divergence-free@faces",
        "it needs two quantities, the components of a velocity; channel has 3"
      },
      {"energy=1", "it needs two quantities, the components of a velocity; channel has 3"},
      {
        "poisson",
        "it needs two quantities, first the source and then the solution, as in poisson:f,u; here"
            + " are 3"
      },
      {
        "poisson:T,p",
        "[poisson] axis x must be one of space between walls, with points on nodes at both ends"
      },
    };
    for (String[] c : cases) {
      var e = assertThrows(IllegalArgumentException.class, () -> CHANNEL.constraint(c[0]));
      assertEquals("constraint '%s': %s".formatted(c[0], c[1]), e.getMessage());
    }
    var none = assertThrows(IllegalArgumentException.class, () -> TORUS.constraint("dirichlet:u"));
    assertEquals(
        "constraint 'dirichlet:u': both axes are periodic, so there is no boundary",
        none.getMessage());
  }

  @Test
  void aDivergenceNeedsTwoQuantitiesOnASquare() {
    Problem four = TORUS.toBuilder().channel("p").channel("T").build();
    var e = assertThrows(IllegalArgumentException.class, () -> four.constraint("divergence-free"));
    assertEquals(
        "constraint 'divergence-free': it needs two quantities, the components of a velocity; torus"
            + " has 4",
        e.getMessage());
    Problem oblong =
        Problem.named("oblong")
            .axis(Axis.periodic("y", 0, 1, 4))
            .axis(Axis.periodic("x", 0, 2, 4))
            .channel("u")
            .channel("v")
            .build();
    var f =
        assertThrows(IllegalArgumentException.class, () -> oblong.constraint("divergence-free"));
    assertEquals(
        "constraint 'divergence-free': it needs axes of one length, y has 1.0 and x has 2.0",
        f.getMessage());
    assertEquals(Optional.empty(), DivergenceFree.spectral().text(oblong));
  }

  @Test
  void velocitiesOnFacesNeedCellsBetweenWalls() {
    Axis y = Axis.of("y", 0, 1, 4);
    Axis x = Axis.periodic("x", 0, 2, 6);
    Problem.Builder onNodes = Problem.named("duct").axis(y).axis(x).channel("u").channel("v");
    Problem nodes = onNodes.build();
    var e =
        assertThrows(
            IllegalArgumentException.class, () -> nodes.constraint("divergence-free@faces"));
    assertEquals(
        "constraint 'divergence-free@faces': [divergence-free] axis y has walls and its points on"
            + " nodes: velocities on faces need cells between the walls; use .cells(), or"
            + " \"cells\": true in a file",
        e.getMessage());

    Problem.Builder inCells =
        Problem.named("duct").axis(y.cells()).axis(x).channel("u").channel("v");
    Problem cells = inCells.constrain("divergence-free@faces").build();
    StaggeredFlow flow = StaggeredFlow.on(cells.grid());
    sameThere(cells, flow, "divergence-free@faces");
    assertEquals("divergence-free@faces", cells.text(flow));
    assertEquals("divergence-free@faces", cells.text(cells.resized(8, 4).constraints().get(0)));
    assertEquals(Optional.empty(), flow.text(nodes));
    assertEquals(Optional.empty(), flow.text(TORUS), "other lengths and no walls");
    assertEquals(Optional.empty(), flow.around(Tensor.zeros(4, 6)).text(cells), "obstacles");
    assertEquals(Optional.empty(), Mass.mean(1).within(Tensor.ones(4, 6)).text(cells), "a domain");
  }

  @Test
  void edgesOfJava() {
    var e =
        assertThrows(
            IllegalArgumentException.class, () -> Dirichlet.edges(EnumSet.noneOf(Edge.class)));
    assertEquals("[boundary] no edge is named; name at least one", e.getMessage());
    EnumSet<Edge> edges = EnumSet.of(Edge.FIRST_ROW);
    Dirichlet floor = Dirichlet.edges(edges, 0);
    edges.add(Edge.LAST_ROW);
    assertEquals("dirichlet:T@y-low=0", PLATE.text(floor), "the set was copied");
    assertEquals("mass=300", PLATE.text(Mass.mean(300)));
  }
}
