/** Physical constraints and the projections onto the fields that satisfy them. */
module io.perflow.physics {
  requires transitive io.perflow.autograd;
  requires ejml.ddense;
}
