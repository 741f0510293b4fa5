/**
 * The tensor and what describes it: shape, layout, data type, device and random numbers.
 *
 * <p>Kernels belong to the backend packages, operations with their gradients to {@code op}.
 */
package io.perflow.tensor;
