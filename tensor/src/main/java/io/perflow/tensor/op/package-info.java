/**
 * The primitive operations, one small class each with its shape rule and its gradient, and their
 * kinds and options.
 *
 * <p>Most of them have a method in {@link io.perflow.tensor.Tensor}, {@link
 * io.perflow.tensor.Images}, {@link io.perflow.tensor.Norms} or {@link io.perflow.tensor.Fourier};
 * options of those methods lie beside these classes. Your own operation implements {@link
 * io.perflow.tensor.op.Op}.
 */
package io.perflow.tensor.op;
