/** Reverse-mode differentiation: the tape that records operations and replays them. */
module io.perflow.autograd {
  requires transitive io.perflow.tensor;

  exports io.perflow.autograd;
}
