package io.perflow.tensor.cpu;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Pool2dSpec;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.AdamSpec;
import io.perflow.tensor.backend.SgdSpec;
import io.perflow.tensor.cpu.attention.SimdAttention;
import io.perflow.tensor.cpu.conv.SimdConvolution;
import io.perflow.tensor.cpu.elementwise.SimdComplex;
import io.perflow.tensor.cpu.elementwise.SimdElementwise;
import io.perflow.tensor.cpu.fft.SimdFourier;
import io.perflow.tensor.cpu.gemm.DoubleGemm;
import io.perflow.tensor.cpu.gemm.DoubleMatmul;
import io.perflow.tensor.cpu.gemm.DoubleMatrix;
import io.perflow.tensor.cpu.gemm.SimdGemm;
import io.perflow.tensor.cpu.memory.FloatStorage;
import io.perflow.tensor.cpu.memory.StridedCopy;
import io.perflow.tensor.cpu.movement.SimdMovement;
import io.perflow.tensor.cpu.norm.SimdNorms;
import io.perflow.tensor.cpu.optimizer.SimdOptimizers;
import io.perflow.tensor.cpu.pool.SimdPooling;
import io.perflow.tensor.cpu.reduce.SimdReductions;
import io.perflow.tensor.cpu.step.SimdAdvance;
import io.perflow.tensor.cpu.vector.Simd;
import io.perflow.tensor.op.BinaryKind;
import io.perflow.tensor.op.GroupNormSpec;
import io.perflow.tensor.op.ReduceKind;
import io.perflow.tensor.op.TrigKind;
import io.perflow.tensor.op.UnaryKind;

/**
 * The CPU by vectors: F32 everywhere, F64 in matrix products and Fourier transforms; whatever else
 * is asked for comes from the scalar backend that it extends.
 */
final class SimdBackend extends ScalarBackend {
  private static final SimdFourier<float[]> FLOATS = SimdFourier.floats();
  private static final SimdFourier<double[]> DOUBLES = SimdFourier.doubles();

  SimdBackend(Cpu.DeviceSlot slot) {
    super(slot);
  }

  private static boolean fast(Tensor x) {
    return x.type() == DataType.F32;
  }

  private static SimdFourier<?> fourier(Tensor x) {
    return fast(x) ? FLOATS : DOUBLES;
  }

  @Override
  public String describe() {
    return "Vector API, %d bits, %d threads".formatted(32 * Simd.W, Settings.threads());
  }

  @Override
  public float[] toFloats(Tensor x) {
    if (!fast(x)) {
      return super.toFloats(x);
    }
    float[] result = new float[x.size()];
    StridedCopy.copy(FloatStorage.data(x), x.layout(), result, Layout.contiguous(x.shape()));
    return result;
  }

  @Override
  public Tensor upload(float[] data, Shape shape) {
    Tensor y = Tensor.over(allocate(DataType.F32, shape.size()), Layout.contiguous(shape));
    System.arraycopy(data, 0, FloatStorage.data(y), 0, shape.size());
    return y;
  }

  @Override
  public void assign(Tensor target, Tensor source) {
    if (!fast(target) || !fast(source)) {
      super.assign(target, source);
      return;
    }
    FloatStorage storage = (FloatStorage) target.storage();
    StridedCopy.copy(FloatStorage.data(source), source.layout(), storage.data(), target.layout());
    storage.changed();
  }

  @Override
  public Tensor copy(Tensor x, Layout target) {
    return fast(x) ? StridedCopy.of(x, target) : super.copy(x, target);
  }

  @Override
  public Tensor unary(UnaryKind kind, Tensor x) {
    return fast(x) ? SimdElementwise.unary(kind, x) : super.unary(kind, x);
  }

  @Override
  public Tensor binary(BinaryKind kind, Tensor a, Tensor b) {
    return fast(a) ? SimdElementwise.binary(kind, a, b) : super.binary(kind, a, b);
  }

  @Override
  public Tensor where(Tensor condition, Tensor a, Tensor b) {
    return fast(a) ? SimdElementwise.where(condition, a, b) : super.where(condition, a, b);
  }

  @Override
  public Tensor addScaled(Tensor a, Tensor b, double alpha) {
    return fast(a) ? SimdElementwise.addScaled(a, b, alpha) : super.addScaled(a, b, alpha);
  }

