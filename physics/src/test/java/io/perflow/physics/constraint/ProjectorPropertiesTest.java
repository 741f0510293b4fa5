package io.perflow.physics.constraint;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** The laws of projectors, for random constraints, grids, batches, boundary values and masks. */
class ProjectorPropertiesTest {

  private static Shape field(Manifold manifold, int batch, int frames, int height, int width) {
    int unit = manifold.needsEvenGrid() ? 2 : 1;
    return Shape.of(batch, 2 * frames, height / unit * unit, width / unit * unit);
  }

  @Property(tries = 100)
  void projectsOntoTheManifold(
      @ForAll Manifold manifold,
      @ForAll DataType type,
      @ForAll @IntRange(min = 1, max = 3) int batch,
      @ForAll @IntRange(min = 1, max = 3) int frames,
      @ForAll @IntRange(min = 4, max = 24) int height,
      @ForAll @IntRange(min = 4, max = 24) int width,
      @ForAll long seed) {
    Rng rng = Rng.of(seed);
    Shape field = field(manifold, batch, frames, height, width);
    Projector p = manifold.projector(field, rng.split("constraint"));
    Tensor x = Laws.normal(rng.split("x"), field, type);
    Laws.satisfied(p, x);
    Laws.idempotent(p, x);
  }

  @Property(tries = 100)
  void isOrthogonalAndItsTangentIsItsDerivative(
      @ForAll Manifold manifold,
      @ForAll DataType type,
      @ForAll @IntRange(min = 1, max = 3) int batch,
      @ForAll @IntRange(min = 1, max = 3) int frames,
      @ForAll @IntRange(min = 4, max = 24) int height,
      @ForAll @IntRange(min = 4, max = 24) int width,
      @ForAll long seed) {
    Rng rng = Rng.of(seed);
    Shape field = field(manifold, batch, frames, height, width);
    Projector p = manifold.projector(field, rng.split("constraint"));
    Tensor x = Laws.normal(rng.split("x"), field, type);
    Tensor v = Laws.normal(rng.split("v"), field, type);
    Tensor w = Laws.normal(rng.split("w"), field, type);
    Laws.selfAdjoint(p, x, v, w);
    Laws.tangentIsDerivative(p, x, v);
    Laws.stepsAlongTangents(p, x, v);
    if (!p.curved()) {
      Laws.nonExpansive(p, x, v);
      Laws.gradientIsProjection(p, x, w);
    }
  }

  @Property(tries = 40)
  void gradientsAreRight(
      @ForAll Manifold manifold,
      @ForAll @IntRange(min = 4, max = 6) int height,
      @ForAll @IntRange(min = 4, max = 5) int width,
      @ForAll long seed) {
    Rng rng = Rng.of(seed);
    Shape field = field(manifold, 1, 1, height, width);
    Projector p = manifold.projector(field, rng.split("constraint"));
    Tensor x = Laws.normal(rng.split("x"), field, DataType.F64);
    Laws.gradient(p, x, Laws.normal(rng.split("v"), field, DataType.F64));
  }

  /** The theorem that gives the method its name. */
  @Property(tries = 60)
  void flowsStayOnTheManifoldAtEveryStage(
      @ForAll Manifold manifold,
      @ForAll DataType type,
      @ForAll @IntRange(min = 1, max = 6) int stages,
      @ForAll boolean classical,
      @ForAll @IntRange(min = 1, max = 200) int steps,
      @ForAll @IntRange(min = 4, max = 17) int height,
      @ForAll @IntRange(min = 4, max = 17) int width,
      @ForAll long seed) {
    Rng rng = Rng.of(seed);
    Shape field = field(manifold, 2, 1, height, width);
    Projector p = manifold.projector(field, rng.split("constraint"));
    Laws.invariant(
        p,
        SmoothFlow.random(rng.split("flow"), field, type),
        method(classical, stages, rng.split("method")),
        steps,
        Laws.normal(rng.split("x"), field, type));
  }

  private static Tableau method(boolean classical, int stages, Rng rng) {
    if (!classical) {
      return Tableau.random(stages, rng);
    }
    return switch (stages % 3) {
      case 0 -> Tableau.rk4();
      case 1 -> Tableau.euler();
      default -> Tableau.heun();
    };
  }
}
