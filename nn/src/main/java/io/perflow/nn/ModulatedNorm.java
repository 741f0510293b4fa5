package io.perflow.nn;

import io.perflow.tensor.Check;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;
import io.perflow.tensor.op.Fused;
import io.perflow.tensor.op.GroupNormSpec;
import io.perflow.tensor.op.Saved;
import io.perflow.tensor.op.Vjp;

/**
 * A {@link io.perflow.tensor.op.GroupNorm} with scale and shift side by side in one tensor: inputs
 * x (n, c, …), weight and bias (c), and modulation (n, 2 c), scale first.
 *
 * <p>It is not a composition with two slices, because the gradient of each slice is a padded copy
 * and their sum a third; here one join replaces them.
 */
final class ModulatedNorm implements Fused {
  private final GroupNormSpec spec;
  private Halves halves = new Halves(null, null, null);

  ModulatedNorm(GroupNormSpec spec) {
    this.spec = spec;
  }

  /**
   * The places of scale and shift in the modulation of the last call, which are the same at every
   * step.
   */
  private record Halves(Layout both, Layout scale, Layout shift) {}

  @Override
  public String name() {
    return "modulated_norm";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Tensor x = inputs[0];
    Check.that(x.rank() >= 2, name(), "input %s needs at least (n, c)", x.shape());
    int c = x.dim(1);
    Check.sameShape(name(), "modulation", inputs[3], Shape.of(x.dim(0), 2 * c));
    return x.shape();
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... in) {
    Tensor both = in[3];
    Halves of = halves(both.layout());
    Tensor scale = both.view(of.scale);
    Tensor shift = both.view(of.shift);
    return backend.norm().groupNorm(in[0], in[1], in[2], scale, shift, spec);
  }

  @Override
  public Tensor composed(Tensor... in) {
    Tensor both = in[3];
    int c = both.dim(1) / 2;
    return new io.perflow.tensor.op.GroupNorm(spec)
        .apply(in[0], in[1], in[2], both.slice(1, 0, c), both.slice(1, c, 2 * c));
  }

  private Halves halves(Layout both) {
    Halves last = halves; // read once, because another thread may set it
    if (!both.equals(last.both)) {
      int c = both.shape().dim(1) / 2;
      last = new Halves(both, both.slice(1, 0, c, 1), both.slice(1, c, c, 1));
      halves = last;
    }
    return last;
  }

  @Override
  public Saved saved() {
    return Saved.INPUTS.andOutputs(1, 2);
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    Tensor both = v.input(3);
    int c = both.dim(1) / 2;
    Vjp parted = new Parted(v, both.slice(1, 0, c), both.slice(1, c, 2 * c));
    Tensor[] g = new io.perflow.tensor.op.GroupNorm(spec).vjp(parted);
    return new Tensor[] {g[0], g[1], g[2], Tensor.concat(1, g[3], g[4])};
  }

  /** The gradient rule's inputs for the operation whose scale and shift are two inputs. */
  private record Parted(Vjp all, Tensor scale, Tensor shift) implements Vjp {
    @Override
    public Tensor grad() {
      return all.grad();
    }

    @Override
    public Tensor input(int i) {
      return i < 3 ? all.input(i) : i == 3 ? scale : shift;
    }

    @Override
    public Tensor output(int i) {
      return all.output(i);
    }

    @Override
    public Shape shape(int i) {
      return i < 3 ? all.shape(i) : scale.shape();
    }

    @Override
    public int count() {
      return 5;
    }

    @Override
    public boolean needs(int i) {
      return all.needs(Math.min(i, 3));
    }
  }
}
