/** Rectified flow under physical constraints: paths, losses, samplers and training. */
module io.perflow.flow {
  requires transitive io.perflow.nn;
  requires transitive io.perflow.physics;
  requires transitive io.perflow.tensor;

  exports io.perflow.flow;
  exports io.perflow.flow.baseline;
  exports io.perflow.flow.log;
}
