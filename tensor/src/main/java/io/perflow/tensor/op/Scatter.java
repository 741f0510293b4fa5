package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * The adjoint of {@link Slice}, which scatters a tensor into zeros: element i of axis a lands at
 * {@code starts[a] + i * steps[a]}. With steps of 1 it is zero padding.
 */
public record Scatter(Shape shape, int[] starts, int[] steps) implements Op {
  @Override
  public String name() {
    return "scatter";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape from = inputs[0].shape();
    Check.that(
        from.rank() == shape.rank(), name(), "shape %s does not fit into shape %s", from, shape);
    for (int a = 0; a < from.rank(); a++) {
      long last = starts[a] + (from.dim(a) - 1L) * steps[a];
      Check.that(
          from.dim(a) == 0
              || Math.min(starts[a], last) >= 0 && Math.max(starts[a], last) < shape.dim(a),
          name(),
          "axis %d of shape %s would lie at %d to %d of shape %s",
          a,
          from,
          starts[a],
          last,
          shape);
    }
    return shape;
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.movement().scatter(inputs[0], shape, starts, steps));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(new Slice(starts, v.shape(0).toArray(), steps).apply(v.grad()));
  }
}
