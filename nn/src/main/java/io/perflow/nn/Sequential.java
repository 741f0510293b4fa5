package io.perflow.nn;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.List;

/**
 * Layers one after the other, named 0, 1, 2 …; the first gets the inputs, each other one result.
 */
public final class Sequential extends Layer {
  private final List<Layer> layers;

  private Sequential(List<Layer> layers) {
    this.layers = layers;
    for (int i = 0; i < layers.size(); i++) {
      child(Integer.toString(i), layers.get(i));
    }
  }

  /** Layers in the order in which they run; at least one. */
  public static Sequential of(Layer... layers) {
    if (layers.length == 0) {
      throw new IllegalArgumentException("a sequence needs at least one layer");
    }
    return new Sequential(List.of(layers));
  }

  /** What the last layer makes of x; {@link #run} serves a first layer of several inputs. */
  public Tensor apply(Tensor x) {
    return run(x);
  }

  /** Inputs: those of the first layer. */
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
