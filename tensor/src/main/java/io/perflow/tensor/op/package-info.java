/**
 * The primitive operations, one small class each with its shape rule and its gradient, and the
 * kinds and options they are told.
 *
 * <p>Most have a method of {@link io.perflow.tensor.Tensor}, {@link io.perflow.tensor.Images},
 * {@link io.perflow.tensor.Norms} or {@link io.perflow.tensor.Fourier}; options that are given to
 * those belong beside them. A user's own operation implements {@link io.perflow.tensor.op.Op}.
 */
package io.perflow.tensor.op;
