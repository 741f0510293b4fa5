/** Rectified flow under physical constraints: paths, losses, samplers and training. */
module io.perflow.flow {
  requires transitive io.perflow.nn;
  requires transitive io.perflow.physics;

  exports io.perflow.flow.log;
}
