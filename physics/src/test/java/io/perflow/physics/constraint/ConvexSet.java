package io.perflow.physics.constraint;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;

/** Sets of bounds and equations that hold for one random field at least. */
enum ConvexSet {
  POSITIVE {
    @Override
    List<Constraint> constraints(Tensor inside, Rng rng) {
      return List.of(Bounds.atLeast(0));
    }
  },
  BOX {
    @Override
    List<Constraint> constraints(Tensor inside, Rng rng) {
      return List.of(Bounds.between(0.2, 0.8).channels(1), Bounds.atMost(0.5).channels(0));
    }
  },
  BOX_AND_PINS {
    @Override
    List<Constraint> constraints(Tensor inside, Rng rng) {
      return List.of(WIDE, Manifold.sensorsIn(onto(inside), rng, inside.shape(), 0.3));
    }
  },
  BOX_AND_ROW_MEANS {
    @Override
    List<Constraint> constraints(Tensor inside, Rng rng) {
      return List.of(WIDE, Mass.over(-1).values(inside.mean(true, 3)));
    }
  },
  BOX_AND_COLUMN_MEANS_OF_ONE {
    @Override
    List<Constraint> constraints(Tensor inside, Rng rng) {
      Tensor means = inside.slice(1, 1, 2).mean(true, 2);
      return List.of(Bounds.atLeast(0), Mass.over(-2).channels(1).values(means));
    }
  },
  BOX_PINS_AND_MEAN {
    @Override
    List<Constraint> constraints(Tensor inside, Rng rng) {
      Measured pins = Manifold.sensorsIn(onto(inside), rng, inside.shape(), 0.3);
      return List.of(WIDE, Mass.over(2, 3).values(inside.mean(true, 2, 3)), pins);
    }
  },
  BOX_AND_ALL_MEANS {
    @Override
    List<Constraint> constraints(Tensor inside, Rng rng) {
      // the mean of row means is that of column means: one equation too many
      Mass rows = Mass.over(3).values(inside.mean(true, 3));
      return List.of(rows, WIDE, Mass.over(2).values(inside.mean(true, 2)));
    }
  },
  BOX_AND_EQUATIONS {
    @Override
    List<Constraint> constraints(Tensor inside, Rng rng) {
      return List.of(WIDE, Manifold.affine(inside.shape(), rng, 5, onto(inside)));
    }
  },
  BOX_PINS_MEAN_AND_EQUATIONS {
    @Override
    List<Constraint> constraints(Tensor inside, Rng rng) {
      return List.of(
          Manifold.sensorsIn(onto(inside), rng, inside.shape(), 0.1),
          WIDE,
          Mass.over(2, 3).values(inside.mean(true, 2, 3)),
          Manifold.affine(inside.shape(), rng, 3, onto(inside)));
    }
  },
  BOX_IN_A_FLOW {
    @Override
    Tensor inside(Shape field, Rng rng) {
      Tensor flow = Projector.onto(LAW).project(Manifold.values(rng, field));
      return flow.mul(0.5 / flow.abs().max(false).item()).add(0.5);
    }

    @Override
    List<Constraint> constraints(Tensor inside, Rng rng) {
      return List.of(LAW, Bounds.between(-0.1, 1.1));
    }
  };

  private static final Bounds WIDE = Bounds.between(0, 1);
  private static final DivergenceFree LAW = DivergenceFree.of(Derivative.CENTRAL);

  /** An admissible field. */
  Tensor inside(Shape field, Rng rng) {
    // some values at their bounds
    return Laws.normal(rng, field, DataType.F64).mul(0.3).add(0.35).clamp(0.2, 0.5);
  }

  /** Constraints that this field satisfies. */
  abstract List<Constraint> constraints(Tensor inside, Rng rng);

  /** The projector that knows one field only. */
  private static Projector onto(Tensor field) {
    return Projector.onto(Dirichlet.on(Tensor.ones(1, 1), field));
  }
}
