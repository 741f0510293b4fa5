package io.perflow.physics.constraint;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** A test of the tests: projectors with one plausible mistake each fail the law they break. */
class BrokenProjectorTest {
  private static final Shape FIELD = Shape.of(2, 2, 8, 8);
  private static final Projector MASS = Projector.onto(Mass.over(3));
  private static final Projector FLOW = Projector.onto(DivergenceFree.spectral());

  private static Tensor random(String name) {
    return Laws.normal(Rng.of(7).split(name), FIELD, DataType.F64);
  }

  private static Tensor random(String name, DataType type) {
    return random(name).to(type);
  }

  /** A projector that claims constraints and does something else. */
  private record Claim(
      List<Constraint> constraints, UnaryOperator<Tensor> map, UnaryOperator<Tensor> linear)
      implements Projector {
    static Claim of(Constraint constraint, UnaryOperator<Tensor> map) {
      return new Claim(List.of(constraint), map, map);
    }

    @Override
    public Tensor project(Tensor x) {
      return map.apply(x);
    }

    @Override
    public Tensor tangent(Tensor velocity, Tensor at) {
      return linear.apply(velocity);
    }
  }

  private static void fails(Runnable law) {
    assertThrows(AssertionError.class, law::run);
  }

  @Test
  void aMeanThatIsNotQuiteSubtractedIsNotIdempotent() {
    Claim p = Claim.of(Mass.over(3), x -> x.sub(x.mean(true, 3).mul(1 - 1e-6)));
    fails(() -> Laws.idempotent(p, random("x")));
    fails(() -> Laws.satisfied(p, random("x")));
    Laws.selfAdjoint(p, random("x"), random("v"), random("w"));
  }

  @Test
  void anotherSymbolThanTheDivergenceHasLeavesDivergence() {
    Projector central = Projector.onto(DivergenceFree.of(Derivative.CENTRAL));
    Claim p = Claim.of(DivergenceFree.spectral(), x -> central.project(x));
    Laws.idempotent(p, random("x"));
    fails(() -> Laws.satisfied(p, random("x")));
    fails(() -> Laws.satisfied(p, random("x", DataType.F32)));
  }

  @Test
  void anObliqueProjectionIsNotSelfAdjoint() {
    // the first value of each row takes the blame for its mean
    Claim p =
        Claim.of(Mass.over(3), x -> x.sub(x.mean(true, 3).mul(x.dim(3)).pad(3, 0, x.dim(3) - 1)));
    Laws.idempotent(p, random("x"));
    Laws.satisfied(p, random("x"));
    fails(() -> Laws.selfAdjoint(p, random("x"), random("v"), random("w")));
  }

  @Test
  void aVelocityThatIsNotProjectedIsNotTheDerivative() {
    Claim p = new Claim(List.of(Mass.over(3)), x -> MASS.project(x), v -> v);
    fails(() -> Laws.tangentIsDerivative(p, random("x"), random("v")));
  }

  @Test
  void aGradientThatStopsAtTheProjectionIsWrong() {
    // a copy through plain numbers is invisible to the tape
    UnaryOperator<Tensor> cut =
        x -> x.add(Tensor.of(FLOW.project(x).sub(x).toDoubles(), x.shape().toArray()));
    fails(() -> Laws.gradient(Claim.of(DivergenceFree.spectral(), cut), random("x"), random("v")));
  }

  @Test
  void aFieldThatIsStretchedFirstIsExpanded() {
    Claim p = Claim.of(Mass.over(3), x -> MASS.project(x.mul(1.5)));
    fails(() -> Laws.nonExpansive(p, random("x"), random("v")));
    fails(
        () ->
            Laws.gradientIsProjection(
                new Claim(p.constraints(), p.map, MASS::project), random("x"), random("v")));
  }

  @Test
  void velocitiesThatKeepAMillionthOfTheirMeanLeaveTheManifold() {
    Claim p =
        new Claim(
            List.of(Mass.over(3)), x -> MASS.project(x), v -> v.sub(v.mean(true, 3).mul(1 - 1e-6)));
    SmoothFlow flow = SmoothFlow.random(Rng.of(3), FIELD, DataType.F64);
    fails(() -> Laws.invariant(p, flow, Tableau.heun(), 5, random("x")));
    Laws.invariant(MASS, flow, Tableau.heun(), 5, random("x"));
  }

  @Test
  void aBoundaryThatMovesByOneUlpIsFoundInEitherPrecision() {
    Dirichlet ring = Dirichlet.ring().value(1);
    Projector right = Projector.onto(ring);
    for (DataType type : DataType.values()) {
      double ulp = type == DataType.F32 ? 0x1p-23 : 0x1p-52;
      Claim p = Claim.of(ring, x -> right.project(x).mul(1 + ulp));
      Laws.satisfied(right, random("x", type));
      fails(() -> Laws.satisfied(p, random("x", type)));
    }
  }

  @Test
  void constraintsOneAfterTheOtherMissOne() {
    Dirichlet ring = Dirichlet.ring().value(1);
    Mass mass = Mass.over(2, 3);
    Projector boundary = Projector.onto(ring);
    Projector mean = Projector.onto(mass);
    List<Constraint> both = List.of(ring, mass);
    UnaryOperator<Tensor> massLast = x -> mean.project(boundary.project(x));
    UnaryOperator<Tensor> boundaryLast = x -> boundary.project(mean.project(x));
    fails(() -> Laws.satisfied(new Claim(both, massLast, massLast), random("x")));
    fails(() -> Laws.satisfied(new Claim(both, boundaryLast, boundaryLast), random("x")));
    Laws.satisfied(Projector.onto(both), random("x"));
    Laws.idempotent(Projector.onto(both), random("x"));
  }
}
