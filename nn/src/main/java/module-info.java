/** Layers, U-Nets and optimizers. */
module io.perflow.nn {
  requires transitive io.perflow.autograd;
}
