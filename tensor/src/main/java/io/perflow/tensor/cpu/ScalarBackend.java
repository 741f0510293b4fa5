package io.perflow.tensor.cpu;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Pool2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.AdamSpec;
import io.perflow.tensor.backend.Backend;
import io.perflow.tensor.backend.SgdSpec;
import io.perflow.tensor.backend.Storage;
import io.perflow.tensor.cpu.attention.ScalarAttention;
import io.perflow.tensor.cpu.conv.ScalarConvolution;
import io.perflow.tensor.cpu.elementwise.DoubleArithmetic;
import io.perflow.tensor.cpu.elementwise.ScalarElementwise;
import io.perflow.tensor.cpu.fft.ScalarFourier;
import io.perflow.tensor.cpu.gemm.DoubleMatrix;
import io.perflow.tensor.cpu.gemm.ScalarGemm;
import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.loop.Walk;
import io.perflow.tensor.cpu.memory.CpuStorage;
import io.perflow.tensor.cpu.memory.DoubleStorage;
import io.perflow.tensor.cpu.memory.FloatStorage;
import io.perflow.tensor.cpu.memory.ScalarCopy;
import io.perflow.tensor.cpu.movement.ScalarMovement;
import io.perflow.tensor.cpu.norm.ScalarNorms;
import io.perflow.tensor.cpu.optimizer.ScalarOptimizers;
import io.perflow.tensor.cpu.pool.ScalarPooling;
import io.perflow.tensor.cpu.random.Philox;
import io.perflow.tensor.cpu.reduce.ScalarReductions;
import io.perflow.tensor.cpu.step.ScalarAdvance;
import io.perflow.tensor.op.BinaryKind;
import io.perflow.tensor.op.GroupNormSpec;
import io.perflow.tensor.op.ReduceKind;
import io.perflow.tensor.op.TrigKind;
import io.perflow.tensor.op.UnaryKind;
import java.util.Arrays;

/**
 * Every kernel in plain Java, for F32 and F64 and any strides: the definition of every result. All
 * arithmetic is in double, sums run in one fixed order, and an F32 result is rounded once, when it
 * is stored. A faster backend extends this one and overrides what it does better.
 */
class ScalarBackend implements Backend {
  private final Cpu.DeviceSlot slot;

  ScalarBackend(Cpu.DeviceSlot slot) {
    this.slot = slot;
  }

  @Override
  public String describe() {
    return "scalar code in double arithmetic, " + Parallel.threads() + " threads";
  }

  // ---- memory

  @Override
  public Storage allocate(DataType type, int size) {
    return CpuStorage.allocate(slot.device(), type, size);
  }

  private Tensor allocate(DataType type, Shape shape) {
    return Tensor.over(allocate(type, shape.size()), Layout.contiguous(shape));
  }

  @Override
  public Tensor upload(float[] data, Shape shape) {
    Tensor y = allocate(DataType.F32, shape);
    System.arraycopy(data, 0, FloatStorage.data(y), 0, shape.size());
    return y;
  }

  @Override
  public Tensor upload(double[] data, Shape shape) {
    Tensor y = allocate(DataType.F64, shape);
    System.arraycopy(data, 0, DoubleStorage.data(y), 0, shape.size());
    return y;
  }

  @Override
  public float[] toFloats(Tensor x) {
    float[] data = new float[x.size()];
    CpuStorage rows = new FloatStorage(slot.device(), data, false);
    ScalarCopy.into(Tensor.over(rows, Layout.contiguous(x.shape())), x);
    return data;
  }

  @Override
  public double[] toDoubles(Tensor x) {
    // an empty view may start anywhere, even before the memory
    if (x.type() == DataType.F64 && x.size() > 0 && x.layout().isContiguous()) {
      int from = x.layout().offset();
      return Arrays.copyOfRange(DoubleStorage.data(x), from, from + x.size());
    }
    double[] data = new double[x.size()];
    CpuStorage rows = new DoubleStorage(slot.device(), data, false);
    ScalarCopy.into(Tensor.over(rows, Layout.contiguous(x.shape())), x);
    return data;
  }

  @Override
  public Tensor fill(Shape shape, DataType type, double value) {
    Tensor y = allocate(type, shape);
    CpuStorage.of(y).fill(shape.size(), value);
    return y;
  }

