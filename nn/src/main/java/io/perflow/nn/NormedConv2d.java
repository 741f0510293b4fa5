package io.perflow.nn;

import io.perflow.tensor.Check;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;
import io.perflow.tensor.backend.ConvKernels;
import io.perflow.tensor.backend.NormedImages;
import io.perflow.tensor.op.Concat;
import io.perflow.tensor.op.Conv2d;
import io.perflow.tensor.op.Fused;
import io.perflow.tensor.op.GroupNorm;
import io.perflow.tensor.op.GroupNormSpec;
import io.perflow.tensor.op.Recorder;
import io.perflow.tensor.op.Saved;
import io.perflow.tensor.op.Vjp;
import java.util.Arrays;

/**
 * Half a residual block: the convolution of act(norm(x)), where x is several images joined along
 * their channels. The inputs are the images x1 (n, c1, h, w), x2 …; weight and bias (c) of the norm
 * with c = c1 + c2 + …; if modulated, scale and shift side by side (n, 2 c); weight (out, c, kh,
 * kw) and bias (out) of the convolution; and, if {@code adding}, an image that is added to its
 * result.
 *
 * <p>It is not a composition, because that writes the normalised images to memory and reads them
 * again. The gradient does not keep them either: it computes them anew from x where it needs them.
 *
 * @param images the number of images
 */
record NormedConv2d(GroupNormSpec norm, Conv2dSpec conv, int images, boolean adding)
    implements Fused {
  @Override
  public String name() {
    return "normed_conv2d";
  }

  private int modulation() {
    return images + 2;
  }

  /** Returns the place of the weight of the convolution; its bias follows. */
  private int weight() {
    return norm.modulated() ? images + 3 : images + 2;
  }

  @Override
  public Shape outputShape(Tensor... in) {
    Shape x = in[0].shape();
    int c = 0;
    for (int i = 0; i < images; i++) {
      Check.sameShape(name(), "image", in[i], x.with(1, in[i].dim(1)));
      c += in[i].dim(1);
    }
    Tensor w = in[weight()];
    Check.sameShape(name(), "weight of the norm", in[images], Shape.of(c));
    Check.sameShape(name(), "bias of the norm", in[images + 1], Shape.of(c));
    if (norm.modulated()) {
      Check.sameShape(name(), "modulation", in[modulation()], Shape.of(x.dim(0), 2 * c));
    }
    Check.sameShape(name(), "weight", w, w.shape().with(1, c));
    Check.sameShape(name(), "bias", in[weight() + 1], Shape.of(w.dim(0)));
    int h = conv.outH(x.dim(2), w.dim(2));
    Shape y = Shape.of(x.dim(0), w.dim(0), h, conv.outW(x.dim(3), w.dim(3)));
    if (adding) {
      Check.sameShape(name(), "addend", in[weight() + 2], y);
    }
    return y;
  }

  private NormedImages normed(Tensor... in) {
    Tensor both = norm.modulated() ? in[modulation()] : null;
    int c = in[images].dim(0);
    return new NormedImages(
        Arrays.copyOf(in, images),
        in[images],
        in[images + 1],
        both == null ? null : both.view(both.layout().slice(1, 0, c, 1)),
        both == null ? null : both.view(both.layout().slice(1, c, c, 1)),
        norm);
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... in) {
    int w = weight();
    Tensor addend = adding ? in[w + 2] : null;
    return backend.conv().normedConv2d(normed(in), in[w], in[w + 1], addend, conv);
  }

  @Override
  public Tensor composed(Tensor... in) {
    int w = weight();
    Tensor z = new GroupNorm(norm).apply(normInputs(in));
    Tensor y = new Conv2d(conv).apply(z, in[w], in[w + 1]);
    return adding ? y.add(in[w + 2]) : y;
  }

  /** Returns one image, weight, bias and, if modulated, scale and shift. */
  private Tensor[] normInputs(Tensor... in) {
    Tensor[] inputs = new Tensor[norm.modulated() ? 5 : 3];
    Tensor[] x = Arrays.copyOf(in, images);
    inputs[0] = images == 1 ? x[0] : Tensor.concat(1, x);
    inputs[1] = in[images];
    inputs[2] = in[images + 1];
    if (norm.modulated()) {
      int c = inputs[1].dim(0);
      inputs[3] = in[modulation()].slice(1, 0, c);
      inputs[4] = in[modulation()].slice(1, c, 2 * c);
    }
    return inputs;
  }

  @Override
  public Saved saved() {
    return new Saved((2 << weight()) - 1, 0).andOutputs(1, 2);
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    Tensor[] in = new Tensor[weight() + 1];
    for (int i = 0; i < in.length; i++) {
      in[i] = v.input(i);
    }
    Tensor[] grads = new Tensor[v.count()];
    boolean again = Recorder.current() != null;
    Tensor[] ofNorm = again ? composedVjp(v.grad(), in, grads) : fusedVjp(v, in, grads);
    // The gradients of the images or of their join, of weight, bias, and then of scale and shift.
    int own = ofNorm.length - (norm.modulated() ? 4 : 2);
    Tensor[] x = Arrays.copyOf(in, images);
    Tensor[] ofImages = own == images ? ofNorm : new Concat(1).vjp(new Given(ofNorm[0], x));
    System.arraycopy(ofImages, 0, grads, 0, images);
    grads[images] = ofNorm[own];
    grads[images + 1] = ofNorm[own + 1];
    if (norm.modulated()) {
      grads[modulation()] = Tensor.concat(1, ofNorm[own + 2], ofNorm[own + 3]);
    }
    if (v.needs(weight() + 1)) {
      grads[weight() + 1] = v.grad().sum(false, 0, 2, 3);
    }
    if (adding) {
      grads[weight() + 2] = v.grad();
    }
    return grads;
  }

  private Tensor[] fusedVjp(Vjp v, Tensor[] in, Tensor[] grads) {
    int w = weight();
    NormedImages x = normed(in);
    ConvKernels kernels = in[w].device().backend().conv();
    Tensor mean = v.output(1);
    Tensor rstd = v.output(2);
    if (v.needs(w)) {
      grads[w] = kernels.normedConv2dBackwardWeight(v.grad(), x, mean, rstd, conv, in[w].shape());
    }
    return kernels.normedConv2dBackward(v.grad(), x, mean, rstd, in[w], conv);
  }

  // This is the same gradient made of operations, so that it can be differentiated again.
  private Tensor[] composedVjp(Tensor grad, Tensor[] in, Tensor[] grads) {
    int w = weight();
    Tensor[] inputs = normInputs(in);
    Tensor z = new GroupNorm(norm).apply(inputs);
    Tensor[] ofConv = new Conv2d(conv).vjp(new Given(grad, z, in[w]));
    grads[w] = ofConv[1];
    return new GroupNorm(norm).vjp(new Given(ofConv[0], inputs));
  }
}
