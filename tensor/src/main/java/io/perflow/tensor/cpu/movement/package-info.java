/**
 * Kernels that put elements elsewhere without changing them: joining, scattering, gathering and
 * scattering. Plain copies belong to {@link io.perflow.tensor.cpu.memory}.
 */
package io.perflow.tensor.cpu.movement;
