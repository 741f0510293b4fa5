package io.perflow.autograd;

import io.perflow.tensor.Tensor;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * The result of a reverse pass: for each watched tensor the gradient of the scalar with respect to
 * it, in its shape and type and in any layout.
 *
 * <p>The tensors belong to the scope that was open when the pass was requested.
 */
public final class Gradients {
  private final Map<Tensor, Tensor> byLeaf = new IdentityHashMap<>(); // null stands for zeros

  Gradients(Recording recording) {
    for (Tensor leaf : recording.leaves()) {
      byLeaf.put(leaf, recording.take(leaf));
    }
  }

  /**
   * Returns the gradient with respect to a watched tensor; zeros when the scalar does not depend on
   * it.
   *
   * @throws IllegalArgumentException when the tape did not watch this tensor
   */
  public Tensor of(Tensor leaf) {
    if (!byLeaf.containsKey(leaf)) {
      throw new IllegalArgumentException(
          "this tensor of shape %s was not watched; name it in Tape.watching(...)"
              .formatted(leaf.shape()));
    }
    Tensor gradient = byLeaf.get(leaf);
    return gradient == null ? leaf.zerosLike() : gradient;
  }
}