  @Override
  public Tensor advance(
      Tensor x, Tensor to, Tensor from, Tensor free, Tensor share, int[] axes, double weight) {
    return fast(to) && to.size() > 0
        ? SimdAdvance.advance(x, to, from, free, share, axes, weight)
        : super.advance(x, to, from, free, share, axes, weight);
  }

  @Override
  public Tensor reduce(ReduceKind kind, Tensor x, int[] axes, boolean keep) {
    return fast(x) && x.size() > 0
        ? SimdReductions.reduce(kind, x, axes, keep)
        : super.reduce(kind, x, axes, keep);
  }

  @Override
  public Tensor argmax(Tensor x, int axis, boolean keep) {
    return fast(x) && x.size() > 0
        ? SimdReductions.argmax(x, axis, keep)
        : super.argmax(x, axis, keep);
  }

  @Override
  public Tensor cumulativeSum(Tensor x, int axis) {
    return fast(x) && x.size() > 0
        ? SimdReductions.cumulativeSum(x, axis)
        : super.cumulativeSum(x, axis);
  }

  @Override
  public Tensor matmul(Tensor a, Tensor b) {
    return fast(a) ? SimdGemm.matmul(a, b) : DoubleMatmul.matmul(a, b);
  }

  @Override
  void addProduct(double scale, DoubleMatrix a, DoubleMatrix b, DoubleMatrix c) {
    DoubleGemm.add(scale, a, b, c);
  }

  @Override
  public Tensor linear(Tensor x, Tensor weight, Tensor bias) {
    return fast(x) ? SimdGemm.linear(x, weight, bias) : super.linear(x, weight, bias);
  }

  @Override
  public Tensor softmax(Tensor x) {
    return fast(x) ? SimdAttention.softmax(x) : super.softmax(x);
  }

  @Override
  public Tensor softmaxBackward(Tensor y, Tensor dy) {
    return fast(y) ? SimdAttention.softmaxBackward(y, dy) : super.softmaxBackward(y, dy);
  }

  @Override
  public Tensor[] attention(Tensor q, Tensor k, Tensor v, double scale) {
    return fast(q) ? SimdAttention.attention(q, k, v, scale) : super.attention(q, k, v, scale);
  }

  @Override
  public Tensor[] attentionBackward(
      Tensor q, Tensor k, Tensor v, Tensor out, Tensor lse, Tensor dout, double scale) {
    return fast(q)
        ? SimdAttention.attentionBackward(q, k, v, out, lse, dout, scale)
        : super.attentionBackward(q, k, v, out, lse, dout, scale);
  }

  @Override
  public Tensor conv2d(Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec) {
    return fast(x)
        ? SimdConvolution.conv2d(x, weight, bias, spec)
        : super.conv2d(x, weight, bias, spec);
  }

  @Override
  public Tensor conv2dBackwardInput(
      Tensor dy, Tensor weight, Tensor bias, Conv2dSpec spec, Shape inputShape) {
    return fast(dy)
        ? SimdConvolution.conv2dBackwardInput(dy, weight, bias, spec, inputShape)
        : super.conv2dBackwardInput(dy, weight, bias, spec, inputShape);
  }

  @Override
  public Tensor conv2dBackwardWeight(Tensor x, Tensor dy, Conv2dSpec spec, Shape weightShape) {
    return fast(x)
        ? SimdConvolution.conv2dBackwardWeight(x, dy, spec, weightShape)
        : super.conv2dBackwardWeight(x, dy, spec, weightShape);
  }

  @Override
  public Tensor[] maxPool2d(Tensor x, Pool2dSpec spec) {
    return fast(x) ? SimdPooling.maxPool2d(x, spec) : super.maxPool2d(x, spec);
  }

  @Override
  public Tensor maxPool2dBackward(Tensor dy, Tensor positions, Shape inputShape) {
    return fast(dy)
        ? SimdPooling.maxPool2dBackward(dy, positions, inputShape)
        : super.maxPool2dBackward(dy, positions, inputShape);
  }

  @Override
  public Tensor avgPool2d(Tensor x, Pool2dSpec spec) {
    return fast(x) ? SimdPooling.avgPool2d(x, spec) : super.avgPool2d(x, spec);
  }

