/** All of the library in one module: requiring it gives every CPU module. */
module io.perflow {
  exports io.perflow;

  requires transitive io.perflow.flow;
}
