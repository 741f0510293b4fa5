package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;
import java.util.Arrays;

/**
 * A view with the axes in another order: axis i of the result is axis {@code axes[i]} of the input.
 */
public record Permute(int... axes) implements Op {
  @Override
  public String name() {
    return "permute";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape from = inputs[0].shape();
    if (axes.length != from.rank() || Check.axes(name(), from, axes).length != axes.length) {
      throw new ShapeException(
          name(),
          "%s does not order the %d axes of shape %s"
              .formatted(Arrays.toString(axes), from.rank(), from));
    }
    return from.permute(axes);
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(inputs[0].view(inputs[0].layout().permute(axes)));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    int[] back = new int[axes.length];
    for (int i = 0; i < axes.length; i++) {
      back[axes[i]] = i;
    }
    return Op.only(v.grad().permute(back));
  }
}
