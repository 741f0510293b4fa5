package io.perflow.cluster.mpi;

import io.perflow.nn.distributed.Engine;

/** Knows {@code mpi}: the processes that were started together with this one. */
public final class MpiProvider implements Engine.Provider {
  /** For the service loader. */
  public MpiProvider() {}

  @Override
  public boolean knows(String master) {
    return master.equals("mpi");
  }

  @Override
  public String forms() {
    return "mpi under mpiexec";
  }

  @Override
  public Engine connect(String master) {
    return new MpiEngine(Job.current());
  }
}
