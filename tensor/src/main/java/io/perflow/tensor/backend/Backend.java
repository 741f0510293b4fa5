package io.perflow.tensor.backend;

/**
 * The kernels of one device, by family. A device wires its families together; an operation asks for
 * the family that it needs, as in {@code backend.gemm().matmul(a, b)}.
 *
 * <p>Arguments have been checked (shapes, types, devices) by the operation above; a kernel computes
 * into new storage and may choose the memory order of its results. It never changes an input,
 * unless that is its purpose, and it does not handle gradients. Complex tensors are real ones whose
 * last axis holds (re, im). A kernel that returns an {@link java.util.Optional} is optional for a
 * device.
 */
public interface Backend {
  /** Returns a description in one line. */
  String describe();

  /**
   * Returns what decides how results are rounded: backends that return the same text compute the
   * same bits.
   */
  default String arithmetic() {
    return describe();
  }

  /** Returns whether kernels run asynchronously, so that the host waits when it reads numbers. */
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
