package io.perflow.cuda;

import io.perflow.cuda.driver.CudaDriver;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Pool2dSpec;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.AdamSpec;
import io.perflow.tensor.backend.Backend;
import io.perflow.tensor.backend.SgdSpec;
import io.perflow.tensor.backend.Storage;
import io.perflow.tensor.op.BinaryKind;
import io.perflow.tensor.op.GroupNormSpec;
import io.perflow.tensor.op.ReduceKind;
import io.perflow.tensor.op.TrigKind;
import io.perflow.tensor.op.UnaryKind;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Every kernel on an NVIDIA GPU, by PTX of our own through the driver: nothing but the driver is
 * needed. Each operation is a class of this package beside its {@code .cu} file; this one gives
 * them the backend's names.
 *
 * <p>Calls queue work and return; only reading numbers back waits. All work of a device runs in the
 * order of the calls. Convolutions, pooling and norms keep images channels last in memory.
 */
public final class CudaBackend implements Backend {
  private final Gpu gpu;
  private final Elementwise elementwise;
  private final Movement movement;
  private final Reductions reductions;
  private final Advances advances;
  private final MatMul matmul;
  private final Attention attention;
  private final Convolutions convolutions;
  private final Pooling pooling;
  private final Norms norms;
  private final Transforms transforms;
  private final RandomNumbers random;
  private final Updates updates;

  private CudaBackend(Gpu gpu) {
    this.gpu = gpu;
    elementwise = new Elementwise(gpu);
    movement = new Movement(gpu, elementwise);
    reductions = new Reductions(gpu, movement);
    advances = new Advances(gpu, elementwise, reductions);
    matmul = new MatMul(gpu, movement);
    attention = new Attention(gpu, movement, matmul);
    Winograd winograd = new Winograd(gpu, matmul);
    convolutions = new Convolutions(gpu, movement, elementwise, reductions, winograd);
    pooling = new Pooling(gpu, movement, reductions);
    norms = new Norms(gpu, movement);
    transforms = new Transforms(gpu, movement, elementwise);
    random = new RandomNumbers(gpu);
    updates = new Updates(gpu, elementwise);
  }

  /** A device of a driver that has been initialised, under a name such as {@code cuda:0}. */
  static Device open(CudaDriver driver, int ordinal, String name) {
    Gpu gpu = new Gpu(driver, ordinal, name);
    Device device = new Device(name, new CudaBackend(gpu));
    gpu.named(device);
    return device;
  }

  // ---- beyond the interface

  /**
   * Chooses how convolutions in F32 are computed from now on; {@link ConvolutionMethod#DIRECT} at
   * first.
   */
  public void convolutions(ConvolutionMethod method) {
    convolutions.method(method);
  }

  /**
   * Lets NVIDIA's cuBLAS compute matrix products from now on, where their layout allows it. Its
   * results may differ in last bits from those of our kernels and between versions.
   *
   * @throws IllegalStateException when cuBLAS is not there, with the reason in one line
   */
  public void useCublas() {
    matmul.use(gpu.blas());
  }

  /**
   * Lets NVIDIA's cuFFT compute Fourier transforms from now on. Those with an axis of length 1, the
   * leading axes on the way from a half spectrum to real numbers, and cosine and sine transforms
   * stay with our kernels. Its results may differ in last bits from those of our kernels and
   * between versions; its plans take device memory of their own.
   *
   * @throws IllegalStateException when cuFFT is not there, with the reason in one line
   */
  public void useCufft() {
    transforms.use(gpu.fft());
  }

  /** What the device was told to do so far. */
  public Traffic traffic() {
    return gpu.traffic();
  }

  /** Names of the kernels launched so far. */
  Set<String> kernelsUsed() {
    return gpu.kernelsUsed();
  }

  /** Bytes of device memory in use by tensors. */
  public long usedBytes() {
    return gpu.usedBytes();
  }

  /**
   * Where the device memory in use was taken, a line for each place, most first: what is still
   * there after a scope has closed and should not be is a leak. Empty unless the device was opened
   * under {@code -Dperflow.traceLeaks=true}.
   */
  public List<String> memoryInUse() {
    return gpu.memoryInUse();
  }

  /** Most bytes of device memory that were in use at once. */
  public long peakBytes() {
    return gpu.peakBytes();
  }

  /** Waits until everything queued so far has run. */
  public void synchronize() {
    gpu.synchronize();
  }

  // What an operation makes on the way goes back to the pool when it is done.
  private static Tensor only(Supplier<Tensor> operation) {
    try (Scope scope = Scope.open()) {
      return scope.keep(operation.get());
    }
  }

