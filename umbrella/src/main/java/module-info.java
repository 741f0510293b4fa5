/** All of the library in one module: requiring it gives every CPU module. */
module io.perflow {
  exports io.perflow;

  requires transitive io.perflow.autograd;
  requires transitive io.perflow.flow;
  requires transitive io.perflow.nn;
  requires transitive io.perflow.physics;
  requires transitive io.perflow.tensor;
}
