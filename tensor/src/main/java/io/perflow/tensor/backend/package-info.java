/**
 * What a device implements: its memory, its computations and how it is found.
 *
 * <p>Users of tensors meet none of it; operations of one's own call {@link
 * io.perflow.tensor.backend.Backend}. What an operation is told, such as the stride of a
 * convolution, belongs to {@link io.perflow.tensor} and {@link io.perflow.tensor.op}.
 */
package io.perflow.tensor.backend;
