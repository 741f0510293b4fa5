package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * A step along a direction that keeps values or means: x + weight (d - share mean(d)) with d = to -
 * from where {@code free} is not zero and 0 elsewhere, and with the mean of d over {@code axes}.
 * Without axes it is x + weight d.
 *
 * <p>Inputs are x, to, from, free and share; {@code to} has the shape of the result, the others
 * broadcast to it, so that one number replaces an input that is not needed: 0 for {@code from}, 1
 * for {@code free}. The last two have no gradient.
 *
 * <p>It is not a composition, because a sampler updates its whole state in this way at every step:
 * a composition takes up to nine kernels on a GPU, this operation takes one. {@code
 * sampling-budget.properties} has the counts.
 */
public record Advance(double weight, int... axes) implements Op {
  private static final String[] INPUTS = {"x", "to", "from", "free", "share"};

  @Override
  public String name() {
    return "advance";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape shape = inputs[1].shape();
    Check.axes(name(), shape, axes);
    for (int i = 0; i < INPUTS.length; i++) {
      Check.that(
          Shape.broadcast(name(), shape, inputs[i].shape()).equals(shape),
          name(),
          "%s %s does not broadcast to %s",
          INPUTS[i],
          inputs[i].shape(),
          shape);
    }
    return shape;
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(
        backend
            .step()
            .advance(inputs[0], inputs[1], inputs[2], inputs[3], inputs[4], axes.clone(), weight));
  }

  @Override
  public Saved saved() {
    return Saved.inputs(3, 4);
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    Tensor g = v.grad();
    Tensor dx = v.needs(0) ? g.sumTo(v.shape(0)) : null;
    Tensor dto = null;
    Tensor dfrom = null;
    if (v.needs(1) || v.needs(2)) {
      Tensor moved = axes.length == 0 ? g : g.sub(g.mul(v.input(4)).mean(true, axes));
      Tensor d = v.input(3).where(moved, moved.zerosLike()).mul(weight);
      dto = d;
      dfrom = v.needs(2) ? d.neg().sumTo(v.shape(2)) : null;
    }
    return new Tensor[] {dx, dto, dfrom, null, null};
  }
}
