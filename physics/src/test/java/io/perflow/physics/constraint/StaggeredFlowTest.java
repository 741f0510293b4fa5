package io.perflow.physics.constraint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Close;
import io.perflow.physics.Axis;
import io.perflow.physics.Grid;
import io.perflow.physics.Normalization;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** What {@link StaggeredFlow} states; {@link Manifold} puts it under the laws of all projectors. */
class StaggeredFlowTest {
  private static Tensor normal(long seed, Shape shape) {
    return Laws.normal(Rng.of(seed), shape, DataType.F64);
  }

  /** Rows of '.' for fluid and '#' for obstacles. */
  private static Tensor solid(String... rows) {
    double[] mask = String.join("", rows).chars().mapToDouble(c -> c == '#' ? 1 : 0).toArray();
    return Tensor.of(mask, rows.length, rows[0].length());
  }

  private static StaggeredFlow flow(int height, int width, boolean rows, boolean columns) {
    return StaggeredFlow.on(Manifold.grid(Shape.of(1, 2, height, width), rows, columns));
  }

  private static double at(double[] plane, int from, int i, int j, int height, int width) {
    return i < 0 || i >= height || j < 0 || j >= width ? Double.NaN : plane[from + i * width + j];
  }

  /** The equations of one frame, written out cell by cell and face by face. */
  @Property(tries = 60)
  void theResidualIsTheStencil(
      @ForAll @IntRange(min = 1, max = 6) int h,
      @ForAll @IntRange(min = 1, max = 6) int w,
      @ForAll boolean rows,
      @ForAll boolean columns,
      @ForAll long seed) {
    Tensor mask = Manifold.mask(Rng.of(seed).split("solid"), Shape.of(h, w), 0.3);
    StaggeredFlow flow = flow(h, w, rows, columns).around(mask);
    Tensor field = normal(seed, Shape.of(1, 2, h, w));
    double[] x = field.toDoubles();
    double[] s = mask.toDoubles();
    double[] expected = new double[3 * h * w];
    for (int i = 0; i < h; i++) {
      for (int j = 0; j < w; j++) {
        int cell = i * w + j;
        double below = i + 1 < h ? x[cell + w] : rows ? x[j] : 0;
        double right = j + 1 < w ? x[h * w + cell + 1] : columns ? x[h * w + i * w] : 0;
        double divergence = (below - x[cell]) / (0.7 / h) + (right - x[h * w + cell]) / (1.3 / w);
        expected[cell] = s[cell] == 1 ? 0 : divergence;
        double above = at(s, 0, rows ? (i + h - 1) % h : i - 1, j, h, w);
        double left = at(s, 0, i, columns ? (j + w - 1) % w : j - 1, h, w);
        // a neighbour that is not there is a wall
        expected[h * w + cell] = s[cell] == 1 || above != 0 ? x[cell] : 0;
        expected[2 * h * w + cell] = s[cell] == 1 || left != 0 ? x[h * w + cell] : 0;
      }
    }
    Close.assertClose("residual", Tensor.of(expected, 1, 3, h, w), flow.residual(field), 1e-13);
  }

  @Property(tries = 60)
  void theAdjointIsTheTranspose(
      @ForAll @IntRange(min = 1, max = 7) int h,
      @ForAll @IntRange(min = 1, max = 7) int w,
      @ForAll @IntRange(min = 1, max = 2) int frames,
      @ForAll long seed) {
    Shape field = Shape.of(2, 2 * frames, h, w);
    StaggeredFlow flow = Manifold.obstacles(field, Rng.of(seed));
    Tensor x = normal(seed, field);
    Tensor r = normal(seed + 1, field.with(1, 3 * frames));
    double left = flow.linear(x).mul(r).sum().item();
    double right = flow.adjoint(r, field).mul(x).sum().item();
    assertEquals(left, right, 1e-11 * (1 + Math.abs(left)));
  }

  /** Two solvers of one Poisson problem: fast transforms, and a factor with nothing in the way. */
  @Property(tries = 40)
  void transformsAndFactorsAgree(
      @ForAll @IntRange(min = 1, max = 12) int h,
      @ForAll @IntRange(min = 1, max = 12) int w,
      @ForAll boolean rows,
      @ForAll boolean columns,
      @ForAll long seed) {
    StaggeredFlow flow = flow(h, w, rows, columns);
    Tensor x = normal(seed, Shape.of(2, 4, h, w));
    Tensor transformed = Projector.onto(flow).project(x);
    Tensor factored = Projector.onto(flow.around(Tensor.zeros(h, w))).project(x);
    Close.assertClose("projection", transformed.add(x), factored.add(x), 1e-12);
  }