  private static Tensor[] all(Supplier<Tensor[]> operation) {
    try (Scope scope = Scope.open()) {
      Tensor[] results = operation.get();
      for (Tensor result : results) {
        scope.keep(result);
      }
      return results;
    }
  }

  @Override
  public String describe() {
    return gpu.describe();
  }

  @Override
  public boolean asynchronous() {
    return true;
  }

  // ---- memory

  @Override
  public Storage allocate(DataType type, int size) {
    return gpu.storage(type, size);
  }

  @Override
  public Tensor upload(float[] data, Shape shape) {
    return movement.upload(data, shape);
  }

  @Override
  public Tensor upload(double[] data, Shape shape) {
    return movement.upload(data, shape);
  }

  @Override
  public float[] toFloats(Tensor x) {
    if (x.type() == DataType.F64) {
      return HostNumbers.floats(toDoubles(x));
    }
    float[] data = new float[x.size()];
    try (Scope _ = Scope.open()) {
      movement.download(x, MemorySegment.ofArray(data));
    }
    return data;
  }

  @Override
  public double[] toDoubles(Tensor x) {
    if (x.type() == DataType.F32) {
      return HostNumbers.doubles(toFloats(x));
    }
    double[] data = new double[x.size()];
    try (Scope _ = Scope.open()) {
      movement.download(x, MemorySegment.ofArray(data));
    }
    return data;
  }

  @Override
  public Tensor fill(Shape shape, DataType type, double value) {
    return gpu.constant(type, shape, value);
  }

  @Override
  public Tensor copy(Tensor x, Layout target) {
    return movement.copy(x, target);
  }

  @Override
  public Tensor cast(Tensor x, DataType type) {
    return elementwise.cast(x, type);
  }

  // ---- elementwise

  @Override
  public Tensor unary(UnaryKind kind, Tensor x) {
    return elementwise.unary(kind, x);
  }

  @Override
  public Tensor binary(BinaryKind kind, Tensor a, Tensor b) {
    return elementwise.binary(kind, a, b);
  }

  @Override
  public Tensor where(Tensor condition, Tensor a, Tensor b) {
    return elementwise.where(condition, a, b);
  }

  @Override
  public Tensor addScaled(Tensor a, Tensor b, double alpha) {
    return elementwise.addScaled(a, b, alpha);
  }

  @Override
  public Tensor advance(
      Tensor x, Tensor to, Tensor from, Tensor free, Tensor share, int[] axes, double weight) {
    return only(() -> advances.advance(x, to, from, free, share, axes, weight));
  }

  // ---- reductions

  @Override
  public Tensor reduce(ReduceKind kind, Tensor x, int[] axes, boolean keep) {
    return only(() -> reductions.reduce(kind, x, axes, keep));
  }

  @Override
  public Tensor argmax(Tensor x, int axis, boolean keep) {
    return only(() -> reductions.argmax(x, axis, keep));
  }

  @Override
  public Tensor cumulativeSum(Tensor x, int axis) {
    return only(() -> reductions.cumulativeSum(x, axis));
  }

  // ---- linear algebra

  @Override
  public Tensor matmul(Tensor a, Tensor b) {
    return only(() -> matmul.product(a, b));
  }

  @Override
  public Tensor softmax(Tensor x) {
    return only(() -> attention.softmax(x));
  }

  @Override
  public Tensor softmaxBackward(Tensor y, Tensor dy) {
    return only(() -> attention.softmaxBackward(y, dy));
  }

  @Override
  public Tensor[] attention(Tensor q, Tensor k, Tensor v, double scale) {
    return all(() -> attention.forward(q, k, v, scale));
  }

  @Override
  public Tensor[] attentionBackward(
      Tensor q, Tensor k, Tensor v, Tensor out, Tensor logSumExp, Tensor dout, double scale) {
    return all(() -> attention.backward(q, k, v, out, logSumExp, dout, scale));
  }

  // ---- images

  @Override
  public Tensor conv2d(Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec) {
    return only(() -> convolutions.forward(x, weight, bias, spec));
  }

  @Override
  public Tensor conv2dBackwardInput(
      Tensor dy, Tensor weight, Tensor bias, Conv2dSpec spec, Shape inputShape) {
    return only(() -> convolutions.backwardInput(dy, weight, bias, spec, inputShape));
  }

