package io.perflow.physics.constraint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.autograd.GradCheck;
import io.perflow.fixtures.Close;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** The laws of nearest points of convex sets, for random bounds, equations, grids and batches. */
class BoundedProjectorTest {
  private record Case(Shape field, Tensor inside, Projector projector) {
    static Case of(ConvexSet set, int batch, int height, int width, Rng rng) {
      Shape field = Shape.of(batch, 2, height, width);
      Tensor inside = set.inside(field, rng.split("inside"));
      return new Case(
          field, inside, Projector.onto(set.constraints(inside, rng.split("constraints"))));
    }

    Tensor random(Rng rng, String name) {
      return Laws.normal(rng.split(name), field, DataType.F64).add(0.5);
    }
  }

  private static double dot(Tensor a, Tensor b) {
    return a.mul(b).sum().item();
  }

  private static double norm(Tensor x) {
    return Math.sqrt(dot(x, x));
  }

  private static void assertAdmissible(Projector p, Tensor y, double floor) {
    for (Constraint c : p.constraints()) {
      double missed = Math.sqrt(c.meanSquare(y).max(false).item());
      double allowed = c instanceof Bounds && y.type() == DataType.F64 ? 0 : floor;
      assertTrue(missed <= allowed, () -> "%s is missed by %.2e".formatted(c.name(), missed));
    }
  }

  @Property(tries = 60, seed = "1")
  void theNearestPointIsAdmissibleAndStaysPut(
      @ForAll ConvexSet set,
      @ForAll DataType type,
      @ForAll @IntRange(min = 1, max = 3) int batch,
      @ForAll @IntRange(min = 4, max = 16) int height,
      @ForAll @IntRange(min = 4, max = 16) int width,
      @ForAll long seed) {
    Rng rng = Rng.of(seed);
    Case c = Case.of(set, batch, height, width, rng);
    Tensor y = c.projector.project(c.random(rng, "x").to(type));
    assertEquals(type, y.type());
    // the divergence on a grid of n points is some n times as large as the field
    double floor =
        (type == DataType.F64 ? 1e-13 : 1e-6) * (set == ConvexSet.BOX_IN_A_FLOW ? 20 : 1);
    assertAdmissible(c.projector, y, floor);
    Close.assertClose("P P x", y, c.projector.project(y), floor);
    Close.assertClose("P of an admissible field", c.inside, c.projector.project(c.inside), 1e-13);
  }

  /** No admissible z lies at an acute angle to x as seen from Px: this characterizes Px. */
  @Property(tries = 60, seed = "2")
  void noAdmissibleFieldIsNearer(
      @ForAll ConvexSet set,
      @ForAll @IntRange(min = 1, max = 3) int batch,
      @ForAll @IntRange(min = 4, max = 12) int size,
      @ForAll long seed) {
    Rng rng = Rng.of(seed);
    Case c = Case.of(set, batch, size, size + 1, rng);
    Tensor x = c.random(rng, "x").mul(2);
    Tensor y = c.projector.project(x);
    Tensor other = c.projector.project(c.random(rng, "other"));
    for (Tensor z : List.of(c.inside, other, other.add(c.inside).mul(0.5))) {
      double cosine = dot(x.sub(y), z.sub(y));
      double rounding = 1e-11 * norm(x.sub(y)) * norm(z.sub(y));
      assertTrue(cosine <= rounding, () -> "%s finds a nearer field: %.2e".formatted(set, cosine));
    }
  }

  @Property(tries = 40, seed = "3")
  void distancesDoNotGrow(
      @ForAll ConvexSet set,
      @ForAll @IntRange(min = 4, max = 12) int size,
      @ForAll @IntRange(min = 0, max = 6) int closeness,
      @ForAll long seed) {
    Rng rng = Rng.of(seed);
    Case c = Case.of(set, 1, size, size, rng);
    Tensor a = c.random(rng, "a");
    Tensor b = a.addScaled(c.random(rng, "b"), Math.pow(10, -closeness));
    double before = norm(a.sub(b));
    double after = norm(c.projector.project(a).sub(c.projector.project(b)));
    assertTrue(after <= before * (1 + 1e-9), () -> "%s becomes %s".formatted(before, after));
  }