  /** A stream function on corners that is constant on every wall gives a flow around them. */
  @Test
  void differencesOfAStreamFunctionAreLeftAlone() {
    int h = 24;
    int w = 16;
    Tensor mask = Tensor.zeros(h, w).to(DataType.F64);
    StaggeredFlow flow = flow(h, w, true, false).around(mask);
    // psi(i, j) at the corner before cell (i, j) in both directions, 0 at j = 0 and behind the last
    Tensor psi = normal(1, Shape.of(1, 1, h, w)).slice(3, 1, w).pad(3, 1, 0);
    Tensor behind = psi.pad(3, 0, 1).slice(3, 1, w + 1);
    Tensor below = psi.padCircular(2, 0, 1).slice(2, 1, h + 1);
    Tensor u = behind.sub(psi).mul(w / 1.3);
    Tensor v = psi.sub(below).mul(h / 0.7);
    Tensor x = Tensor.concat(1, u, v);
    assertTrue(flow.meanSquare(x).item() < 1e-22);
    Close.assertClose("flow", x, Projector.onto(flow).project(x), 1e-12);
  }

  @Test
  void aStreamBetweenWallsIsKeptAndOneAgainstThemIsNot() {
    StaggeredFlow flow = flow(8, 6, true, false);
    Tensor one = Tensor.ones(1, 1, 8, 6).to(DataType.F64);
    Tensor along = Tensor.concat(1, one, one.zerosLike());
    Tensor against = Tensor.concat(1, one.zerosLike(), one);
    Projector p = Projector.onto(flow);
    Close.assertClose("along", along, p.project(along), 1e-13);
    assertEquals(0, p.project(against).abs().max(false).item(), 1e-13);
  }

  @Test
  void partsOfTheFluidKnowNothingOfEachOther() {
    Tensor mask = solid("...#..", "...#..", "####..", ".#.#..", "##.#..");
    StaggeredFlow flow = flow(5, 6, false, false).around(mask);
    Tensor x = normal(3, Shape.of(1, 2, 5, 6));
    Tensor all = Projector.onto(flow).project(x);
    StaggeredFlow left =
        flow(5, 6, false, false).around(solid("...###", "...###", "######", "######", "######"));
    Tensor alone = Projector.onto(left).project(x);
    Close.assertClose(
        "pool", alone.slice(3, 0, 3).slice(2, 0, 2), all.slice(3, 0, 3).slice(2, 0, 2), 1e-13);
    assertEquals(0, all.slice(2, 2, 5).slice(3, 0, 4).abs().max(false).item(), 1e-13);
    assertTrue(all.slice(3, 4, 6).abs().max(false).item() > 0.1, "the strip can circulate");
  }

  @Test
  void fieldsWithoutFluidBecomeZero() {
    StaggeredFlow flow = flow(4, 3, true, true).around(Tensor.ones(4, 3));
    Tensor x = normal(4, Shape.of(1, 2, 4, 3));
    assertEquals(0, Projector.onto(flow).project(x).abs().max(false).item());
  }

  /** Round-off does not grow into the result on a grid of the size of real fields. */
  @Test
  void largeGridsAreExact() {
    int n = 128;
    double[] mask = new double[n * n];
    for (int i = 0; i < n * n; i++) {
      double dx = i / n - 40.5;
      double dy = i % n - 60.0;
      mask[i] = dx * dx + dy * dy < 400 || i / n == 100 && i % n > 30 ? 1 : 0;
    }
    StaggeredFlow flow = flow(n, n, true, false).around(Tensor.of(mask, n, n));
    Projector p = Projector.onto(flow);
    Tensor x = normal(5, Shape.of(1, 2, n, n)).add(1);
    Tensor y = p.project(x);
    double typical = Math.sqrt(flow.meanSquare(x).item());
    double left = Math.sqrt(flow.meanSquare(y).item()) / typical;
    assertTrue(left < 1e-14, () -> left + " of the residual is left");
    Laws.satisfied(p, x.to(DataType.F32));
    Laws.idempotent(p, x);
  }

  @Test
  void facesAndCentres() {
    StaggeredFlow flow = flow(4, 5, true, false);
    Tensor x = normal(6, Shape.of(2, 4, 4, 5));
    Tensor centres = flow.toCells(x);
    assertEquals((x.get(0, 0, 3, 2) + x.get(0, 0, 0, 2)) / 2, centres.get(0, 0, 3, 2), 1e-15);
    assertEquals(x.get(1, 2, 1, 4) / 2, centres.get(1, 2, 1, 4), 1e-15, "the wall behind");
    Tensor faces = flow.toFaces(x);
    assertEquals((x.get(0, 1, 3, 2) + x.get(0, 1, 0, 2)) / 2, faces.get(0, 1, 0, 2), 1e-15);
    assertEquals(0, faces.slice(1, 2, 4).slice(3, 0, 1).abs().max(false).item(), "the wall before");
    Tensor one = Tensor.ones(1, 2, 4, 5);
    Close.assertClose(
        "open", flow.openFaces(1, 4, 5), flow.toFaces(one).to(DataType.F64).squeeze(0), 0);
  }

