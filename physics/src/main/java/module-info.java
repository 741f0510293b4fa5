/** Physical constraints and the projections onto the fields that satisfy them. */
module io.perflow.physics {
  requires transitive io.perflow.autograd;
  requires transitive io.perflow.tensor;
  requires ejml.ddense;

  uses io.perflow.physics.solver.Benchmark;

  provides io.perflow.physics.solver.Benchmark with
      io.perflow.physics.solver.BurgersBenchmark,
      io.perflow.physics.solver.PoissonBenchmark,
      io.perflow.physics.solver.DarcyBenchmark,
      io.perflow.physics.solver.NavierStokesBenchmark,
      io.perflow.physics.solver.HeatBenchmark;

  exports io.perflow.physics;
  exports io.perflow.physics.constraint;
  exports io.perflow.physics.equation;
  exports io.perflow.physics.field;
  exports io.perflow.physics.interpolation;
  exports io.perflow.physics.solver;
  exports io.perflow.physics.metric;
  exports io.perflow.physics.prior;
  exports io.perflow.physics.residual;
}
