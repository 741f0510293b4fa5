package io.perflow.nn;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.List;

/**
 * A sequence of layers that run in turn, named 0, 1, 2 …; the first gets the inputs, and each
 * following one gets the result of the layer before.
 */
public final class Sequential extends Layer {
  private final List<Layer> layers;

  private Sequential(List<Layer> layers) {
    this.layers = layers;
    for (int i = 0; i < layers.size(); i++) {
      child(Integer.toString(i), layers.get(i));
    }
  }

  /** Returns a sequence of at least one layer, in the order in which they run. */
  public static Sequential of(Layer... layers) {
    if (layers.length == 0) {
      throw new IllegalArgumentException("a sequence needs at least one layer");
    }
    return new Sequential(List.of(layers));
  }

  /**
   * Returns the result of the last layer for x; if the first layer has several inputs, call {@link
   * #run}.
   */
  public Tensor apply(Tensor x) {
    return run(x);
  }

  /** Takes the inputs of the first layer. */
  @Override
  protected Tensor forward(Tensor... inputs) {
    try (Scope scope = Scope.open()) {
      Tensor x = layers.getFirst().run(inputs);
      for (Layer layer : layers.subList(1, layers.size())) {
        x = layer.run(x);
      }
      return scope.keep(x);
    }
  }
}
