package io.perflow.nn;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;
import io.perflow.tensor.op.Concat;
import io.perflow.tensor.op.Fused;
import io.perflow.tensor.op.GroupNormSpec;
import io.perflow.tensor.op.Recorder;
import io.perflow.tensor.op.Saved;
import io.perflow.tensor.op.Vjp;
import java.util.Arrays;

/**
 * {@link io.perflow.tensor.op.GroupNorm} of images joined along their channels: inputs x1 (n, c1,
 * h, w), x2 …, and then weight and bias (c1 + c2 + …).
 *
 * <p>Not a composition with a join, because that writes all of the images once more.
 */
record JoinedNorm(GroupNormSpec spec) implements Fused {
  @Override
  public String name() {
    return "joined_norm";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape joined = new Concat(1).outputShape(images(inputs));
    Shape perChannel = Shape.of(joined.dim(1));
    Check.sameShape(name(), "weight", inputs[inputs.length - 2], perChannel);
    Check.sameShape(name(), "bias", inputs[inputs.length - 1], perChannel);
    return joined;
  }

  private static Tensor[] images(Tensor... inputs) {
    return Arrays.copyOf(inputs, inputs.length - 2);
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... in) {
    int k = in.length - 2;
    return backend.norm().joinedGroupNorm(images(in), in[k], in[k + 1], spec);
  }

  @Override
  public Tensor composed(Tensor... in) {
    int k = in.length - 2;
    return norm().apply(Tensor.concat(1, images(in)), in[k], in[k + 1]);
  }

  private io.perflow.tensor.op.GroupNorm norm() {
    return new io.perflow.tensor.op.GroupNorm(spec);
  }

  @Override
  public Saved saved() {
    return Saved.INPUTS.andOutputs(1, 2);
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    int k = v.count() - 2;
    Tensor[] x = new Tensor[k];
    for (int i = 0; i < k; i++) {
      x[i] = v.input(i);
    }
    Tensor weight = v.input(k);
    Tensor bias = v.input(k + 1);
    if (Recorder.current() == null) {
      return weight
          .device()
          .backend()
          .norm()
          .joinedGroupNormBackward(v.grad(), x, weight, bias, v.output(1), v.output(2), spec);
    }
    // made of operations, so that it can be differentiated again
    Tensor[] g = norm().vjp(new Given(v.grad(), Tensor.concat(1, x), weight, bias));
    Tensor[] grads = Arrays.copyOf(new Concat(1).vjp(new Given(g[0], x)), k + 2);
    grads[k] = g[1];
    grads[k + 1] = g[2];
    return grads;
  }
}