  @Test
  void unitsOfNetworks() {
    StaggeredFlow flow = flow(4, 6, true, false); // a mean along x is a flow, one along y is none
    assertSame(flow, flow.normalized(new Normalization(List.of(0.0, 0.0), List.of(2.0, 2.0))));
    Normalization shifted = new Normalization(List.of(3.0, -1.0), List.of(2.0, 2.0));
    StaggeredFlow there = flow.normalized(shifted);
    Tensor x = normal(7, Shape.of(2, 2, 4, 6));
    Close.assertClose(
        "residual", flow.residual(shifted.denormalize(x)), there.residual(x).mul(2), 1e-13);
    Close.assertClose(
        "divergence", flow.divergence(shifted.denormalize(x)), there.divergence(x).mul(2), 1e-13);
    Close.assertClose(
        "nearest",
        shifted.normalize(Projector.onto(flow).project(shifted.denormalize(x))),
        Projector.onto(there).project(x),
        1e-12);
    Normalization again = new Normalization(List.of(0.5, 0.25), List.of(4.0, 4.0));
    Close.assertClose(
        "twice",
        flow.residual(shifted.denormalize(again.denormalize(x))),
        there.normalized(again).residual(x).mul(8),
        1e-13);
    Normalization two = new Normalization(List.of(0.0, 0.0), List.of(1.0, 2.0));
    message("one scale for all", () -> flow.normalized(two));
  }

  @Test
  void aMeanThroughWallsContradictsThem() {
    StaggeredFlow flow = flow(6, 6, true, false);
    Tensor x = normal(8, Shape.of(1, 2, 6, 6));
    Projector p = Projector.onto(flow, Mass.mean(2).channels(0));
    assertEquals(2, p.project(x).slice(1, 0, 1).mean().item(), 1e-13);
    message("contradict", () -> Projector.onto(flow, Mass.mean(2).channels(1)).project(x));
  }

  /** Between walls on all sides no flow has a mean, so that to say so adds nothing. */
  @Property(tries = 20)
  void aMeanThatWallsImplyChangesNothing(@ForAll DataType type, @ForAll long seed) {
    StaggeredFlow flow = flow(8, 6, false, false).around(Tensor.zeros(8, 6));
    Tensor x = Laws.normal(Rng.of(seed), Shape.of(2, 4, 8, 6), type);
    Projector p = Projector.onto(flow, Mass.mean(0), Mass.mean(0).within(Tensor.ones(8, 6)));
    Close.assertClose(
        "flow", Projector.onto(flow).project(x), p.project(x), 0.1 * Close.tolerance(type));
    Laws.idempotent(p, x);
  }

  /** Of sensors where nothing flows, round-off is all that is left; it must not become a step. */
  @Property(tries = 30)
  void velocitiesOfSensorsStandStillEverywhere(@ForAll long seed) {
    Shape field = Shape.of(2, 2, 12, 13);
    Projector p = Manifold.SENSORS_AMONG_OBSTACLES.projector(field, Rng.of(seed));
    Tensor v = normal(seed, field);
    Tensor tangent = p.tangent(v, v);
    for (Constraint constraint : p.constraints()) {
      double moved = ((AffineConstraint) constraint).linear(tangent).abs().max(false).item();
      assertTrue(moved < 1e-11, () -> constraint.name() + " moves by " + moved);
    }
  }

  @Test
  void badInputIsRefused() {
    StaggeredFlow flow = flow(4, 5, true, true);
    message("3 channels", () -> flow.residual(Tensor.zeros(1, 3, 4, 5)));
    message("4 axes", () -> Projector.onto(flow).project(Tensor.zeros(2, 4, 5)));
    message("holds 2.0: a mask is 1 in obstacles", () -> flow.around(Tensor.ones(4, 5).mul(2)));
    message("2 axes", () -> flow.around(Tensor.ones(1, 4, 5)));
    StaggeredFlow around = flow.around(Tensor.zeros(4, 5));
    message("expected [8, 5]", () -> around.residual(Tensor.zeros(1, 2, 8, 5)));
    Grid nodes = new Grid(Axis.of("y", 0, 1, 4), Axis.periodic("x", 0, 1, 4));
    message("use .cells()", () -> StaggeredFlow.on(nodes));
  }

  private static void message(String part, Runnable run) {
    var thrown = assertThrows(IllegalArgumentException.class, run::run);
    assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
  }
}
