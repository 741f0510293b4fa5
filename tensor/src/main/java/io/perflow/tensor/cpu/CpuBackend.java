package io.perflow.tensor.cpu;

import io.perflow.tensor.Device;
import io.perflow.tensor.Settings;
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
import io.perflow.tensor.cpu.attention.ScalarAttention;
import io.perflow.tensor.cpu.attention.SimdAttention;
import io.perflow.tensor.cpu.conv.ScalarConvolution;
import io.perflow.tensor.cpu.conv.SimdConvolution;
import io.perflow.tensor.cpu.elementwise.ScalarElementwise;
import io.perflow.tensor.cpu.elementwise.SimdElementwise;
import io.perflow.tensor.cpu.fft.ScalarFourier;
import io.perflow.tensor.cpu.fft.SimdFourier;
import io.perflow.tensor.cpu.gemm.ScalarGemm;
import io.perflow.tensor.cpu.gemm.SimdGemm;
import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.memory.ScalarMemory;
import io.perflow.tensor.cpu.memory.SimdMemory;
import io.perflow.tensor.cpu.movement.ScalarMovement;
import io.perflow.tensor.cpu.movement.SimdMovement;
import io.perflow.tensor.cpu.norm.ScalarNorms;
import io.perflow.tensor.cpu.norm.SimdNorms;
import io.perflow.tensor.cpu.optimizer.ScalarOptimizers;
import io.perflow.tensor.cpu.optimizer.SimdOptimizers;
import io.perflow.tensor.cpu.pool.ScalarPooling;
import io.perflow.tensor.cpu.pool.SimdPooling;
import io.perflow.tensor.cpu.random.PhiloxRandom;
import io.perflow.tensor.cpu.reduce.ScalarReductions;
import io.perflow.tensor.cpu.reduce.SimdReductions;
import io.perflow.tensor.cpu.step.ScalarAdvance;
import io.perflow.tensor.cpu.step.SimdAdvance;
import io.perflow.tensor.cpu.vector.Simd;
import java.util.function.Supplier;

/** The families of kernels of the CPU, wired together in two ways. */
record CpuBackend(
    Supplier<String> description,
    String kind,
    MemoryKernels memory,
    ElementwiseKernels elementwise,
    MovementKernels movement,
    ReduceKernels reduce,
    GemmKernels gemm,
    AttentionKernels attention,
    ConvKernels conv,
    PoolKernels pool,
    NormKernels norm,
    FftKernels fft,
    RandomKernels random,
    OptimizerKernels optimizer,
    StepKernels step)
    implements Backend {

  /**
   * Returns every kernel in plain Java, for F32 and F64 and any strides: the definition of every
   * result. All arithmetic is in double, sums run in one fixed order, and an F32 result is rounded
   * once, when it is stored.
   */
  static Backend scalar(Supplier<Device> device) {
    MemoryKernels memory = new ScalarMemory(device);
    return new CpuBackend(
        () -> "scalar code in double arithmetic, " + Parallel.threads() + " threads",
        "scalar",
        memory,
        new ScalarElementwise(),
        new ScalarMovement(),
        new ScalarReductions(),
        new ScalarGemm(),
        new ScalarAttention(),
        new ScalarConvolution(),
        new ScalarPooling(),
        new ScalarNorms(),
        new ScalarFourier(),
        new PhiloxRandom(memory),
        new ScalarOptimizers(),
        new ScalarAdvance());
  }

  /**
   * Returns kernels on vectors, for F32 everywhere and for F64 in matrix products and Fourier
   * transforms. Each family leaves the rest to the scalar one that it extends.
   */
  static Backend vectors(Supplier<Device> device) {
    MemoryKernels memory = new SimdMemory(device);
    return new CpuBackend(
        () -> "Vector API, %d bits, %d threads".formatted(32 * Simd.W, Parallel.threads()),
        "vectors of %d bits".formatted(32 * Simd.W),
        memory,
        new SimdElementwise(),
        new SimdMovement(),
        new SimdReductions(),
        new SimdGemm(),
        new SimdAttention(),
        new SimdConvolution(),
        new SimdPooling(),
        new SimdNorms(),
        new SimdFourier(),
        new PhiloxRandom(memory),
        new SimdOptimizers(),
        new SimdAdvance());
  }

  @Override
  public String describe() {
    return description.get();
  }

  @Override
  public String arithmetic() {
    return Settings.exactConvolution() ? kind + ", direct convolutions" : kind;
  }
}
