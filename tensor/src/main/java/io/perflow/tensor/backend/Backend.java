package io.perflow.tensor.backend;

/**
 * The kernels of one device, by family. A device wires its families together; an operation asks for
 * the one that it computes with, as in {@code backend.gemm().matmul(a, b)}.
 *
 * <p>Arguments have been checked (shapes, types, devices) by the operation above; a kernel computes
 * into new storage and may choose the memory order of its results. It never changes an input,
 * except where its purpose is that, and it knows nothing of gradients. Complex tensors are real
 * ones whose last axis holds (re, im). A kernel that returns an {@link java.util.Optional} is one
 * that a device may leave out.
 */
public interface Backend {
  /** One line on what computes and how. */
  String describe();

  /** Whether the host goes on while kernels run, so that it waits for numbers that it reads. */
  default boolean asynchronous() {
    return false;
  }

  MemoryKernels memory();

  ElementwiseKernels elementwise();

  MovementKernels movement();

  ReduceKernels reduce();

  GemmKernels gemm();

  AttentionKernels attention();

  ConvKernels conv();

  PoolKernels pool();

  NormKernels norm();

  FftKernels fft();

  RandomKernels random();

  OptimizerKernels optimizer();

  StepKernels step();
}
