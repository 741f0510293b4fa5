package io.perflow.physics.constraint;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/** Sets of constraints with random masks, values and masses, for fields of two channels. */
enum Manifold {
  DIVERGENCE_FREE {
    @Override
    Projector projector(Shape field, Rng rng) {
      return Projector.onto(DivergenceFree.spectral());
    }
  },
  CENTRAL_DIVERGENCE_FREE {
    @Override
    Projector projector(Shape field, Rng rng) {
      return Projector.onto(DivergenceFree.of(Derivative.CENTRAL));
    }
  },
  RING {
    @Override
    Projector projector(Shape field, Rng rng) {
      return Projector.onto(Dirichlet.ring(rng.nextInt(2)).value(rng.nextDouble()));
    }
  },
  ANY_MASK {
    @Override
    Projector projector(Shape field, Rng rng) {
      Tensor mask = mask(rng.split("mask"), field.with(0, 1), 0.3);
      return Projector.onto(Dirichlet.on(mask, values(rng, field.with(1, 1))));
    }
  },
  ROW_MASS {
    @Override
    Projector projector(Shape field, Rng rng) {
      return Projector.onto(Mass.over(-1).values(values(rng, field.with(3, 1).with(1, 1))));
    }
  },
  TOTAL_MASS {
    @Override
    Projector projector(Shape field, Rng rng) {
      Tensor m0 = values(rng, Shape.of(field.dim(0), 1, 1, 1));
      return Projector.onto(Mass.over(2, 3).channels(1).values(m0));
    }
  },
  RING_AND_ROW_MASS {
    @Override
    Projector projector(Shape field, Rng rng) {
      // the first and last row are all rim, so their means are the rim's
      double value = rng.nextDouble();
      Mass mass = Mass.over(-1).channels(0).value(value);
      return Projector.onto(Dirichlet.ring(0).value(value), mass);
    }
  },
  SENSORS_AND_TOTAL_MASS {
    @Override
    Projector projector(Shape field, Rng rng) {
      return Projector.onto(sensors(rng, field, 0.2), Mass.over(2, 3).value(rng.nextDouble()));
    }
  },
  SENSORS_AND_RING {
    @Override
    Projector projector(Shape field, Rng rng) {
      Tensor inside = Dirichlet.ring().residual(Tensor.ones(field.toArray())).eq(0);
      Tensor mask = mask(rng.split("mask"), field, 0.2).mul(inside.to(DataType.F64));
      return Projector.onto(Sensors.of(mask, values(rng, field)), Dirichlet.ring());
    }
  };

  abstract Projector projector(Shape field, Rng rng);

  /** Whether it has a constraint that needs an even grid. */
  boolean needsEvenGrid() {
    return this == DIVERGENCE_FREE;
  }

  static Tensor mask(Rng rng, Shape shape, double density) {
    return rng.uniform(Device.cpu(), shape, DataType.F64).less(density);
  }

  static Tensor values(Rng rng, Shape shape) {
    return Laws.normal(rng.split("values"), shape, DataType.F64);
  }

  /** Sensors of each sample's own. */
  static Sensors sensors(Rng rng, Shape field, double density) {
    return Sensors.of(mask(rng.split("mask"), field, density), values(rng, field));
  }
}
