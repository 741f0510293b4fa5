/**
 * Kernels that move elements without changing them: joining, gathering and scattering. Plain copies
 * belong to {@link io.perflow.tensor.cpu.memory}.
 */
package io.perflow.tensor.cpu.movement;