  @Override
  public Tensor avgPool2dBackward(Tensor dy, Pool2dSpec spec, Shape inputShape) {
    return fast(dy)
        ? SimdPooling.avgPool2dBackward(dy, spec, inputShape)
        : super.avgPool2dBackward(dy, spec, inputShape);
  }

  @Override
  public Tensor upsampleNearest(Tensor x, int factor) {
    return fast(x) ? SimdPooling.upsampleNearest(x, factor) : super.upsampleNearest(x, factor);
  }

  @Override
  public Tensor upsampleNearestBackward(Tensor dy, int factor) {
    return fast(dy)
        ? SimdPooling.upsampleNearestBackward(dy, factor)
        : super.upsampleNearestBackward(dy, factor);
  }

  @Override
  public Tensor[] groupNorm(
      Tensor x, Tensor weight, Tensor bias, Tensor scale, Tensor shift, GroupNormSpec spec) {
    return fast(x)
        ? SimdNorms.groupNorm(x, weight, bias, scale, shift, spec)
        : super.groupNorm(x, weight, bias, scale, shift, spec);
  }

  @Override
  public Tensor[] groupNormBackward(
      Tensor dy,
      Tensor x,
      Tensor weight,
      Tensor bias,
      Tensor scale,
      Tensor shift,
      Tensor mean,
      Tensor rstd,
      GroupNormSpec spec) {
    return fast(x) && x.size() > 0
        ? SimdNorms.groupNormBackward(dy, x, weight, bias, scale, shift, mean, rstd, spec)
        : super.groupNormBackward(dy, x, weight, bias, scale, shift, mean, rstd, spec);
  }

  @Override
  public Tensor concat(Tensor[] parts, int axis) {
    return fast(parts[0]) ? SimdMovement.concat(parts, axis) : super.concat(parts, axis);
  }

  @Override
  public Tensor embed(Tensor x, Shape shape, int[] starts, int[] steps) {
    return fast(x)
        ? SimdMovement.embed(x, shape, starts, steps)
        : super.embed(x, shape, starts, steps);
  }

  @Override
  public Tensor gather(Tensor x, int axis, int[] index) {
    return fast(x) ? SimdMovement.gather(x, axis, index) : super.gather(x, axis, index);
  }

  @Override
  public Tensor scatterAdd(Tensor x, int axis, int[] index, int size) {
    return fast(x)
        ? SimdMovement.scatterAdd(x, axis, index, size)
        : super.scatterAdd(x, axis, index, size);
  }

  @Override
  public Tensor fft(Tensor x, int axes, boolean inverse, double scale) {
    return fourier(x).fft(x, axes, inverse, scale);
  }

  @Override
  public Tensor rfft(Tensor x, int axes, double scale) {
    return fourier(x).rfft(x, axes, scale, false);
  }

  @Override
  public Tensor irfft(Tensor x, int[] sizes, double scale) {
    return fourier(x).irfft(x, sizes, scale, false);
  }

  @Override
  public Tensor rfftAdjoint(Tensor x, int[] sizes, double scale) {
    return fourier(x).irfft(x, sizes, scale, true);
  }

  @Override
  public Tensor irfftAdjoint(Tensor x, int axes, double scale) {
    return fourier(x).rfft(x, axes, scale, true);
  }

  @Override
  public Tensor trig(TrigKind kind, Tensor x, int axis, double scale) {
    return fourier(x).trig(kind, x, axis, scale);
  }

  @Override
  public Tensor complexMul(Tensor a, Tensor b, boolean conjugateB) {
    return fast(a) ? SimdComplex.multiply(a, b, conjugateB) : super.complexMul(a, b, conjugateB);
  }

  @Override
  public void adam(Tensor p, Tensor g, Tensor m, Tensor v, AdamSpec spec) {
    if (fast(p)) {
      SimdOptimizers.adam(p, g, m, v, spec);
    } else {
      super.adam(p, g, m, v, spec);
    }
  }

  @Override
  public void sgd(Tensor p, Tensor g, Tensor velocity, SgdSpec spec) {
    if (fast(p)) {
      SimdOptimizers.sgd(p, g, velocity, spec);
    } else {
      super.sgd(p, g, velocity, spec);
    }
  }

  @Override
  public void ema(Tensor average, Tensor p, double decay) {
    if (fast(p)) {
      SimdOptimizers.ema(average, p, decay);
    } else {
      super.ema(average, p, decay);
    }
  }
}
