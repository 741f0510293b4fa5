package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * A view of a regular part: element i of axis a of the result is element {@code starts[a] + i *
 * steps[a]} of the input, {@code counts[a]} in all; a negative step runs backwards.
 */
public record Slice(int[] starts, int[] counts, int[] steps) implements Op {
  @Override
  public String name() {
    return "slice";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape from = inputs[0].shape();
    for (int a = 0; a < counts.length; a++) {
      long last = starts[a] + (counts[a] - 1L) * steps[a];
      Check.that(
          counts[a] == 0
              || counts[a] > 0 && inside(starts[a], from.dim(a)) && inside(last, from.dim(a)),
          name(),
          "axis %d of shape %s has %d entries, asked for %d to %d",
          a,
          from,
          from.dim(a),
          starts[a],
          last);
    }
    return Shape.of(counts);
  }

  private static boolean inside(long i, int extent) {
    return i >= 0 && i < extent;
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    Layout layout = inputs[0].layout();
    for (int a = 0; a < counts.length; a++) {
      if (counts[a] != layout.shape().dim(a) || starts[a] != 0 || steps[a] != 1) {
        layout = layout.slice(a, starts[a], counts[a], steps[a]);
      }
    }
    return Op.only(inputs[0].view(layout));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(new Scatter(v.shape(0), starts, steps).apply(v.grad()));
  }
}
