package io.perflow.nn.operator;

import io.perflow.nn.Initializer;
import io.perflow.nn.Parameter;
import io.perflow.nn.UnaryLayer;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;

/**
 * The same linear map of the channels at every point, its weight split into lengths and directions
 * (Salimans and Kingma, 2016): y = W x + b with row o of W equal to g(o) v(o) / |v(o)|, for x (n,
 * in, …) and y (n, out, …). Parameters {@code bias} (out), {@code weight_g} (out, 1) and {@code
 * weight_v} (out, in); at first g = |v|.
 */
final class NormalizedPointwise extends UnaryLayer {
  private final int in;
  private final Parameter bias;
  private final Parameter length;
  private final Parameter direction;
  private final Prepared weight;

  NormalizedPointwise(int in, int out, Rng rng) {
    this.in = in;
    Initializer init = Initializer.kaiming(in);
    Tensor v = init.make(Shape.of(out, in), rng.split("weight"));
    bias = parameter("bias", init.make(Shape.of(out), rng.split("bias")));
    length = parameter("weight_g", v.square().sum(true, 1).sqrt());
    direction = parameter("weight_v", v);
    weight = new Prepared(this::weight, direction, length);
  }

  /** Input: x (n, in, …). */
  @Override
  protected Tensor forward(Tensor x) {
    if (x.rank() < 3 || x.dim(1) != in) {
      throw new ShapeException(
          "pointwise", "input %s must be (n, %d, …)%s".formatted(x.shape(), in, where()));
    }
    try (Scope scope = Scope.open()) {
      return scope.keep(Pointwise.map(x, weight.value(), bias.value()));
    }
  }

  private Tensor weight() {
    try (Scope scope = Scope.open()) {
      Tensor v = direction.value();
      return scope.keep(v.mul(length.value().mul(v.square().sum(true, 1).rsqrt())));
    }
  }

  @Override
  protected long multiplyAdds(Tensor[] inputs, Tensor output) {
    return (long) output.size() * in;
  }
}
