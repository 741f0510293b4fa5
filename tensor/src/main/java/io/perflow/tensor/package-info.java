/**
 * The tensor and its description: shape, layout, data type, device, random numbers.
 *
 * <p>Kernels belong to the backend packages, operations with their gradients to {@code op}.
 */
package io.perflow.tensor;
