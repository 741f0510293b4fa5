package io.perflow.physics.prior;

import io.perflow.physics.ProgressListener;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.function.Function;

/**
 * The modes of a prior. They are made from its compact form when they are first needed, so that a file
 * is read in an instant, and a page can show how far they are.
 */
final class Modes {
  private final int rank;
  private final Function<ProgressListener, Tensor> make;
  private Tensor made; // null until they are needed

  /**
   * Modes to be made.
   *
   * @param rank their number
   * @param make makes them, [channels · cells, rank]
   */
  Modes(int rank, Function<ProgressListener, Tensor> make) {
    this.rank = rank;
    this.make = make;
  }

  int rank() {
    return rank;
  }

  /** Returns the modes. One thread makes them, and others wait. A cancelled attempt leaves nothing. */
  synchronized Tensor get(ProgressListener listener) {
    if (made == null) {
      made = Scope.outside(() -> make.apply(listener));
    }
    return made;
  }
}
