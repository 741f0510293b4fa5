package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * Group normalisation (Wu and He, 2018) fused with the operations that follow it in a residual
 * block; see {@link GroupNormSpec}. Inputs: x (n, c, …), then weight and bias (c) if affine, then
 * scale and shift (n, c) if modulated.
 */
public record GroupNorm(GroupNormSpec spec) implements Op {
  @Override
  public String name() {
    return "group_norm";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape x = inputs[0].shape();
    Check.that(x.rank() >= 2, name(), "input %s needs at least (n, c)", x);
    int c = x.dim(1);
    Check.that(
        spec.groups() > 0 && c % spec.groups() == 0,
        name(),
        "input %s has %d channels, not a multiple of %d groups",
        x,
        c,
        spec.groups());
    int expected = 1 + (spec.affine() ? 2 : 0) + (spec.modulated() ? 2 : 0);
    Check.that(
        inputs.length == expected, name(), "got %d inputs, expected %d", inputs.length, expected);
    if (spec.affine()) {
      Check.sameShape(name(), "weight", inputs[1], Shape.of(c));
      Check.sameShape(name(), "bias", inputs[2], Shape.of(c));
    }
    if (spec.modulated()) {
      Check.sameShape(name(), "scale", scale(inputs), Shape.of(x.dim(0), c));
      Check.sameShape(name(), "shift", shift(inputs), Shape.of(x.dim(0), c));
    }
    return x;
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... in) {
    return backend.norm().groupNorm(in[0], weight(in), bias(in), scale(in), shift(in), spec);
  }

  @Override
  public Saved saved() {
    return Saved.INPUTS.andOutputs(1, 2);
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    Tensor[] in = new Tensor[v.count()];
    for (int i = 0; i < in.length; i++) {
      in[i] = v.input(i);
    }
    if (Recorder.current() != null) {
      return composedVjp(v, in);
    }
    return in[0]
        .device()
        .backend()
        .norm()
        .groupNormBackward(
            v.grad(),
            in[0],
            weight(in),
            bias(in),
            scale(in),
            shift(in),
            v.output(1),
            v.output(2),
            spec);
  }

  // This is the same gradient made of operations, so that it can be differentiated again. It
  // computes the statistics anew from x, because those of the forward pass carry no derivative.
  private Tensor[] composedVjp(Vjp v, Tensor[] in) {
    Tensor x = in[0];
    int n = x.shape().dim(0);
    int c = x.shape().dim(1);
    int pixels = x.size() / Math.max(1, n * c);
    Shape byGroup = Shape.of(n, spec.groups(), c / spec.groups() * pixels);
    Shape byChannel = Shape.of(n, c, pixels);

    Tensor grouped = x.reshape(byGroup);
    Tensor centred = grouped.sub(grouped.mean(true, 2));
    Tensor rstd = centred.square().mean(true, 2).add(spec.eps()).rsqrt();
    Tensor normal = centred.mul(rstd);
    Tensor hat = normal.reshape(byChannel);

    Tensor one = Tensor.full(x.device(), Shape.of(1, c, 1), x.type(), 1);
    Tensor weight = spec.affine() ? weight(in).reshape(1, c, 1) : one;
    Tensor z = spec.affine() ? hat.mul(weight).add(bias(in).reshape(1, c, 1)) : hat;
    Tensor gain = spec.modulated() ? scale(in).reshape(n, c, 1).add(1) : one;

    Tensor g = v.grad().reshape(byChannel);
    if (spec.silu()) {
      Tensor pre = spec.modulated() ? z.mul(gain).add(shift(in).reshape(n, c, 1)) : z;
      g = g.mul(pre.unary(UnaryKind.SILU_GRAD));
    }
    Tensor gz = g.mul(gain);
    Tensor gHat = gz.mul(weight).reshape(byGroup);
    Tensor gx =
        gHat.sub(gHat.mean(true, 2)).sub(normal.mul(gHat.mul(normal).mean(true, 2))).mul(rstd);

    Tensor[] grads = new Tensor[in.length];
    grads[0] = gx.reshape(x.shape());
    if (spec.affine()) {
      grads[1] = gz.mul(hat).sum(false, 0, 2);
      grads[2] = gz.sum(false, 0, 2);
    }
    if (spec.modulated()) {
      grads[in.length - 2] = g.mul(z).sum(false, 2);
      grads[in.length - 1] = g.sum(false, 2);
    }
    return grads;
  }

  private Tensor weight(Tensor[] in) {
    return spec.affine() ? in[1] : null;
  }

  private Tensor bias(Tensor[] in) {
    return spec.affine() ? in[2] : null;
  }

  private Tensor scale(Tensor[] in) {
    return spec.modulated() ? in[in.length - 2] : null;
  }

  private Tensor shift(Tensor[] in) {
    return spec.modulated() ? in[in.length - 1] : null;
  }
}
