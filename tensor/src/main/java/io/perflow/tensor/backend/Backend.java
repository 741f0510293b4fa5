package io.perflow.tensor.backend;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Pool2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.BinaryKind;
import io.perflow.tensor.op.GroupNormSpec;
import io.perflow.tensor.op.ReduceKind;
import io.perflow.tensor.op.TrigKind;
import io.perflow.tensor.op.UnaryKind;

/**
 * The kernels of one device.
 *
 * <p>Arguments have been checked (shapes, types, devices) by the operation above; a backend
 * computes into new storage and may choose the memory order of its results. It never changes an
 * input, except for the optimiser kernels at the end, whose purpose that is; it knows nothing of
 * gradients. Complex tensors are real ones whose last axis holds (re, im).
 */
public interface Backend {
  /** One line on what computes and how. */
  String describe();

  /** Whether the host goes on while kernels run, so that it waits for numbers that it reads. */
  default boolean asynchronous() {
    return false;
  }

  // ---- memory

  /** New memory with undefined contents, in the thread's scope if one is open. */
  Storage allocate(DataType type, int size);

  /** A row-major tensor with these numbers. */
  Tensor upload(float[] data, Shape shape);

  /** A row-major tensor with these numbers. */
  Tensor upload(double[] data, Shape shape);

  /** The elements in row-major order, rounded if the tensor is F64. */
  float[] toFloats(Tensor x);

  /** The elements in row-major order. */
  double[] toDoubles(Tensor x);

  /** A tensor filled with one number. */
  Tensor fill(Shape shape, DataType type, double value);

  /** The same elements in new memory, laid out as {@code target}, which has no gaps. */
  Tensor copy(Tensor x, Layout target);

  /** The same elements in another type. */
  Tensor cast(Tensor x, DataType type);

  // ---- elementwise, with broadcasting

  /** f(x), element by element. */
  Tensor unary(UnaryKind kind, Tensor x);

  /** f(a, b), element by element. */
  Tensor binary(BinaryKind kind, Tensor a, Tensor b);

  /** a where the condition is not zero, else b. */
  Tensor where(Tensor condition, Tensor a, Tensor b);

  /** a + alpha b for equal shapes. */
  Tensor addScaled(Tensor a, Tensor b, double alpha);

  /**
   * x + weight (d - share mean(d)) with d = to - from where free is not zero, else 0, and the mean
   * over sorted axes; x + weight d without axes. The result has the shape of {@code to}, to which
   * the others broadcast.
   */
  Tensor advance(
      Tensor x, Tensor to, Tensor from, Tensor free, Tensor share, int[] axes, double weight);

  // ---- reductions

  /** Reduces over sorted axes. */
  Tensor reduce(ReduceKind kind, Tensor x, int[] axes, boolean keep);

  /** Position of the first largest element along an axis (a NaN counts as largest). */
  Tensor argmax(Tensor x, int axis, boolean keep);

  /** Running sums along an axis. */
  Tensor cumulativeSum(Tensor x, int axis);

  // ---- linear algebra

  /** Matrix products over the last two axes, batched and broadcast over the others. */
  Tensor matmul(Tensor a, Tensor b);

  /** x W' + bias for x (…, in), weight (out, in) and bias (out) or null. */
  default Tensor linear(Tensor x, Tensor weight, Tensor bias) {
    Tensor y = matmul(x, weight.view(weight.layout().permute(1, 0)));
    return bias == null ? y : binary(BinaryKind.ADD, y, bias);
  }

  /** Softmax along the last axis. */
  Tensor softmax(Tensor x);

  /** Gradient of {@link #softmax} from its result y and dy: y (dy - sum(y dy)). */
  Tensor softmaxBackward(Tensor y, Tensor dy);

  /**
   * softmax(scale q k') v for q (b, h, lq, d), k (b, h, lk, d), v (b, h, lk, dv).
   *
   * @return the result (b, h, lq, dv) and the log-sum-exp of each row of scores (b, h, lq)
   */
  Tensor[] attention(Tensor q, Tensor k, Tensor v, double scale);

  /** Gradients of {@link #attention} with respect to q, k and v. */
  Tensor[] attentionBackward(
      Tensor q, Tensor k, Tensor v, Tensor out, Tensor logSumExp, Tensor dout, double scale);

  // ---- images (n, c, h, w)

  /** Convolution with weights (out, in / groups, kh, kw); bias (out) may be null. */
  Tensor conv2d(Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec);

  /** Adjoint of {@link #conv2d} in x: from (n, out, oh, ow) back to {@code inputShape}. */
  Tensor conv2dBackwardInput(
      Tensor dy, Tensor weight, Tensor bias, Conv2dSpec spec, Shape inputShape);

  /** Adjoint of {@link #conv2d} in the weight. */
  Tensor conv2dBackwardWeight(Tensor x, Tensor dy, Conv2dSpec spec, Shape weightShape);

  /**
   * Largest of each window.
   *
   * @return the result and, per entry, the position h * w + w of the first largest
   */
  Tensor[] maxPool2d(Tensor x, Pool2dSpec spec);

  /** Sends each gradient to the position that won. */
  Tensor maxPool2dBackward(Tensor dy, Tensor positions, Shape inputShape);

  /** Mean of each window. */
  Tensor avgPool2d(Tensor x, Pool2dSpec spec);