  @Override
  public Tensor copy(Tensor x, Layout target) {
    return ScalarCopy.of(x, target);
  }

  @Override
  public Tensor cast(Tensor x, DataType type) {
    Layout layout = Walk.resultLayout(x.shape(), x);
    Tensor y = Tensor.over(allocate(type, x.size()), layout);
    ScalarCopy.into(y, x);
    return y;
  }

  // ---- elementwise

  @Override
  public Tensor unary(UnaryKind kind, Tensor x) {
    return ScalarElementwise.map(x, kind::apply);
  }

  @Override
  public Tensor binary(BinaryKind kind, Tensor a, Tensor b) {
    Shape shape = Shape.broadcast("binary", a.shape(), b.shape());
    return DoubleArithmetic.computes(kind, a, b)
        ? DoubleArithmetic.zip(shape, a, b, kind)
        : ScalarElementwise.zip(shape, a, b, kind::apply);
  }

  @Override
  public Tensor where(Tensor condition, Tensor a, Tensor b) {
    return ScalarElementwise.where(condition, a, b);
  }

  @Override
  public Tensor addScaled(Tensor a, Tensor b, double alpha) {
    return ScalarElementwise.zip(a.shape(), a, b, (x, y) -> x + alpha * y);
  }

  @Override
  public Tensor advance(
      Tensor x, Tensor to, Tensor from, Tensor free, Tensor share, int[] axes, double weight) {
    return ScalarAdvance.advance(x, to, from, free, share, axes, weight);
  }

  // ---- reductions

  @Override
  public Tensor reduce(ReduceKind kind, Tensor x, int[] axes, boolean keep) {
    return ScalarReductions.reduce(kind, x, axes, keep);
  }

  @Override
  public Tensor argmax(Tensor x, int axis, boolean keep) {
    return ScalarReductions.argmax(x, axis, keep);
  }

  @Override
  public Tensor cumulativeSum(Tensor x, int axis) {
    return ScalarReductions.cumulativeSum(x, axis);
  }

  // ---- linear algebra

  /** c += scale a b, where c shares no element with a and b. */
  void addProduct(double scale, DoubleMatrix a, DoubleMatrix b, DoubleMatrix c) {
    ScalarGemm.addProduct(scale, a, b, c);
  }

  @Override
  public Tensor matmul(Tensor a, Tensor b) {
    return ScalarGemm.matmul(a, b);
  }

  @Override
  public Tensor softmax(Tensor x) {
    return ScalarAttention.softmax(x);
  }

  @Override
  public Tensor softmaxBackward(Tensor y, Tensor dy) {
    return ScalarAttention.softmaxBackward(y, dy);
  }

  @Override
  public Tensor[] attention(Tensor q, Tensor k, Tensor v, double scale) {
    return ScalarAttention.attention(q, k, v, scale);
  }

  @Override
  public Tensor[] attentionBackward(
      Tensor q, Tensor k, Tensor v, Tensor out, Tensor logSumExp, Tensor dout, double scale) {
    return ScalarAttention.attentionBackward(q, k, v, out, logSumExp, dout, scale);
  }

  // ---- images

  @Override
  public Tensor conv2d(Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec) {
    return ScalarConvolution.forward(x, weight, bias, spec);
  }

  @Override
  public Tensor conv2dBackwardInput(
      Tensor dy, Tensor weight, Tensor bias, Conv2dSpec spec, Shape inputShape) {
    return ScalarConvolution.backwardInput(dy, weight, bias, spec, inputShape);
  }

  @Override
  public Tensor conv2dBackwardWeight(Tensor x, Tensor dy, Conv2dSpec spec, Shape weightShape) {
    return ScalarConvolution.backwardWeight(x, dy, spec, weightShape);
  }

  @Override
  public Tensor[] maxPool2d(Tensor x, Pool2dSpec spec) {
    return ScalarPooling.maxPool(x, spec);
  }

  @Override
  public Tensor maxPool2dBackward(Tensor dy, Tensor positions, Shape inputShape) {
    return ScalarPooling.maxPoolBackward(dy, positions, inputShape);
  }