  @Override
  public Tensor conv2dBackwardWeight(Tensor x, Tensor dy, Conv2dSpec spec, Shape weightShape) {
    return only(() -> convolutions.backwardWeight(x, dy, spec, weightShape));
  }

  @Override
  public Tensor[] maxPool2d(Tensor x, Pool2dSpec spec) {
    return all(() -> pooling.max(x, spec));
  }

  @Override
  public Tensor maxPool2dBackward(Tensor dy, Tensor positions, Shape inputShape) {
    return only(() -> pooling.maxBackward(dy, positions, inputShape));
  }

  @Override
  public Tensor avgPool2d(Tensor x, Pool2dSpec spec) {
    return only(() -> pooling.avg(x, spec));
  }

  @Override
  public Tensor avgPool2dBackward(Tensor dy, Pool2dSpec spec, Shape inputShape) {
    return only(() -> pooling.avgBackward(dy, spec, inputShape));
  }

  @Override
  public Tensor upsampleNearest(Tensor x, int factor) {
    return only(() -> pooling.upsample(x, factor));
  }

  @Override
  public Tensor upsampleNearestBackward(Tensor dy, int factor) {
    return only(() -> pooling.upsampleBackward(dy, factor));
  }

  @Override
  public Tensor[] groupNorm(
      Tensor x, Tensor weight, Tensor bias, Tensor scale, Tensor shift, GroupNormSpec spec) {
    return all(() -> norms.forward(x, weight, bias, scale, shift, spec));
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
    return all(() -> norms.backward(dy, x, weight, bias, scale, shift, mean, rstd, spec));
  }

  // ---- moving elements

  @Override
  public Tensor concat(Tensor[] parts, int axis) {
    return movement.concat(parts, axis);
  }

  @Override
  public Tensor embed(Tensor x, Shape shape, int[] starts, int[] steps) {
    return movement.embed(x, shape, starts, steps);
  }

  @Override
  public Tensor gather(Tensor x, int axis, int[] index) {
    return only(() -> movement.gather(x, axis, index));
  }

  @Override
  public Tensor scatterAdd(Tensor x, int axis, int[] index, int size) {
    return only(() -> movement.scatterAdd(x, axis, index, size));
  }

  // ---- Fourier

  @Override
  public Tensor fft(Tensor x, int axes, boolean inverse, double scale) {
    return only(() -> transforms.fft(x, axes, inverse, scale));
  }

  @Override
  public Tensor rfft(Tensor x, int axes, double scale) {
    return only(() -> transforms.toHalfSpectrum(x, axes, scale, false));
  }

  @Override
  public Tensor irfft(Tensor x, int[] sizes, double scale) {
    return only(() -> transforms.toReal(x, sizes, scale, false));
  }

  @Override
  public Tensor rfftAdjoint(Tensor x, int[] sizes, double scale) {
    return only(() -> transforms.toReal(x, sizes, scale, true));
  }

  @Override
  public Tensor irfftAdjoint(Tensor x, int axes, double scale) {
    return only(() -> transforms.toHalfSpectrum(x, axes, scale, true));
  }

  @Override
  public Tensor trig(TrigKind kind, Tensor x, int axis, double scale) {
    return only(() -> transforms.trig(kind, x, axis, scale));
  }

  @Override
  public Tensor complexMul(Tensor a, Tensor b, boolean conjugateB) {
    return elementwise.complexMul(a, b, conjugateB);
  }

  @Override
  public Tensor advanceTransverse(Tensor x, Tensor v, Tensor n, double weight) {
    return only(
        () -> {
          Tensor fused = transforms.advanceTransverse(x, v, n, weight);
          return fused != null ? fused : Backend.super.advanceTransverse(x, v, n, weight);
        });
  }

  // ---- random numbers

  @Override
  public Tensor uniform(long key, long counter, Shape shape, DataType type) {
    return random.uniform(key, counter, shape, type);
  }

  @Override
  public Tensor normal(long key, long counter, Shape shape, DataType type) {
    return random.normal(key, counter, shape, type);
  }

  // ---- in place

  @Override
  public void adam(Tensor p, Tensor g, Tensor m, Tensor v, AdamSpec spec) {
    updates.adam(p, g, m, v, spec);
  }

  @Override
  public void sgd(Tensor p, Tensor g, Tensor velocity, SgdSpec spec) {
    updates.sgd(p, g, velocity, spec);
  }

  @Override
  public void ema(Tensor average, Tensor p, double decay) {
    updates.ema(average, p, decay);
  }

  @Override
  public void assign(Tensor target, Tensor source) {
    updates.assign(target, source);
  }
}
