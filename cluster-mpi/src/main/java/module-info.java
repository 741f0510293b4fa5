/** Ranks and items on the processes that {@code mpiexec} or {@code srun} starts. */
module io.perflow.cluster.mpi {
  requires transitive io.perflow.nn;
  requires io.perflow.tensor;

  exports io.perflow.cluster.mpi;

  provides io.perflow.nn.distributed.Engine.Provider with
      io.perflow.cluster.mpi.MpiProvider;
}
