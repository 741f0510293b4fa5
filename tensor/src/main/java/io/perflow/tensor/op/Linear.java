package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * The linear map y = x W' + b along the last axis, for x (…, in), weight (out, in) and, as a third
 * input, an optional bias (out). The result is (…, out).
 *
 * <p>It is not a composition of a transposition, a product and a sum, because the weight then needs
 * to be packed only once for many products, and adding the bias needs no separate pass.
 */
public record Linear() implements Op {
  @Override
  public String name() {
    return "linear";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape x = inputs[0].shape();
    Shape weight = inputs[1].shape();
    Check.rank(name(), "weight", inputs[1], 2);
    Check.that(
        x.rank() >= 2 && x.dim(-1) == weight.dim(1),
        name(),
        "input %s must be (…, %d) for weight %s",
        x,
        weight.dim(1),
        weight);
    if (inputs.length > 2) {
      Check.sameShape(name(), "bias", inputs[2], Shape.of(weight.dim(0)));
    }
    return x.rank() == 2 ? Shape.of(x.dim(0), weight.dim(0)) : x.with(-1, weight.dim(0));
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    Tensor bias = inputs.length > 2 ? inputs[2] : null;
    return Op.only(
        backend
            .gemm()
            .linear(inputs[0], inputs[1], bias)
            .orElseGet(() -> composed(backend, inputs[0], inputs[1], bias)));
  }

  private static Tensor composed(Backend backend, Tensor x, Tensor weight, Tensor bias) {
    Tensor y = backend.gemm().matmul(x, weight.view(weight.layout().permute(1, 0)));
    return bias == null ? y : backend.elementwise().binary(BinaryKind.ADD, y, bias);
  }

  @Override
  public Saved saved() {
    return Saved.inputs(0, 1);
  }

  @Override
  public Saved saved(int needed) {
    return Saved.otherFactor(needed);
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    int in = v.shape(1).dim(1);
    int out = v.shape(1).dim(0);
    int rows = v.shape(0).remove(-1).size();
    Tensor grad = v.grad().reshape(rows, out);
    Tensor[] grads = new Tensor[v.count()];
    if (v.needs(0)) {
      grads[0] = grad.matmul(v.input(1)).reshape(v.shape(0));
    }
    if (v.needs(1)) {
      grads[1] = grad.transpose().matmul(v.input(0).reshape(rows, in));
    }
    if (v.count() > 2 && v.needs(2)) {
      grads[2] = grad.sum(false, 0);
    }
    return grads;
  }
}