  @Override
  public Tensor avgPool2d(Tensor x, Pool2dSpec spec) {
    return ScalarPooling.avgPool(x, spec);
  }

  @Override
  public Tensor avgPool2dBackward(Tensor dy, Pool2dSpec spec, Shape inputShape) {
    return ScalarPooling.avgPoolBackward(dy, spec, inputShape);
  }

  @Override
  public Tensor upsampleNearest(Tensor x, int factor) {
    return ScalarPooling.upsample(x, factor);
  }

  @Override
  public Tensor upsampleNearestBackward(Tensor dy, int factor) {
    return ScalarPooling.upsampleBackward(dy, factor);
  }

  @Override
  public Tensor[] groupNorm(
      Tensor x, Tensor weight, Tensor bias, Tensor scale, Tensor shift, GroupNormSpec spec) {
    return ScalarNorms.forward(x, weight, bias, scale, shift, spec);
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
    return ScalarNorms.backward(dy, x, weight, bias, scale, shift, mean, rstd, spec);
  }

  // ---- moving elements

  @Override
  public Tensor concat(Tensor[] parts, int axis) {
    return ScalarMovement.concat(parts, axis);
  }

  @Override
  public Tensor embed(Tensor x, Shape shape, int[] starts, int[] steps) {
    return ScalarMovement.embed(x, shape, starts, steps);
  }

  @Override
  public Tensor gather(Tensor x, int axis, int[] index) {
    return ScalarMovement.gather(x, axis, index);
  }

  @Override
  public Tensor scatterAdd(Tensor x, int axis, int[] index, int size) {
    return ScalarMovement.scatterAdd(x, axis, index, size);
  }

  // ---- Fourier

  @Override
  public Tensor fft(Tensor x, int axes, boolean inverse, double scale) {
    return ScalarFourier.fft(x, axes, inverse, scale);
  }

  @Override
  public Tensor rfft(Tensor x, int axes, double scale) {
    return ScalarFourier.toHalfSpectrum(x, axes, scale, false);
  }

  @Override
  public Tensor irfft(Tensor x, int[] sizes, double scale) {
    return ScalarFourier.toReal(x, sizes, scale, false);
  }

  @Override
  public Tensor rfftAdjoint(Tensor x, int[] sizes, double scale) {
    return ScalarFourier.toReal(x, sizes, scale, true);
  }

  @Override
  public Tensor irfftAdjoint(Tensor x, int axes, double scale) {
    return ScalarFourier.toHalfSpectrum(x, axes, scale, true);
  }

  @Override
  public Tensor trig(TrigKind kind, Tensor x, int axis, double scale) {
    return ScalarFourier.trig(kind, x, axis, scale);
  }

  @Override
  public Tensor complexMul(Tensor a, Tensor b, boolean conjugateB) {
    return ScalarElementwise.complexMul(a, b, conjugateB);
  }

  // ---- random numbers

  @Override
  public Tensor uniform(long key, long counter, Shape shape, DataType type) {
    Tensor y = allocate(type, shape);
    switch (CpuStorage.of(y)) {
      case FloatStorage f -> Philox.uniform(key, counter, f.data(), shape.size());
      case DoubleStorage d -> Philox.uniform(key, counter, d.data(), shape.size());
    }
    return y;
  }

  @Override
  public Tensor normal(long key, long counter, Shape shape, DataType type) {
    Tensor y = allocate(type, shape);
    switch (CpuStorage.of(y)) {
      case FloatStorage f -> Philox.normal(key, counter, f.data(), shape.size());
      case DoubleStorage d -> Philox.normal(key, counter, d.data(), shape.size());
    }
    return y;
  }

  // ---- in place

  @Override
  public void adam(Tensor p, Tensor g, Tensor m, Tensor v, AdamSpec spec) {
    ScalarOptimizers.adam(p, g, m, v, spec);
  }

  @Override
  public void sgd(Tensor p, Tensor g, Tensor velocity, SgdSpec spec) {
    ScalarOptimizers.sgd(p, g, velocity, spec);
  }

  @Override
  public void ema(Tensor average, Tensor p, double decay) {
    ScalarOptimizers.ema(average, p, decay);
  }

  @Override
  public void assign(Tensor target, Tensor source) {
    ScalarOptimizers.assign(target, source);
  }
}