  /** Where no value just touches its bound, tangent at the nearest point is the derivative. */
  @Property(tries = 40, seed = "4")
  void theDerivativeIsAnOrthogonalProjection(
      @ForAll ConvexSet set, @ForAll @IntRange(min = 4, max = 8) int size, @ForAll long seed) {
    Rng rng = Rng.of(seed);
    Case c = Case.of(set, 2, size, size, rng);
    Projector p = c.projector;
    Tensor x = c.random(rng, "x");
    Tensor at = p.project(x);
    Tensor v = c.random(rng, "v");
    Tensor w = c.random(rng, "w");
    Tensor pv = p.tangent(v, at);
    Tensor ahead = p.project(x.addScaled(v, 1e-7));
    Tensor difference = ahead.sub(p.project(x.addScaled(v, -1e-7))).mul(0.5e7);
    Close.assertClose("derivative", difference, pv, 1e-6);
    Close.assertClose("P P v", pv, p.tangent(pv, at), 1e-11);
    assertEquals(dot(pv, w), dot(v, p.tangent(w, at)), 1e-10 * norm(v) * norm(w));
    for (Constraint constraint : p.constraints()) {
      if (constraint instanceof AffineConstraint equation) {
        assertEquals(0, equation.linear(pv).abs().max(false).item(), 1e-10, equation.name());
      }
    }
  }

  @Property(tries = 10, seed = "5")
  void theTapeHasTheDerivative(@ForAll ConvexSet set, @ForAll long seed) {
    Rng rng = Rng.of(seed);
    Case c = Case.of(set, 1, 4, 4, rng);
    GradCheck.require(in -> c.projector.project(in[0]), c.random(rng, "x"));
    Tensor at = c.projector.project(c.random(rng, "x"));
    GradCheck.require(in -> c.projector.tangent(in[0], at), c.random(rng, "v"));
  }

  // ---- other ways to the same point

  /** Dykstra's algorithm, which uses only the two projections and no multipliers. */
  @Property(tries = 20, seed = "6")
  void dykstrasAlgorithmArrivesAtTheSameField(@ForAll ConvexSet set, @ForAll long seed) {
    Rng rng = Rng.of(seed);
    Case c = Case.of(set, 1, 4, 4, rng);
    List<Constraint> all = c.projector.constraints();
    Projector flat =
        Projector.onto(all.stream().filter(a -> a instanceof AffineConstraint).toList());
    Projector box = Projector.onto(all.stream().filter(a -> a instanceof Bounds).toList());
    Tensor x = c.random(rng, "x");
    Tensor y = x;
    Tensor toFlat = x.zerosLike();
    Tensor toBox = x.zerosLike();
    for (int i = 0; i < 1500; i++) {
      Tensor onFlat = flat.project(y.add(toFlat));
      toFlat = y.add(toFlat).sub(onFlat);
      y = box.project(onFlat.add(toBox));
      toBox = onFlat.add(toBox).sub(y);
    }
    Close.assertClose(set.name(), y, c.projector.project(x), 1e-4);
  }

  /**
   * One equation on four values: of all 81 ways to choose which values are at which bound, the best
   * that is admissible.
   */
  @Property(tries = 200, seed = "7")
  void noChoiceOfActiveBoundsIsBetter(@ForAll boolean mean, @ForAll long seed) {
    Rng rng = Rng.of(seed);
    double[] x = new double[4];
    double[] a = new double[4];
    double p = 0;
    SparseMatrix.Builder row = SparseMatrix.of(1, 4);
    for (int i = 0; i < 4; i++) {
      x[i] = 3 * rng.nextDouble() - 1;
      a[i] = mean ? 0.25 : rng.nextDouble() - 0.3;
      row.add(0, i, a[i]);
      p += a[i] * rng.nextDouble(); // of a field inside
    }
    Constraint equation =
        mean ? Mass.mean(p) : Affine.of("row", row.build(), Tensor.of(new double[] {p}, 1));
    double[] best = enumerate(x, a, p);
    Tensor found = Projector.onto(Bounds.between(0, 1), equation).project(Tensor.of(x, 1, 1, 2, 2));
    Close.assertClose("enumeration", Tensor.of(best, 1, 1, 2, 2), found, 1e-12);
  }

  private static double[] enumerate(double[] x, double[] a, double p) {
    double[] best = null;
    double least = Double.POSITIVE_INFINITY;
    for (int choice = 0; choice < 81; choice++) {
      double[] y = new double[4];
      double missing = p;
      double square = 0;
      for (int i = 0, rest = choice; i < 4; i++, rest /= 3) {
        y[i] = rest % 3 == 2 ? x[i] : rest % 3; // free, or at 0 or 1
        missing -= a[i] * y[i];
        square += rest % 3 == 2 ? a[i] * a[i] : 0;
      }
      double distance = 0;
      boolean admissible = square > 0 || Math.abs(missing) < 1e-14;
      for (int i = 0, rest = choice; i < 4; i++, rest /= 3) {
        y[i] += rest % 3 == 2 && square > 0 ? missing / square * a[i] : 0;
        distance += (y[i] - x[i]) * (y[i] - x[i]);
        admissible &= y[i] >= -1e-14 && y[i] <= 1 + 1e-14;
      }
      if (admissible && distance < least) {
        least = distance;
        best = y;
      }
    }
    return best;
  }
}
