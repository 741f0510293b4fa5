package io.perflow.physics.constraint;

import io.perflow.physics.Axis;
import io.perflow.physics.Grid;
import io.perflow.physics.Normalization;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Sets of constraints with random masks, values and masses, for fields of velocities. */
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
  FLOW_OF_A_GIVEN_MEAN {
    @Override
    Projector projector(Shape field, Rng rng) {
      Tensor mean = values(rng, field.with(2, 1).with(3, 1));
      return Projector.onto(DivergenceFree.spectral(), Mass.over(2, 3).values(mean));
    }
  },
  STAGGERED {
    @Override
    Projector projector(Shape field, Rng rng) {
      return Projector.onto(staggered(field, rng));
    }
  },
  STAGGERED_AROUND_OBSTACLES {
    @Override
    Projector projector(Shape field, Rng rng) {
      return Projector.onto(obstacles(field, rng));
    }
  },
  STAGGERED_OF_A_GIVEN_MEAN {
    @Override
    Projector projector(Shape field, Rng rng) {
      Tensor mean = values(rng, field.with(2, 1).with(3, 1));
      return Projector.onto(
          StaggeredFlow.on(grid(field, true, true)), Mass.over(2, 3).values(mean));
    }
  },
  OBSTACLES_AND_A_MEAN_OVER_OPEN_FACES {
    @Override
    Projector projector(Shape field, Rng rng) {
      StaggeredFlow flow = obstacles(field, rng);
      Tensor open = flow.openFaces(field.dim(1) / 2, field.dim(2), field.dim(3));
      Tensor some = Projector.onto(flow).project(values(rng, field));
      if (some.mean(2, 3).abs().max(false).item() < 1e-9) { // walls all around, or no fluid
        return Projector.onto(flow);
      }
      Mass mean = Mass.over(2, 3).within(open);
      return Projector.onto(flow, mean.values(mean.linear(some)));
    }
  },
  SENSORS_AMONG_OBSTACLES {
    @Override
    Projector projector(Shape field, Rng rng) {
      // sensors may lie in obstacles, in dead ends and one behind the other in a passage
      StaggeredFlow flow = obstacles(field, rng);
      Projector p = Projector.onto(flow);
      boolean moves = p.project(values(rng, field)).abs().max(false).item() > 1e-9;
      return moves ? Projector.onto(flow, sensorsIn(p, rng, field, 0.05)) : p;
    }
  },
  SENSORS_IN_A_STAGGERED_FLOW {
    @Override
    Projector projector(Shape field, Rng rng) {
      StaggeredFlow flow = StaggeredFlow.on(grid(field, true, true));
      return Projector.onto(flow, sensorsIn(Projector.onto(flow), rng, field, 0.1));
    }
  },
  MEAN_WITHIN_A_DOMAIN {
    @Override
    Projector projector(Shape field, Rng rng) {
      Tensor domain = domain(rng, field);
      return Projector.onto(
          Mass.over(2, 3).within(domain).values(values(rng, Shape.of(field.dim(0), 1, 1, 1))));
    }
  },
  ROW_MEANS_WITHIN_A_DOMAIN_AND_RING {
    @Override
    Projector projector(Shape field, Rng rng) {
      Mass mass = Mass.over(3).channels(1).within(domain(rng, field));
      return Projector.onto(mass, Dirichlet.ring());
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
      return Projector.onto(Measured.of(mask, values(rng, field)), Dirichlet.ring());
    }
  },
  SENSORS_IN_A_FLOW {
    @Override
    Projector projector(Shape field, Rng rng) {
      DivergenceFree law = DivergenceFree.spectral();
      return Projector.onto(law, sensorsIn(Projector.onto(law), rng, field, 0.1));
    }
  },
  DENSE_SENSORS_IN_A_FLOW {
    @Override
    Projector projector(Shape field, Rng rng) {
      // so many that they determine the flow and each other; their readings are those of a flow
      DivergenceFree law = DivergenceFree.of(Derivative.CENTRAL);
      Tensor flow = Projector.onto(law).project(values(rng, field));
      Tensor mask = mask(rng.split("mask"), field.with(0, 1).with(1, 1), 0.7);
      return Projector.onto(Measured.of(mask, flow), law);
    }
  },
  SENSORS_IN_A_FLOW_WITHOUT_MEAN {
    @Override
    Projector projector(Shape field, Rng rng) {
      Mass mass = Mass.over(2, 3).channels(rng.nextInt(2));
      DivergenceFree law = DivergenceFree.spectral();
      Projector laws = Projector.onto(law, mass);
      return Projector.onto(law, mass, sensorsIn(laws, rng, field, 0.05));
    }
  },
  FLOW_WITH_ROW_MASS {
    @Override
    Projector projector(Shape field, Rng rng) {
      return Projector.onto(DivergenceFree.of(Derivative.CENTRAL), Mass.over(3).channels(1));
    }
  },
  TWO_MASSES {
    @Override
    Projector projector(Shape field, Rng rng) {
      // the mean of row means is that of column means: one equation too many
      double m0 = rng.nextDouble();
      return Projector.onto(Mass.over(2).value(m0), Mass.over(3).value(m0));
    }
  },
  POISSON {
    @Override
    Projector projector(Shape field, Rng rng) {
      return Projector.onto(poisson(field, rng));
    }
  },
  POISSON_WITH_VALUES_ON_ALL_EDGES {
    @Override
    Projector projector(Shape field, Rng rng) {
      return Projector.onto(poisson(field, rng).value(0.3), Dirichlet.ring().value(0.3));
    }
  },
  SENSORS_OF_SOURCE_AND_SOLUTION {
    @Override
    Projector projector(Shape field, Rng rng) {
      PoissonEquation equation = poisson(field, rng);
      return Projector.onto(equation, sensorsIn(Projector.onto(equation), rng, field, 0.05));
    }
  },
  POISSON_OF_A_GIVEN_MEAN {
    @Override
    Projector projector(Shape field, Rng rng) {
      // a mean that some solution has: others would take sources of any size
      PoissonEquation equation = poisson(field, rng);
      Mass mean = Mass.over(2, 3);
      Tensor some = Projector.onto(equation).project(values(rng, field));
      return Projector.onto(equation, mean.values(mean.linear(some)));
    }
  },
  AFFINE {
    @Override
    Projector projector(Shape field, Rng rng) {
      return Projector.onto(affine(field, rng, 5, Projector.none()));
    }
  },
  AFFINE_RING_AND_MASS {
    @Override
    Projector projector(Shape field, Rng rng) {
      Mass mass = Mass.over(2, 3).value(rng.nextDouble());
      Dirichlet ring = Dirichlet.ring().value(0.5);
      return Projector.onto(affine(field, rng, 3, Projector.onto(ring, mass)), ring, mass);
    }
  },
  AFFINE_SENSORS_IN_A_FLOW {
    @Override
    Projector projector(Shape field, Rng rng) {
      DivergenceFree law = DivergenceFree.spectral();
      Measured sensors = sensorsIn(Projector.onto(law), rng, field, 0.05);
      return Projector.onto(affine(field, rng, 3, Projector.onto(law, sensors)), law, sensors);
    }
  },
  OWN_LINEAR_CONDITION_IN_UNITS_OF_A_NETWORK {
    @Override
    Projector projector(Shape field, Rng rng) {
      ColumnSum own = new ColumnSum(rng.nextInt(field.dim(3)), rng.nextDouble());
      return Projector.onto(own.normalized(units(rng, field.dim(1))), Mass.over(2, 3).channels(1));
    }
  },
  KINETIC_ENERGY {
    @Override
    Projector projector(Shape field, Rng rng) {
      return Projector.onto(KineticEnergy.of(0.2 + rng.nextDouble()));
    }
  },
  FLOW_OF_KINETIC_ENERGY {
    @Override
    Projector projector(Shape field, Rng rng) {
      KineticEnergy energy = KineticEnergy.of(0.2 + rng.nextDouble());
      return Projector.onto(energy, DivergenceFree.spectral());
    }
  };

  abstract Projector projector(Shape field, Rng rng);

  /** Whether it has a constraint that needs an even grid. */
  boolean needsEvenGrid() {
    return switch (this) {
      case DIVERGENCE_FREE,
          SENSORS_IN_A_FLOW,
          SENSORS_IN_A_FLOW_WITHOUT_MEAN,
          AFFINE_SENSORS_IN_A_FLOW,
          FLOW_OF_A_GIVEN_MEAN,
          FLOW_OF_KINETIC_ENERGY ->
          true;
      default -> false;
    };
  }

  static Tensor mask(Rng rng, Shape shape, double density) {
    return rng.uniform(Device.cpu(), shape, DataType.F64).less(density);
  }

  /**
   * A source and its solution among the channels, in units of their own: as in those of a network,
   * both have about the same size.
   */
  static PoissonEquation poisson(Shape field, Rng rng) {
    Grid nodes = new Grid(Axis.of("x", 0, 0.7, field.dim(2)), Axis.of("y", 0, 1.3, field.dim(3)));
    int[] channels = rng.choice(field.dim(1), 2);
    Normalization units = units(rng, field.dim(1));
    Double[] scales = units.scale().toArray(Double[]::new);
    scales[channels[1]] /= 26; // pi² (0.7⁻² + 1.3⁻²), the least that the Laplacian multiplies with
    return PoissonEquation.on(nodes)
        .channels(channels[0], channels[1])
        .values(values(rng.split("rim"), field.with(1, 1)).mul(scales[channels[1]]))
        .normalized(new Normalization(units.mean(), List.of(scales)));
  }

  private static Normalization units(Rng rng, int channels) {
    Double[] means = new Double[channels];
    Double[] scales = new Double[channels];
    Arrays.setAll(means, _ -> rng.nextDouble());
    Arrays.setAll(scales, _ -> 0.5 + rng.nextDouble());
    return new Normalization(List.of(means), List.of(scales));
  }

  private static Tensor domain(Rng rng, Shape field) {
    return mask(rng.split("domain"), Shape.of(field.dim(2), field.dim(3)), 0.6);
  }

  /** Axes of different lengths with or without walls. */
  static Grid grid(Shape field, boolean rowsPeriodic, boolean columnsPeriodic) {
    return new Grid(
        axis("x", 0.7, field.dim(2), rowsPeriodic), axis("y", 1.3, field.dim(3), columnsPeriodic));
  }

  private static Axis axis(String name, double length, int cells, boolean periodic) {
    return periodic
        ? Axis.periodic(name, 0, length, cells)
        : Axis.of(name, 0, length, cells).cells();
  }

  /** A staggered flow with any walls. */
  static StaggeredFlow staggered(Shape field, Rng rng) {
    return StaggeredFlow.on(grid(field, rng.nextDouble() < 0.5, rng.nextDouble() < 0.5));
  }

  /** Obstacles at random, from a few to so many that the fluid falls into parts and lone cells. */
  static StaggeredFlow obstacles(Shape field, Rng rng) {
    Shape grid = Shape.of(field.dim(2), field.dim(3));
    return staggered(field, rng).around(mask(rng.split("solid"), grid, rng.nextDouble()));
  }

  static Tensor values(Rng rng, Shape shape) {
    return Laws.normal(rng.split("values"), shape, DataType.F64);
  }

  /** Random equations on a few places each, which some field under these laws satisfies. */
  static Affine affine(Shape field, Rng rng, int rows, Projector laws) {
    int size = field.size() / field.dim(0);
    SparseMatrix.Builder matrix = SparseMatrix.of(rows, size);
    for (int i = 0; i < rows; i++) {
      for (int column : rng.choice(size, 8)) {
        matrix.add(i, column, 2 * rng.nextDouble() - 1);
      }
    }
    Tensor solution = laws.project(values(rng.split("solution"), field));
    Tensor p = matrix.build().times(solution.reshape(field.dim(0), size));
    return Affine.of("random equations", matrix.build(), p);
  }

  /** Sensors of each sample's own, with readings that some admissible field has. */
  static Measured sensorsIn(Projector laws, Rng rng, Shape field, double density) {
    Tensor mask = mask(rng.split("mask"), field, density);
    return Measured.of(mask, laws.project(values(rng, field)));
  }

  /** Sensors of each sample's own. */
  static Measured sensors(Rng rng, Shape field, double density) {
    return Measured.of(mask(rng.split("mask"), field, density), values(rng, field));
  }
}
