package io.perflow.cuda;

import io.perflow.cuda.driver.CudaDriver;
import io.perflow.tensor.Device;
import io.perflow.tensor.backend.AttentionKernels;
import io.perflow.tensor.backend.Backend;
import io.perflow.tensor.backend.ConvKernels;
import io.perflow.tensor.backend.ElementwiseKernels;
import io.perflow.tensor.backend.FftKernels;
import io.perflow.tensor.backend.GemmKernels;
import io.perflow.tensor.backend.MemoryKernels;
import io.perflow.tensor.backend.MovementKernels;
import io.perflow.tensor.backend.NormKernels;
import io.perflow.tensor.backend.OptimizerKernels;
import io.perflow.tensor.backend.PoolKernels;
import io.perflow.tensor.backend.RandomKernels;
import io.perflow.tensor.backend.ReduceKernels;
import io.perflow.tensor.backend.StepKernels;
import java.util.List;
import java.util.Set;

/**
 * The backend of an NVIDIA GPU, which runs its own PTX through the driver and needs nothing else.
 * Each family of kernels is a class of this package beside its {@code .cu} file; this one wires
 * them together.
 *
 * <p>Calls queue work and return; only reading numbers back waits. All work of a device runs in the
 * order of the calls. Convolutions, pooling and norms keep images channels last in memory.
 */
public final class CudaBackend implements Backend {
  private final Gpu gpu;
  private final Memory memory;
  private final Elementwise elementwise;
  private final Movement movement;
  private final Reductions reductions;
  private final MatMul matmul;
  private final Attention attention;
  private final Convolutions convolutions;
  private final Pooling pooling;
  private final Norms norms;
  private final Transforms transforms;
  private final Advances advances;
  private final RandomNumbers random;
  private final Updates updates;

  private CudaBackend(Gpu gpu) {
    this.gpu = gpu;
    elementwise = new Elementwise(gpu);
    memory = new Memory(gpu, elementwise);
    movement = new Movement(gpu, memory, elementwise);
    reductions = new Reductions(gpu, memory);
    matmul = new MatMul(gpu, memory);
    attention = new Attention(gpu, memory, matmul);
    Winograd winograd = new Winograd(gpu, matmul);
    pooling = new Pooling(gpu, memory, reductions);
    convolutions = new Convolutions(gpu, memory, elementwise, reductions, winograd, pooling);
    norms = new Norms(gpu, memory);
    transforms = new Transforms(gpu, memory, elementwise);
    advances = new Advances(gpu, elementwise, reductions, transforms);
    random = new RandomNumbers(gpu);
    updates = new Updates(gpu);
  }

  /**
   * Returns a device of a driver that has been initialised, under a name such as {@code cuda:0}.
   */
  static Device open(CudaDriver driver, int ordinal, String name) {
    Gpu gpu = new Gpu(driver, ordinal, name);
    Device device = new Device(name, new CudaBackend(gpu));
    gpu.named(device);
    return device;
  }

  // ---- beyond the interface of backends

  /**
   * Sets the method of convolutions in F32 from now on (default {@link ConvolutionMethod#DIRECT}).
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
   * between versions; its plans take additional device memory.
   *
   * @throws IllegalStateException when cuFFT is not there, with the reason in one line
   */
  public void useCufft() {
    transforms.use(gpu.fft());
  }

  /** Returns the work of the device so far. */
  public Traffic traffic() {
    return gpu.traffic();
  }

  /** Returns the names of the kernels launched so far. */
  Set<String> kernelsUsed() {
    return gpu.kernelsUsed();
  }

  /** Returns the bytes of device memory in use by tensors. */
  public long usedBytes() {
    return gpu.usedBytes();
  }

  /**
   * Returns the places in the program that allocated the device memory in use, one line for each,
   * largest first: memory that remains after its scope has closed is a leak. The list is empty
   * unless the device was opened under {@code -Dperflow.traceLeaks=true}.
   */
  public List<String> memoryInUse() {
    return gpu.memoryInUse();
  }

  /** Returns the largest number of bytes of device memory in use at once. */
  public long peakBytes() {
    return gpu.peakBytes();
  }

  /** Waits until everything queued so far has run. */
  public void synchronize() {
    gpu.synchronize();
  }

  @Override
  public String describe() {
    return gpu.describe();
  }

  @Override
  public boolean asynchronous() {
    return true;
  }

  @Override
  public MemoryKernels memory() {
    return memory;
  }

  @Override
  public ElementwiseKernels elementwise() {
    return elementwise;
  }

  @Override
  public MovementKernels movement() {
    return movement;
  }

  @Override
  public ReduceKernels reduce() {
    return reductions;
  }

  @Override
  public GemmKernels gemm() {
    return matmul;
  }

  @Override
  public AttentionKernels attention() {
    return attention;
  }

  @Override
  public ConvKernels conv() {
    return convolutions;
  }

  @Override
  public PoolKernels pool() {
    return pooling;
  }

  @Override
  public NormKernels norm() {
    return norms;
  }

  @Override
  public FftKernels fft() {
    return transforms;
  }

  @Override
  public RandomKernels random() {
    return random;
  }

  @Override
  public OptimizerKernels optimizer() {
    return updates;
  }

  @Override
  public StepKernels step() {
    return advances;
  }
}