  /** Adjoint of {@link #avgPool2d}. */
  Tensor avgPool2dBackward(Tensor dy, Pool2dSpec spec, Shape inputShape);

  /** Repeats every pixel factor x factor times. */
  Tensor upsampleNearest(Tensor x, int factor);

  /** Adjoint of {@link #upsampleNearest}: the sum over each factor x factor block. */
  Tensor upsampleNearestBackward(Tensor dy, int factor);

  /**
   * Group norm with what follows it, see {@link GroupNormSpec}; x (n, c, any axes), weight and bias
   * (c), scale and shift (n, c), each null when the spec says so.
   *
   * @return the result, mean (n, groups) and 1 / sqrt(variance + eps) (n, groups)
   */
  Tensor[] groupNorm(
      Tensor x, Tensor weight, Tensor bias, Tensor scale, Tensor shift, GroupNormSpec spec);

  /**
   * Gradients of {@link #groupNorm}.
   *
   * @return those of x, then weight and bias if affine, then scale and shift if modulated
   */
  Tensor[] groupNormBackward(
      Tensor dy,
      Tensor x,
      Tensor weight,
      Tensor bias,
      Tensor scale,
      Tensor shift,
      Tensor mean,
      Tensor rstd,
      GroupNormSpec spec);

  // ---- moving elements

  /** Joins tensors along an axis. */
  Tensor concat(Tensor[] parts, int axis);

  /** Puts x into zeros of {@code shape}: element i of axis a lands at starts[a] + i * steps[a]. */
  Tensor embed(Tensor x, Shape shape, int[] starts, int[] steps);

  /** The entries of an axis that the index lists, in its order. */
  Tensor gather(Tensor x, int axis, int[] index);

  /** Adjoint of {@link #gather}: adds entry i of x to entry index[i] of an axis of given size. */
  Tensor scatterAdd(Tensor x, int axis, int[] index, int size);

  // ---- Fourier

  /** Complex transform of the last {@code axes} axes before (re, im), times scale. */
  Tensor fft(Tensor x, int axes, boolean inverse, double scale);

  /** Real to half-complex transform of the last axes, times scale. */
  Tensor rfft(Tensor x, int axes, double scale);

  /** Half-complex to real of the given sizes, times scale; reads as NumPy does. */
  Tensor irfft(Tensor x, int[] sizes, double scale);

  /** Transpose of {@link #rfft}: from a half spectrum to real of the given sizes. */
  Tensor rfftAdjoint(Tensor x, int[] sizes, double scale);

  /** Transpose of {@link #irfft}: from real to a half spectrum. */
  Tensor irfftAdjoint(Tensor x, int axes, double scale);

  /** Cosine or sine transform along an axis, times scale. */
  Tensor trig(TrigKind kind, Tensor x, int axis, double scale);

  /** Complex product with broadcasting; b conjugated on request. */
  Tensor complexMul(Tensor a, Tensor b, boolean conjugateB);

  /**
   * x + weight (v - F⁻¹ n (n · F v)) for x, which may be null for 0, and v (b, 2 f, h, w) and
   * complex directions n (2, 1, h, w / 2 + 1, 2) of their modes.
   */
  default Tensor advanceTransverse(Tensor x, Tensor v, Tensor n, double weight) {
    int h = v.dim(2);
    int w = v.dim(3);
    Shape pairs = Shape.of(v.dim(0), 2, v.dim(1) / 2, h, w);
    Tensor rows = v.layout().isContiguous() ? v : copy(v, Layout.contiguous(v.shape()));
    Tensor modes = rfft(rows.view(rows.layout().reshape(pairs)), 2, 1);
    Tensor parts = complexMul(modes, n, false);
    Tensor first = parts.view(parts.layout().slice(1, 0, 1, 1));
    Tensor second = parts.view(parts.layout().slice(1, 1, 1, 1));
    Tensor length = binary(BinaryKind.ADD, first, second);
    Tensor along = irfft(complexMul(length, n, false), new int[] {h, w}, 1.0 / (h * w));
    // subtracted in physical space, so that what has no such part passes unchanged
    Tensor across = binary(BinaryKind.SUB, v, along.view(along.layout().reshape(v.shape())));
    if (x != null) {
      return addScaled(x, across, weight);
    }
    return weight == 1
        ? across
        : binary(BinaryKind.MUL, across, fill(Shape.of(), v.type(), weight));
  }

  // ---- random numbers: element i depends on (key, counter + i / 2) alone

  /** Uniform in [0, 1) from Philox blocks {@code counter} onwards. */
  Tensor uniform(long key, long counter, Shape shape, DataType type);

  /** Standard normal from Philox blocks {@code counter} onwards. */
  Tensor normal(long key, long counter, Shape shape, DataType type);

  // ---- in place, for optimisers; all operands row-major, of one shape

  /** One Adam step on p with gradient g and moments m, v. */
  void adam(Tensor p, Tensor g, Tensor m, Tensor v, AdamSpec spec);

  /** One gradient-descent step on p; velocity may be null when momentum is 0. */
  void sgd(Tensor p, Tensor g, Tensor velocity, SgdSpec spec);

  /** average = decay * average + (1 - decay) * p. */
  void ema(Tensor average, Tensor p, double decay);

  /** Overwrites the elements of {@code target} with those of {@code source}. */
  void assign(Tensor target, Tensor source);
}
